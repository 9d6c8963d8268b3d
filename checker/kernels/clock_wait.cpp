#include "kernels/clock_wait.h"

#include <algorithm>

namespace kernels {

clock_wait::known_loop& clock_wait::find(address loop) {
  for (known_loop& known : known_) {
    if (known.code == loop) return known;
  }
  known_loop& replaced = known_[oldest_];
  oldest_ = (oldest_ + 1) % known_.size();
  replaced = {loop, trust::unknown, 0};
  return replaced;
}

void clock_wait::begin(address loop) {
  loop_ = &find(loop);
  is_active_ = loop_->skipping != trust::refused;
  is_checking_ = false;
  tries_ = 0;
  goes_on_ = -1;
  ends_ = 0;
  begin_try();
}

void clock_wait::begin_try() {
  ++tries_;
  reads_ = 0;
  round_ = -1;
  has_skipped_ = false;
}

/// The round whose time the next read gets; later than the ones before. Most threads go round as often as the one before.
std::int64_t clock_wait::choose_round() const {
  const std::int64_t guess = loop_->last_round;
  if (ends_ != 0) {
    const std::int64_t near_guess = ends_ - 2 * (guess - ends_ + 1);
    if (guess >= ends_ && near_guess > goes_on_) return near_guess;
    return std::max(goes_on_ + 1, goes_on_ + (ends_ - goes_on_) / 2);
  }
  if (guess <= goes_on_) return 2 * goes_on_ + 1 - guess;
  return guess > goes_on_ + 1 ? guess - 1 : guess;
}

std::uint64_t clock_wait::rounds_before_read(bool is_pure) {
  const std::int64_t before = round_;
  ++reads_;
  if (reads_ == 1) {
    round_ = 0;
    return 0;
  }
  if (!is_pure || round_ >= max_round) {
    is_active_ = false;
    return 0;
  }
  goes_on_ = std::max(goes_on_, round_);
  // The try that is compared goes round another number of times than the one before.
  const bool is_extra_round = is_checking_ && reads_ == 2 && reads_of_result_ == 2;
  round_ = is_extra_round ? 1 : choose_round();
  has_skipped_ = has_skipped_ || round_ > before + 1;
  return static_cast<std::uint64_t>(round_ - before - 1);
}

clock_wait::next clock_wait::give_up() {
  loop_->skipping = trust::refused;
  is_active_ = false;
  return next::try_again;
}

clock_wait::next clock_wait::end(bool has_same_result) {
  if (!is_active_) return next::go_on;
  is_active_ = false;
  const bool is_in_order = round_ > goes_on_ && (ends_ == 0 || round_ <= ends_);
  if (tries_ > 1 && !is_in_order) return give_up();
  if (has_skipped_ && round_ != goes_on_ + 1) {
    ends_ = round_;
  } else if (!has_skipped_ && tries_ == 1) {
    loop_->last_round = round_;
    return next::go_on;
  } else if (loop_->skipping == trust::unknown) {
    if (is_checking_ && !has_same_result) return give_up();
    if (is_checking_) loop_->skipping = trust::earned;
    is_checking_ = true;
    ends_ = round_;
    reads_of_result_ = reads_;
  }
  if (loop_->skipping == trust::earned && round_ == goes_on_ + 1) {
    loop_->last_round = round_;
    return next::go_on;
  }
  is_active_ = true;
  begin_try();
  return next::try_again;
}

}  // namespace kernels
