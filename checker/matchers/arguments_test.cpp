#include "matchers/arguments.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using report::criterion_verdict;
using testing::HasSubstr;
using integers = std::vector<std::int64_t>;

/// Kernels with integer arguments, one behind the other, launched in lines 11, 12 and so on.
class Arguments : public ::testing::Test {
 protected:
  trace::operation& launch(const integers& arguments, trace::stream_id stream = sample_run::lane[0]) {
    const int begin = 100 * static_cast<int>(++launched_);
    const trace::operation_id id = run.kernel(stream, {begin, begin + 50}, 10 + static_cast<int>(launched_));
    trace::operation& kernel = run.recording().operations.at(id - 1);
    kernel.integers = arguments;
    kernel.grid = {4, 1, 1};
    return kernel;
  }
  verdict judged(const matcher& criterion) { return criterion.match(run.learner()); }

  sample_run run;

 private:
  std::size_t launched_ = 0;
};

TEST_F(Arguments, WorksForComparesTheLastIntegerWithWhatWasCalibrated) {
  run.answer().set("calibrated.cycles", 5000.0);
  launch({7, 5000});
  EXPECT_EQ(judged(WorksFor("cycles", kernels())).outcome, criterion_verdict::pass);
  launch({7, 4500});
  const verdict found = judged(WorksFor("cycles", kernels()));
  EXPECT_EQ(found.outcome, criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "wrong_argument");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_THAT(found.why.observation, HasSubstr("got 4500, and was to get 5000"));
}

TEST_F(Arguments, WhatTheBackendDoesNotKnowPasses) {
  run.answer().set("calibrated.cycles", 5000.0);
  run.answer().set("jobs", integers{4, 5000});
  launch({}).integers.reset();
  EXPECT_EQ(judged(WorksFor("cycles", kernels())).outcome, criterion_verdict::pass);
  EXPECT_EQ(judged(GetsARowOf("jobs", 2, 0, kernels())).outcome, criterion_verdict::pass);
}

TEST_F(Arguments, EachBatchWorksForLooksAtTheKernelThatMadeTheBatch) {
  run.answer().set("cycles", integers{1000, 2000});
  run.recording().allocations.front().name = "result";
  launch({1000});
  run.touches(1, 1, trace::access_mode::write);
  const auto take = [&](const std::string& where) {
    run.recording().marks.push_back(
        {.name = "source:results:" + where + ":0:result",
         .time = run.recording().end,
         .after = static_cast<trace::call_id>(run.recording().calls.size()),
         .after_operation = static_cast<trace::operation_id>(run.recording().operations.size())});
  };
  take("0");
  launch({1000});
  run.touches(2, 1, trace::access_mode::write);
  take("10");
  const auto criterion = EachBatchWorksFor("cycles", "results", 10);
  run.recording().marks.push_back(
      {.name = "end:learner", .time = run.recording().end, .after = 2, .after_operation = 2});
  const verdict found = criterion.match(run.part("learner"));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_THAT(found.why.observation, HasSubstr("made result 1, and got 1000, where cycles[1] is 2000"));
  run.recording().operations.at(1).integers = integers{2000};
  EXPECT_EQ(criterion.match(run.part("learner")).outcome, criterion_verdict::pass);
}

TEST_F(Arguments, EachBatchWorksForDoesNotJudgeBatchesThatWereTakenFromUnknownMemory) {
  run.answer().set("cycles", integers{1000, 2000});
  launch({1000});
  run.touches(1, 1, trace::access_mode::write);
  for (const char* const first : {"0", "10"}) {
    run.recording().marks.push_back({.name = std::string("source:results:") + first + ":0:",
                                     .time = run.recording().end,
                                     .after = static_cast<trace::call_id>(run.recording().calls.size()),
                                     .after_operation = 1});
  }
  run.recording().allocations.front().name = "";
  run.recording().marks.push_back(
      {.name = "end:learner", .time = run.recording().end, .after = 2, .after_operation = 2});
  EXPECT_EQ(EachBatchWorksFor("cycles", "results", 10).match(run.part("learner")).outcome,
            criterion_verdict::pass);
}

TEST_F(Arguments, GetsARowOfWantsTheNumbersOfOneJobTogether) {
  run.answer().set("jobs", integers{4, 5000, 3, 6000});
  launch({4, 5000});
  launch({3, 6000});
  EXPECT_EQ(judged(GetsARowOf("jobs", 2, 0, kernels())).outcome, criterion_verdict::pass);
  launch({4, 6000});
  const verdict found = judged(GetsARowOf("jobs", 2, 0, kernels()));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("got 4, 6000: no job has these"));
  run.recording().kernels = {{run.recording().operations.at(2).name, {"tiles", "cycles"}}};
  EXPECT_THAT(judged(GetsARowOf("jobs", 2, 0, kernels())).why.observation,
              HasSubstr("got `tiles` = 4, `cycles` = 6000: no job has these"));
}

TEST_F(Arguments, GetsARowOfWantsABlockForEachTile) {
  run.answer().set("jobs", integers{5, 5000});
  launch({5, 5000});
  const verdict found = judged(GetsARowOf("jobs", 2, 0, kernels()));
  EXPECT_EQ(found.why.where, "async_copy.cu:11");
  EXPECT_THAT(found.why.observation, HasSubstr("has 4 blocks, and 5 tiles"));
}

/// Two streams with the names that a contract gives them, three jobs.
class RowsInStreams : public Arguments {
 protected:
  RowsInStreams() {
    run.answer().set("streams", std::int64_t{2});
    run.answer().set("jobs", integers{1, 10, 2, 20, 3, 30});
    run.recording().streams.at(1).name = "streams[0]";
    run.recording().streams.at(2).name = "streams[1]";
  }
  verdict judged_turns() { return judged(RowsTakeTurns("jobs", 2, "streams", kernels())); }
};

TEST_F(RowsInStreams, TakeTurnsInAnyOrderOfIssue) {
  launch({2, 20}, sample_run::lane[1]);
  launch({3, 30}, sample_run::lane[0]);
  launch({1, 10}, sample_run::lane[0]);
  EXPECT_EQ(judged_turns().outcome, criterion_verdict::pass);
}

TEST_F(RowsInStreams, OneInTheStreamOfAnotherIsNamed) {
  launch({1, 10}, sample_run::lane[0]);
  launch({2, 20}, sample_run::lane[0]);
  launch({3, 30}, sample_run::lane[0]);
  const verdict found = judged_turns();
  EXPECT_EQ(found.mistake, "plan_not_followed");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_THAT(found.why.observation, HasSubstr("belongs to job 1, and it is the turn of `streams[1]`"));
}

TEST_F(RowsInStreams, KernelsOfWhichSomeBelongToNoJobAreNotJudged) {
  launch({1, 10}, sample_run::lane[0]);
  launch({2, 21}, sample_run::lane[0]);
  launch({3, 30}, sample_run::lane[0]);
  EXPECT_EQ(judged_turns().outcome, criterion_verdict::pass);
}

TEST_F(RowsInStreams, KernelsInStreamsOfOtherNamesAreNotJudged) {
  run.recording().streams.at(1).name = "";
  launch({1, 10}, sample_run::lane[1]);
  launch({2, 20}, sample_run::lane[0]);
  launch({3, 30}, sample_run::lane[0]);
  EXPECT_EQ(judged_turns().why.where, "async_copy.cu:11");
}

}  // namespace
}  // namespace matchers
