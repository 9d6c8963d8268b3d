#include "matchers/launches.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

verdict judged(std::uint32_t blocks, std::uint32_t threads) {
  sample_run run;
  const trace::operation_id kernel = run.kernel(run.lane[0], {0, 10}, 12);
  run.recording().operations.at(kernel - 1).grid = {blocks, 1, 1};
  run.recording().operations.at(kernel - 1).block = {threads, 1, 1};
  return LaunchesBlocksOf(256, kernels()).match(run.learner());
}

TEST(LaunchesBlocksOf, PassesWithTheThreadsThatAreAskedFor) {
  EXPECT_EQ(judged(40, 256).outcome, report::criterion_verdict::pass);
}

TEST(LaunchesBlocksOf, NamesTheLaunchWithBlocksAndThreadsExchanged) {
  const verdict found = judged(256, 40);
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, testing::EndsWith("has blocks of 40 threads, and 256 of them."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(Launches, NamesTheFirstBeyondTheirNumberOrTheLast) {
  sample_run run;
  run.kernel(run.lane[0], {0, 10}, 12);
  run.kernel(run.lane[1], {10, 20}, 13);
  EXPECT_EQ(Launches(2, kernels()).match(run.learner()).outcome, report::criterion_verdict::pass);
  const verdict many = Launches(1, kernels()).match(run.learner());
  EXPECT_EQ(many.mistake, "launches_miscounted");
  EXPECT_EQ(many.why.where, "async_copy.cu:13");
  const verdict few = Launches(3, kernels()).match(run.learner());
  EXPECT_THAT(few.why.observation, testing::StartsWith("It launched 2. The last is "));
  EXPECT_EQ(few.why.where, "async_copy.cu:13");
}

TEST(Launches, OfTooManyNamesTheLineWithoutWhichTheirNumberWouldBeRight) {
  sample_run run;
  for (const int line : {12, 12, 15, 12}) run.kernel(run.lane[0], {0, 10}, line);
  const verdict found = Launches(3, kernels()).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:15");
  EXPECT_THAT(found.why.observation, testing::HasSubstr("Without those of one line there would be 3"));
  // Two such lines: which is too much is not known.
  run.kernel(run.lane[0], {0, 10}, 16);
  EXPECT_EQ(Launches(4, kernels()).match(run.learner()).why.where, "async_copy.cu:16");
}

TEST(Answers, SaysWhatTheFunctionWasAskedAndNamesIt) {
  sample_run run;
  run.answer().set("streams_for.small_jobs", std::int64_t{8});
  EXPECT_EQ(Answers("streams_for.small_jobs", 8, 32).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  const verdict found = Answers("streams_for.small_jobs", 20, 32, "for 40 jobs").match(run.learner());
  EXPECT_EQ(found.why.required, "streams_for() returns a number from 20 to 32 for 40 jobs.");
  EXPECT_EQ(found.why.observation, "It returned 8.");
}

TEST(LaunchesBlocksOf, NamesTheLaunchWithOtherBlocksWhereTheirNumberIsGiven) {
  sample_run run;
  const trace::operation_id kernel = run.kernel(run.lane[0], {0, 10}, 12);
  run.recording().operations.at(kernel - 1).grid = {40, 1, 1};
  run.recording().operations.at(kernel - 1).block = {256, 1, 1};
  EXPECT_EQ(LaunchesBlocksOf(256, kernels(), 40).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  const report::evidence why = LaunchesBlocksOf(256, kernels(), 16).match(run.learner()).why;
  EXPECT_EQ(why.where, "async_copy.cu:12");
  EXPECT_THAT(why.read_next, HasSubstr("how many blocks"));
  EXPECT_THAT(LaunchesBlocksOf(128, kernels()).match(run.learner()).why.read_next,
              HasSubstr("how many threads"));
}

TEST(LaunchesABlockForEach, CountsTheBlocksOfAllLaunches) {
  sample_run run;
  for (const int line : {12, 13}) {
    const trace::operation_id kernel = run.kernel(run.lane[0], {10 * line, 10 * line + 10}, line);
    run.recording().operations.at(kernel - 1).accesses.reset();
    run.recording().operations.at(kernel - 1).grid = {40, 1, 1};
  }
  run.answer().set("tiles", std::int64_t{80});
  EXPECT_EQ(LaunchesABlockForEach("tiles", kernels()).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  run.answer().set("tiles", std::int64_t{81});
  const verdict found = LaunchesABlockForEach("tiles", kernels()).match(run.learner());
  EXPECT_EQ(found.mistake, "room_taken");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(LaunchesABlockForEach, SaysThatABlockTakesSeveralOnlyWhereOneDoes) {
  const auto found_with = [](std::uint64_t bytes_of_each) {
    sample_run run;
    for (const int line : {12, 13}) {
      const trace::operation_id kernel = run.kernel(run.lane[0], {10 * line, 10 * line + 10}, line);
      run.recording().operations.at(kernel - 1).grid = {40, 1, 1};
      run.recording().operations.at(kernel - 1).accesses = {
          {.allocation = 2,
           .mode = trace::access_mode::write,
           .bytes = trace::byte_set::range(0, bytes_of_each)}};
    }
    run.answer().set("tiles", std::int64_t{100});
    return LaunchesABlockForEach("tiles", kernels()).match(run.learner());
  };
  EXPECT_THAT(found_with(sample_run::bytes / 2).why.observation,
              testing::HasSubstr("a block takes several tiles"));
  const verdict found = found_with(sample_run::bytes / 100 * 40);
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      testing::EndsWith("no block takes more than one of the tiles: for 20 of them there is no block."));
}

TEST(LaunchesUpToBlocks, TheLargestLaunchDecides) {
  sample_run run;
  for (const int line : {12, 13}) {
    const trace::operation_id kernel = run.kernel(run.lane[0], {10 * line, 10 * line + 10}, line);
    run.recording().operations.at(kernel - 1).grid = {static_cast<std::uint32_t>(line), 1, 1};
  }
  run.answer().set("tiles", std::int64_t{13});
  EXPECT_EQ(LaunchesUpToBlocks("tiles", kernels()).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  run.answer().set("tiles", std::int64_t{14});
  const verdict found = LaunchesUpToBlocks("tiles", kernels()).match(run.learner());
  EXPECT_EQ(found.mistake, "room_left_empty");
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(LaunchesUpToBlocks, OfOneNumberForAllLaunchesLeadsToWhereItIsChosen) {
  sample_run run;
  run.source() = {"async_copy.cu",
                  "void f(const job_list& work) {\n"
                  "  for (int i = 0; i < work.count; ++i) {\n"
                  "    const int blocks = work.jobs[0].tiles;\n"
                  "    scale<<<blocks, threads, 0, stream>>>(work.jobs[i].tiles);\n"
                  "  }\n"
                  "}\n",
                  ""};
  for (const int tiles : {4, 8, 12}) {
    const trace::operation_id kernel = run.kernel(run.lane[0], {10 * tiles, 10 * tiles + 10}, 4);
    run.recording().operations.at(kernel - 1).grid = {4, 1, 1};
    run.recording().operations.at(kernel - 1).integers = std::vector<std::int64_t>{tiles};
  }
  run.answer().set("tiles", std::int64_t{12});
  const verdict found = LaunchesUpToBlocks("tiles", kernels()).match(run.learner());
  EXPECT_THAT(found.why.observation,
              testing::AllOf(testing::HasSubstr("Each of the 3 launches has 4 blocks, whatever it works on"),
                             testing::HasSubstr("which was given 12."),
                             testing::EndsWith("The number of blocks is chosen at async_copy.cu:3.")));
  EXPECT_EQ(found.why.where, "async_copy.cu:3, async_copy.cu:4");
}

}  // namespace
}  // namespace matchers
