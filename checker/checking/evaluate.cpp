#include "checking/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "checking/criterion.h"
#include "matchers/findings.h"

namespace checking {

namespace {

const matchers::finding& first_in_precedence(const std::vector<matchers::finding>& failures) {
  const matchers::finding* first = &failures.front();
  for (const matchers::finding& each : failures) {
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

// Why the recording says less than happened; "" when it says all.
std::string incomplete_because(const matchers::observations& what) {
  if (what.runs.empty() || !what.runs.front().outcome.seen) return "";
  for (const trace::diagnostic& each : what.runs.front().outcome.seen->diagnostics) {
    using enum trace::diagnostic_kind;
    for (const trace::diagnostic_kind kind : {not_recorded, lost_records, not_attributed}) {
      if (each.kind == kind) return each.message;
    }
  }
  return "";
}

void conclude_failed(report::criterion_result& into, const matchers::finding& reason) {
  into.verdict = report::criterion_verdict::fail;
  into.note.clear();
  into.failure = reason.failure;
  into.why = reason.why;
  into.mistake = reason.mistake;
}

void conclude_not_observable(report::criterion_result& into, const std::string& reason) {
  into.verdict = report::criterion_verdict::not_observable;
  into.note = reason;
}

void conclude_passed(report::criterion_result& into, const matchers::findings_scope& said) {
  into.verdict = report::criterion_verdict::pass;
  into.note = joined(said.notes());
}

void conclude(report::criterion_result& into, const testing::TestResult& result,
              const matchers::findings_scope& said) {
  if (result.Failed()) {
    // A plain EXPECT_EQ in a check.cpp files nothing; its own words then have to do.
    conclude_failed(into, said.failures().empty() ? matchers::finding{report::run_verdict::requirement_missed,
                                                                      {into.title, failure_text(result), "",
                                                                       "The README of the lesson."}}
                                                  : first_in_precedence(said.failures()));
  } else if (!said.not_observable().empty()) {
    conclude_not_observable(into, joined(said.not_observable()));
    into.failure = said.undecided();
  } else {
    conclude_passed(into, said);
  }
}

// What was fast enough beside a calibration that may have been held up was perhaps not fast.
void conclude_disturbed(report::criterion_result& into, const testing::TestResult& result,
                        const matchers::findings_scope& said) {
  conclude(into, result, said);
  if (into.verdict != report::criterion_verdict::pass || !said.compared_with_calibration()) return;
  conclude_not_observable(into, "other programs used the GPU, perhaps during the calibration");
  into.failure = report::run_verdict::inconclusive;
}

// Only the data can be judged, and lengths that events told; what the matchers found missing in the recording
// may have happened.
void conclude_without_recording(report::criterion_result& into, const testing::TestResult& result,
                                const matchers::findings_scope& said, const std::string& reason) {
  if (said.judged_lengths()) return conclude(into, result, said);
  for (const matchers::finding& each : said.failures()) {
    if (each.failure == report::run_verdict::wrong_answer) return conclude_failed(into, each);
  }
  if (said.judged_data()) return conclude_passed(into, said);
  conclude_not_observable(into, reason);
}

std::vector<report::criterion_result> unjudged() {
  std::vector<report::criterion_result> results;
  for (const criterion& each : registered_rubric().criteria) {
    report::criterion_result& result = results.emplace_back();
    result.name = each.name;
    result.title = each.title;
    result.points = each.points;
    result.note = "The criterion was not evaluated.";
  }
  return results;
}

class result_collector : public testing::EmptyTestEventListener {
 public:
  result_collector(const std::function<const matchers::observations*()>& next,
                   const std::function<void(std::vector<report::criterion_result>)>& judged)
      : next_(&next), judged_(&judged) {}

  void OnTestIterationStart(const testing::UnitTest&, int) override {
    what_ = is_over_ ? nullptr : (*next_)();
    is_over_ = what_ == nullptr;
    lesson_check::look_at(what_);
    if (what_ == nullptr) return;
    results_ = unjudged();
    incomplete_ = incomplete_because(*what_);
    // Matchers may trip over what a recording lacks.
    GTEST_FLAG_SET(catch_exceptions, !incomplete_.empty());
  }

  void OnTestStart(const testing::TestInfo&) override {
    said_ = std::make_unique<matchers::findings_scope>();
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    const auto found = std::find_if(results_.begin(), results_.end(),
                                    [&](const auto& each) { return each.name == info.name(); });
    if (what_ != nullptr && found != results_.end()) {
      found->measured = said_->measured();
      if (!incomplete_.empty()) {
        conclude_without_recording(*found, *info.result(), *said_, incomplete_);
      } else if (!what_->runs.empty() && matchers::was_disturbed(what_->runs.front())) {
        conclude_disturbed(*found, *info.result(), *said_);
      } else {
        conclude(*found, *info.result(), *said_);
      }
    }
    said_.reset();
  }

  void OnTestIterationEnd(const testing::UnitTest&, int) override {
    if (what_ != nullptr) (*judged_)(std::move(results_));
    results_.clear();
  }

 private:
  const std::function<const matchers::observations*()>* next_;
  const std::function<void(std::vector<report::criterion_result>)>* judged_;
  const matchers::observations* what_ = nullptr;
  bool is_over_ = false;
  std::string incomplete_;
  std::vector<report::criterion_result> results_;
  std::unique_ptr<matchers::findings_scope> said_;
};

// Shards are asked for by the environment only.
void forget_shards() {
  for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
    unsetenv(name);
}

// The flags took their defaults from the environment before main(), so each that could hide a criterion is
// set here.
void set_flags(std::size_t rounds) {
  GTEST_FLAG_SET(filter, "*");
  GTEST_FLAG_SET(output, "");
  GTEST_FLAG_SET(stream_result_to, "");
  GTEST_FLAG_SET(repeat, static_cast<int>(rounds));
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(fail_fast, false);
  GTEST_FLAG_SET(list_tests, false);
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  GTEST_FLAG_SET(catch_exceptions, false);
}

void start_googletest(std::size_t rounds) {
  int count = 1;
  char name[] = "check";
  char* arguments[] = {name, nullptr};
  forget_shards();
  set_flags(rounds);  // before the initialisation, which acts on some of them
  testing::InitGoogleMock(&count, arguments);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
}

}  // namespace

void evaluate_rounds(std::size_t most_rounds, const std::function<const matchers::observations*()>& next,
                     const std::function<void(std::vector<report::criterion_result>)>& judged) {
  start_googletest(most_rounds);
  testing::UnitTest::GetInstance()->listeners().Append(new result_collector(next, judged));
  [[maybe_unused]] const int status = RUN_ALL_TESTS();  // what failed was collected
}

std::vector<report::criterion_result> evaluate(const matchers::observations& what) {
  std::vector<report::criterion_result> results;
  evaluate_rounds(
      1, [&] { return &what; },
      [&](std::vector<report::criterion_result> judged) { results = std::move(judged); });
  return results;
}

}  // namespace checking
