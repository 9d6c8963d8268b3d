#include "kernels/conflict_log.h"

#include <algorithm>
#include <bit>

namespace kernels {
namespace {

bool is_write(touch_kind kind) { return kind == touch_kind::write || kind == touch_kind::atomic_write; }
bool is_atomic(touch_kind kind) {
  return kind == touch_kind::atomic_read || kind == touch_kind::atomic_write;
}

bool conflict_of(const conflict_log::touch& one, const conflict_log::touch& two) {
  return (one.mask & two.mask) != 0 && (is_write(one.kind) || is_write(two.kind)) &&
         !(is_atomic(one.kind) && is_atomic(two.kind));
}

/// Whether everything that conflicts with the older one conflicts with the newer one too.
bool covers(const conflict_log::touch& newer, const conflict_log::touch& older) {
  return (older.mask & ~newer.mask) == 0 && (is_write(newer.kind) || !is_write(older.kind)) &&
         (!is_atomic(newer.kind) || is_atomic(older.kind));
}

std::size_t hash_of(address code, touch_kind kind, std::uint8_t mask) {
  return ((code << 10 | static_cast<std::uint64_t>(kind) << 8 | mask) * 0x9E3779B97F4A7C15ULL) >> 58;
}

}  // namespace

void conflict_log::move_to(const host_position& position) {
  is_busy_ = true;
  positions_.push_back(position);
  recent_touches_ = {};
  current_touches_.clear();
  is_busy_ = false;
}

conflict_log::touch_index conflict_log::index_of(const touch& noted) {
  touch_index& recent = recent_touches_[hash_of(noted.code, noted.kind, noted.mask)];
  const touch& likely = touches_[recent];
  if (recent != 0 && likely.code == noted.code && likely.kind == noted.kind && likely.mask == noted.mask)
    return recent;
  const std::uint64_t key =
      std::uint64_t{noted.code} << 10 | static_cast<std::uint64_t>(noted.kind) << 8 | noted.mask;
  const auto [found, is_new] = current_touches_.try_emplace(key, static_cast<touch_index>(touches_.size()));
  if (is_new) touches_.push_back(noted);
  return recent = found->second;
}

conflict_log::page& conflict_log::page_of(address where) {
  const address number = where / page_bytes;
  recent_page& recent = recent_pages_[number * 0x9E3779B97F4A7C15ULL >> 58];
  if (recent.number == number) return *recent.found;
  std::unique_ptr<page>& slot = pages_[number];
  if (!slot) slot = std::make_unique<page>();
  recent = {number, slot.get()};
  return *slot;
}

void conflict_log::note(address code, address where, std::size_t bytes, touch_kind kind) {
  is_busy_ = true;
  touch noted{static_cast<std::uint32_t>(positions_.size() - 1), static_cast<std::uint32_t>(code), kind, 0};
  for (const address end = where + bytes; where < end;) {
    const address begin = where & ~address{7};
    const address behind = std::min(end, begin + 8);
    noted.mask = static_cast<std::uint8_t>((1U << (behind - begin)) - (1U << (where - begin)));
    const touch_index newer = index_of(noted);
    cell& into = page_of(begin)[begin % page_bytes / 8];
    if (into.first != newer && into.second != newer) {
      if (into.first == 0) {
        into.first = newer;
      } else {
        add(into, newer, begin);
      }
    }
    where = behind;
  }
  is_busy_ = false;
}

/// Compares the new touch with those that are kept, and keeps it instead of those that it covers.
void conflict_log::add(cell& into, touch_index newer, address begin) {
  const bool had_list = (into.first & more) != 0;
  kept_.clear();
  const auto look_at = [&](touch_index older) {
    const touch& one = touches_[older];
    const touch& two = touches_[newer];
    const host_position& before = positions_[one.position];
    const bool is_own = before.party == positions_[two.position].party;
    const bool is_known = is_own || is_over_(before);
    if (!is_known && conflict_of(one, two)) compare(older, newer, begin);
    if (!is_known || !covers(two, one)) kept_.push_back(older);
  };
  if (had_list) {
    const std::vector<touch_index>& list = lists_[into.first & ~more];
    if (std::find(list.begin(), list.end(), newer) != list.end()) return;
    for (const touch_index older : list) look_at(older);
  } else {
    for (const touch_index older : {into.first, into.second}) {
      if (older != 0) look_at(older);
    }
  }
  kept_.push_back(newer);
  if (kept_.size() > 2) {
    if (!had_list) {
      if (free_lists_.empty()) {
        free_lists_.push_back(static_cast<std::uint32_t>(lists_.size()));
        lists_.emplace_back();
      }
      into = {free_lists_.back() | more, 0};
      free_lists_.pop_back();
    }
    lists_[into.first & ~more] = kept_;
    return;
  }
  if (had_list) free_lists_.push_back(into.first & ~more);
  into = {kept_.front(), kept_.size() > 1 ? kept_.back() : 0};
}

/// The two touch the same bytes of the eight from `begin`, and nothing is known to put them in order.
void conflict_log::compare(touch_index older, touch_index newer, address begin) {
  const touch& one = touches_[older];
  const touch& two = touches_[newer];
  const unsigned common = one.mask & two.mask;
  const auto skipped = static_cast<std::size_t>(std::countr_zero(common));
  const auto bytes = static_cast<std::size_t>(std::countr_one(common >> skipped));
  const auto [known, is_new] = known_.try_emplace({one.position, one.code, two.position, two.code}, conflicts_.size());
  if (!is_new) {
    if (known->second == ~std::size_t{0}) return;
    conflict& found = conflicts_[known->second];
    if (found.begin + found.bytes == begin + skipped) found.bytes += bytes;
    return;
  }
  const bool has_host_function =
      positions_[one.position].host_function != 0 || positions_[two.position].host_function != 0;
  if (!has_host_function && of_two_places_[{one.code, two.code}]++ >= max_conflicts_of_two_places) {
    known->second = ~std::size_t{0};
    return;
  }
  conflicts_.push_back({one, two, begin + skipped, bytes});
}

void conflict_log::forget(address begin, std::size_t bytes) {
  if (is_busy_ || bytes == 0) return;
  is_busy_ = true;
  const address end = begin + bytes;
  for (auto found = pages_.lower_bound(begin / page_bytes); found != pages_.end(); ++found) {
    const address first = found->first * page_bytes;
    if (first >= end) break;
    for (std::size_t i = 0; i < found->second->size(); ++i) {
      const address granule = first + 8 * i;
      if (granule < begin || granule >= end) continue;
      cell& known = (*found->second)[i];
      if ((known.first & more) != 0) free_lists_.push_back(known.first & ~more);
      known = {};
    }
  }
  is_busy_ = false;
}

}  // namespace kernels
