#include "checking/remarks.h"

#include <gtest/gtest.h>

#include <optional>

#include "report/mistake.h"

namespace checking {
namespace {

/// The learner creates a stream in line 12 and leaves it.
matchers::observations a_stream_is_left() {
  matchers::observations observed;
  trace::recording& recording = observed.runs.emplace_back().outcome.recording.emplace();
  recording.files.push_back({"lessons/x.cu"});
  recording.calls = {
      {.id = 1, .function = trace::api_function::cudaStreamCreate, .thread = 1, .where = {1, 12}}};
  recording.streams = {{.id = 1, .created_by = 1}};
  recording.marks = {{.name = "begin:learner"}, {.name = "end:learner", .after = 1}};
  return observed;
}

report::criterion_result failing_at(const char* where) {
  report::criterion_result criterion;
  criterion.verdict = report::criterion_verdict::fail;
  criterion.why.where = where;
  return criterion;
}

TEST(Remarks, NameMisuseThatNoCriterionAsksFor) {
  const matchers::observations observed = a_stream_is_left();
  const auto remarks = remarks_on({observed, "learner"}, {failing_at("x.cu:120")});
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].title, "A stream is never destroyed");
  EXPECT_EQ(remarks[0].where, "x.cu:12");
}

TEST(Remarks, LeaveOutTheLineThatAFailedCriterionLeadsTo) {
  const matchers::observations observed = a_stream_is_left();
  EXPECT_TRUE(remarks_on({observed, "learner"}, {failing_at("x.cu:12, x.cu:30")}).empty());
}

TEST(Remarks, LeaveOutWhatAFailedCriterionSays) {
  const matchers::observations observed = a_stream_is_left();
  const auto remarks = [&](const char* observation, report::mistake mistake) {
    report::criterion_result failed = failing_at("x.cu:30");
    failed.mistake = word_of(mistake);
    failed.why.observation = observation;
    return remarks_on({observed, "learner"}, {failed});
  };
  const auto all = remarks("", report::mistake::wrong_value);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(remarks(("So it is. " + all[0].message).c_str(), report::mistake::wrong_value).empty());
  EXPECT_TRUE(remarks("cudaStreamCreate (x.cu:12) made it.", report::mistake::never_released).empty());
  EXPECT_EQ(remarks("The stream of cudaStreamCreate (x.cu:12).", report::mistake::wrong_value).size(), 1u);
  EXPECT_EQ(remarks("cudaStreamCreate (x.cu:120) made it.", report::mistake::never_released).size(), 1u);
}

TEST(Remarks, LeaveOutFurtherErrorsWhereACriterionTellsOfTheFirst) {
  matchers::observations observed = a_stream_is_left();
  trace::recording& recording = *observed.runs.front().outcome.recording;
  recording.calls.push_back({.id = 2,
                             .function = trace::api_function::cudaLaunchKernel,
                             .thread = 1,
                             .error_code = 1,
                             .error_name = "cudaErrorInvalidValue",
                             .is_result_unused = true,
                             .where = {1, 14}});
  recording.marks.back().after = 2;
  report::criterion_result failed = failing_at("x.cu:2");
  EXPECT_EQ(remarks_on({observed, "learner"}, {failed}).size(), 2u);
  failed.failure = report::run_verdict::cuda_error;
  EXPECT_EQ(remarks_on({observed, "learner"}, {failed}).size(), 1u);
}

}  // namespace
}  // namespace checking
