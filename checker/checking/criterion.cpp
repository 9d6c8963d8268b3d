#include "checking/criterion.h"

#include <algorithm>

namespace checking {

void lesson_check::judge(judged_run& judged) {
  judged_ = &judged;
  body();
}

matchers::subject lesson_check::run() const { return {judged_->learner, &judged_->verdicts}; }

matchers::subject lesson_check::part(std::string_view name) const {
  return {judged_->learner.of_part(name), &judged_->verdicts};
}

const exercise::message& lesson_check::answer() const { return judged_->learner.answer(); }

const exercise::message& lesson_check::request() const {
  return judged_->observed.request_of(judged_->learner.call());
}

const criterion* rubric::find(const std::string& name) const {
  const auto found = std::find_if(criteria.begin(), criteria.end(),
                                  [&](const criterion& line) { return line.name == name; });
  return found == criteria.end() ? nullptr : &*found;
}

}  // namespace checking
