#include "checking/criterion.h"

#include <stdexcept>
#include <utility>

namespace checking {

namespace {

const matchers::observations* looked_at = nullptr;
std::int64_t scale_of_work = 1;

const matchers::observations& current() {
  if (!looked_at) throw std::logic_error("a criterion was evaluated before there was anything to look at");
  return *looked_at;
}

// Registration happens before main(), from other translation units: a function-local object is there in time.
rubric& the_rubric() {
  static rubric only;
  return only;
}

}  // namespace

void lesson_check::look_at(const matchers::observations* what) { looked_at = what; }

void lesson_check::set_work_scale(std::int64_t scale) { scale_of_work = scale; }
std::int64_t lesson_check::work_scale() { return scale_of_work; }

void lesson_check::SetUp() {
  if (!looked_at) GTEST_SKIP();
}

const analysis::part& lesson_check::seen() { return current().learner; }
const std::vector<matchers::scheduled_run>& lesson_check::every_run() { return current().runs; }
const exercise::message& lesson_check::request() { return current().request; }

const criterion* rubric::find(const std::string& name) const {
  for (const criterion& each : criteria) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const rubric& registered_rubric() { return the_rubric(); }

bool register_criterion(criterion what, std::function<exercise::message(random_values&)> make_request) {
  the_rubric().make_request = std::move(make_request);
  the_rubric().criteria.push_back(std::move(what));
  return true;
}

bool register_skeleton_failures(std::initializer_list<const char*> names) {
  the_rubric().skeleton_fails.assign(names.begin(), names.end());
  return true;
}

bool register_sweep(sweep_declaration what) {
  the_rubric().sweep = std::move(what);
  return true;
}

}  // namespace checking
