#include "harness/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "harness/criterion.h"
#include "harness/findings.h"

namespace harness {

namespace {

const finding& first_in_precedence(const std::vector<finding>& failures) {
  const finding* first = &failures.front();
  for (const finding& each : failures) {
    if (each.failure < first->failure) first = &each;
  }
  return *first;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string failure_text(const testing::TestResult& result) {
  std::string text;
  for (int i = 0; i < result.total_part_count(); ++i) {
    if (result.GetTestPartResult(i).failed()) text += result.GetTestPartResult(i).message();
  }
  return text;
}

void conclude(report::criterion_result& into, const testing::TestResult& result, const findings_scope& said) {
  if (result.Failed()) {
    into.verdict = report::criterion_verdict::fail;
    into.note.clear();
    // A plain EXPECT_EQ in a check.cpp files nothing; its own words then have to do.
    const finding reason = said.failures().empty()
                               ? finding{report::run_verdict::requirement_missed,
                                         {into.title, failure_text(result), "", "The README of the lesson."}}
                               : first_in_precedence(said.failures());
    into.failure = reason.failure;
    into.why = reason.why;
  } else if (!said.not_observable().empty()) {
    into.verdict = report::criterion_verdict::not_observable;
    into.note = joined(said.not_observable());
  } else {
    into.verdict = report::criterion_verdict::pass;
    into.note = joined(said.notes());
  }
}

class result_collector : public testing::EmptyTestEventListener {
 public:
  explicit result_collector(std::map<std::string, report::criterion_result>& results) : results_(&results) {}

  void OnTestStart(const testing::TestInfo&) override { said_ = std::make_unique<findings_scope>(); }

  void OnTestEnd(const testing::TestInfo& info) override {
    const auto found = results_->find(info.name());
    if (found != results_->end()) conclude(found->second, *info.result(), *said_);
    said_.reset();
  }

 private:
  std::map<std::string, report::criterion_result>* results_;
  std::unique_ptr<findings_scope> said_;
};

// Shards are asked for by the environment only.
void forget_shards() {
  for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
    unsetenv(name);
}

// The flags took their defaults from the environment before main(), so each that could hide a criterion is
// set here.
void set_flags() {
  GTEST_FLAG_SET(filter, "*");
  GTEST_FLAG_SET(output, "");
  GTEST_FLAG_SET(stream_result_to, "");
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(fail_fast, false);
  GTEST_FLAG_SET(list_tests, false);
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  GTEST_FLAG_SET(catch_exceptions, false);
}

void start_googletest() {
  int count = 1;
  char name[] = "check";
  char* arguments[] = {name, nullptr};
  forget_shards();
  set_flags();  // before the initialisation, which acts on some of them
  testing::InitGoogleMock(&count, arguments);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
}

}  // namespace

std::vector<report::criterion_result> evaluate(const observations& what) {
  std::map<std::string, report::criterion_result> by_name;
  for (const criterion& each : registered_rubric().criteria) {
    report::criterion_result& result = by_name[each.name];
    result.name = each.name;
    result.title = each.title;
    result.points = each.points;
    result.note = "The criterion was not evaluated.";
  }
  lesson_check::look_at(what);
  start_googletest();
  testing::UnitTest::GetInstance()->listeners().Append(new result_collector(by_name));
  [[maybe_unused]] const int status = RUN_ALL_TESTS();  // what failed was collected above
  std::vector<report::criterion_result> results;
  for (const criterion& each : registered_rubric().criteria) results.push_back(by_name.at(each.name));
  return results;
}

}  // namespace harness
