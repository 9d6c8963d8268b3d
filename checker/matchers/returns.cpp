#include "matchers/returns.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "matchers/findings.h"
#include "matchers/poison.h"

namespace matchers {

namespace {

bool is_same(float left, float right) { return std::memcmp(&left, &right, sizeof left) == 0; }

struct difference {
  std::size_t first = 0;
  std::size_t count = 0;
};

difference compare(const std::vector<float>& expected, const std::vector<float>& found) {
  difference what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (is_same(expected[i], found[i])) continue;
    if (what.count++ == 0) what.first = i;
  }
  return what;
}

report::evidence broken_lesson(const std::string& seen) {
  return {"The exercise program hands back what the lesson asks for.", seen, "",
          "This is a mistake of the lesson, not yours. Please report it."};
}

}  // namespace

Returns::Returns(std::string name, std::vector<float> expected)
    : name_(std::move(name)), expected_(std::move(expected)) {}

Returns Returns::in_batches_of(std::size_t elements, std::string called) const {
  Returns copy = *this;
  copy.batch_elements_ = elements;
  copy.batch_ = std::move(called);
  return copy;
}

bool Returns::MatchAndExplain(const std::vector<scheduled_run>& runs, std::ostream* explanation) const {
  file_data_judged();
  for (const scheduled_run& run : runs) {
    if (!is_right_in(run, explanation)) return false;
  }
  file_note(fmt::format("{} elements, {} runs", expected_.size(), runs.size()));
  return true;
}

bool Returns::is_right_in(const scheduled_run& run, std::ostream* explanation) const {
  const std::vector<float>* found = nullptr;
  try {
    found = &run.outcome.answer.values<float>(name_);
  } catch (const exercise::missing_name& missing) {
    file_failure({report::run_verdict::infra_error, broken_lesson(missing.what())});
    return false;
  }
  if (found->size() != expected_.size()) {
    file_failure({report::run_verdict::infra_error,
                  broken_lesson(fmt::format("'{}' has {} elements instead of {}.", name_, found->size(),
                                            expected_.size()))});
    return false;
  }
  const difference wrong = compare(expected_, *found);
  if (wrong.count == 0) return true;
  const float value = (*found)[wrong.first];
  report::evidence why;
  why.required = "Every element of the result is right, under every legal schedule of the GPU.";
  const bool is_tail = wrong.first > 0 && wrong.first + wrong.count == expected_.size();
  why.seen = fmt::format(
      "{} of {} elements of `{}`{} are wrong {}. The first is {}: found {}, expected {}. {}", wrong.count,
      expected_.size(), name_, is_tail ? ", all at the end," : "", in_words(run.schedule),
      place_of_element(wrong.first), value, expected_[wrong.first], what_the_value_tells(wrong.first, value));
  why.read_next = is_tail
                      ? "How the work is cut: do the pieces reach the last element, and is the last of them "
                        "waited for?"
                      : "The section \"The surprise\" in the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::wrong_answer, why});
  return false;
}

std::string Returns::place_of_element(std::size_t index) const {
  if (batch_elements_ == 0) return fmt::format("element {}", index);
  return fmt::format("element {} of {} {} (element {} of all)", index % batch_elements_, batch_,
                     index / batch_elements_, index);
}

std::string Returns::what_the_value_tells(std::size_t index, float found) const {
  if (is_same(found, poison::output)) {
    return "That is what the output held before your function began: its copy had not arrived when the "
           "caller read it, "
           "or was never made.";
  }
  if (is_same(found, poison::device)) {
    return "That is what the device buffer held before your function began: it was copied back before a "
           "kernel had "
           "written it.";
  }
  if (std::abs(found) >= poison::least) {
    return "It was computed from what the device buffer held before your function began: either the copy of "
           "this element was too short or never made, or the kernel ran before its input had arrived.";
  }
  if (batch_elements_ != 0) {
    for (std::size_t other = index % batch_elements_; other < expected_.size(); other += batch_elements_) {
      if (other != index && is_same(found, expected_[other])) {
        return fmt::format(
            "That is the result of {} {}: a buffer was used again before, or copied after, its turn.", batch_,
            other / batch_elements_);
      }
    }
  }
  return "That is neither an untouched value nor the result of another place.";
}

void Returns::DescribeTo(std::ostream* out) const {
  *out << "'" << name_ << "' holds the expected " << expected_.size() << " elements under every schedule";
}

void Returns::DescribeNegationTo(std::ostream* out) const {
  *out << "'" << name_ << "' differs from what is expected under some schedule";
}

}  // namespace matchers
