#include "matchers/device_memory.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

/// prepare_pool() and one round, with a call that sets an attribute in each of the lines; 0: none there.
verdict kept_in_the_pool(int line_of_prepare, int line_of_round, std::vector<std::int64_t> thresholds,
                         std::int64_t of_another_pool = 0) {
  sample_run run;
  const auto mark = [&](const std::string& name, int time) {
    run.recording().marks.push_back({.name = name,
                                     .time = std::chrono::microseconds(time),
                                     .after = static_cast<trace::call_id>(run.recording().calls.size())});
  };
  mark("begin:prepare_pool", 0);
  if (line_of_prepare != 0) run.call("cudaMemPoolSetAttribute", {1, 2}, line_of_prepare);
  mark("end:prepare_pool", 3);
  mark("begin:round 1", 4);
  if (line_of_round != 0) run.call("cudaMemPoolSetAttribute", {5, 6}, line_of_round);
  mark("end:round 1", 7);
  run.answer().set("release_threshold", std::move(thresholds));
  run.answer().set("release_threshold.of_another_pool", of_another_pool);
  return KeepsInThePool("release_threshold", 4096).match(run.part("prepare_pool"));
}

TEST(KeepsInThePool, NamesTheLastCallWhereTheThresholdIsTooLow) {
  EXPECT_EQ(kept_in_the_pool(10, 0, {4096, 4096}).outcome, report::criterion_verdict::pass);
  const verdict found = kept_in_the_pool(10, 0, {4095, 4095});
  EXPECT_EQ(found.mistake, "costly_calls");
  EXPECT_EQ(found.why.where, "async_copy.cu:10");
  EXPECT_EQ(
      found.why.observation,
      "Its release threshold is 4095 bytes: what it holds beyond them a synchronization may give back.");
}

TEST(KeepsInThePool, SaysThatTheCallIsAboutAnotherPool) {
  const verdict found = kept_in_the_pool(10, 0, {0, 0}, 1);
  EXPECT_EQ(found.why.where, "async_copy.cu:10");
  EXPECT_THAT(found.why.observation, HasSubstr("sets that of another pool than the one"));
}

TEST(KeepsInThePool, NamesTheCallOfTheRoundThatLowersIt) {
  const verdict found = kept_in_the_pool(10, 20, {4096, 8});
  EXPECT_EQ(found.why.where, "async_copy.cu:20");
  EXPECT_THAT(found.why.observation, HasSubstr("is 8 bytes after round 1"));
  EXPECT_THAT(found.why.observation, HasSubstr("prepare_pool() had left it at 4096."));
}

TEST(KeepsInThePool, NamesACallThatComesOnlyInARound) {
  const verdict found = kept_in_the_pool(0, 20, {0, 4096});
  EXPECT_EQ(found.why.where, "async_copy.cu:20");
  EXPECT_THAT(found.why.observation, HasSubstr("prepare_pool() sets nothing."));
}

TEST(KeepsInThePool, WhereNothingIsSetLeadsToACallThatOnlyTrimsThePool) {
  sample_run run;
  run.recording().marks.push_back({.name = "begin:prepare_pool"});
  run.call("cudaMemPoolTrimTo", {1, 2}, 6);
  run.answer().set("release_threshold", std::vector<std::int64_t>{0});
  run.recording().marks.push_back(
      {.name = "end:prepare_pool", .time = std::chrono::microseconds(3), .after = 1});
  const verdict found = KeepsInThePool("release_threshold", 4096).match(run.part("prepare_pool"));
  EXPECT_EQ(found.why.where, "async_copy.cu:6");
  EXPECT_THAT(found.why.observation,
              HasSubstr("No call sets it. cudaMemPoolTrimTo (async_copy.cu:6) only gives back"));
}

TEST(FreesDeviceMemory, NamesTheCallWhoseMemoryIsLeft) {
  sample_run run;
  const auto left = run.call("cudaMallocAsync", {0, 1}, 11, run.lane[1]);
  run.recording().allocations.push_back(
      {.id = 3, .kind = trace::memory_kind::device, .bytes = 3'000'000, .allocated_by = left});
  const verdict found = FreesDeviceMemory().match(run.learner());
  EXPECT_EQ(found.mistake, "never_released");
  EXPECT_EQ(found.why.where, "async_copy.cu:11");
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("times on this line")));
  trace::allocation second = run.recording().allocations.back();
  ++second.id;
  run.recording().allocations.push_back(second);
  EXPECT_THAT(FreesDeviceMemory().match(run.learner()).why.observation,
              HasSubstr("This happened 2 times on this line."));
  run.recording().allocations.resize(run.recording().allocations.size() - 2);
  EXPECT_EQ(FreesDeviceMemory().match(run.learner()).outcome, report::criterion_verdict::pass);
}

/// A kernel launched at line 12 that writes device memory, and memory of that kind.
sample_run works_in(trace::memory_kind kind, trace::access_mode mode) {
  sample_run run;
  run.recording().allocations.front().kind = kind;
  run.recording().allocations.front().name = "output";
  const auto kernel = run.kernel(run.lane[0], {0, 100}, 12);
  run.touches(kernel, 2, trace::access_mode::write);
  run.touches(kernel, 1, mode);
  return run;
}

TEST(WorkInDeviceMemory, NamesTheLaunchThatReadsOrWritesMemoryOfTheHost) {
  sample_run reads = works_in(trace::memory_kind::pinned, trace::access_mode::read);
  const verdict found = WorkInDeviceMemory(kernels()).match(reads.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "wrong_argument");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_EQ(found.why.observation, "The kernel transform 1 in stream 2 reads `output` (pinned memory).");
  sample_run writes = works_in(trace::memory_kind::pageable, trace::access_mode::write);
  EXPECT_EQ(WorkInDeviceMemory(kernels()).match(writes.learner()).why.observation,
            "The kernel transform 1 in stream 2 writes into `output` (pageable memory).");
}

TEST(WorkInDeviceMemory, PassesWhereKernelsUseMemoryOfTheDevice) {
  for (const auto kind : {trace::memory_kind::device, trace::memory_kind::managed}) {
    sample_run run = works_in(kind, trace::access_mode::write);
    EXPECT_EQ(WorkInDeviceMemory(kernels()).match(run.learner()).outcome, report::criterion_verdict::pass);
  }
  sample_run unknown = works_in(trace::memory_kind::pinned, trace::access_mode::write);
  unknown.recording().operations.front().accesses.reset();
  EXPECT_EQ(WorkInDeviceMemory(kernels()).match(unknown.learner()).outcome, report::criterion_verdict::pass);
}

TEST(AllocatesNoMemory, NamesTheCallThatDoes) {
  sample_run run;
  run.call("cudaMalloc", {0, 1}, 12);
  EXPECT_EQ(AllocatesNoMemory().match(run.learner()).outcome, report::criterion_verdict::pass);
  run.recording().allocations[1].allocated_by = 1;
  const verdict found = AllocatesNoMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "memory_of_its_own");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_EQ(found.why.observation, "cudaMalloc (async_copy.cu:12) made 1.0 MB more.");
}

TEST(AllocatesNoMemory, TellsTheSumOfALoop) {
  sample_run run;
  run.call("cudaMalloc", {0, 1}, 12);
  run.call("cudaMalloc", {1, 2}, 12);
  run.call("cudaMalloc", {2, 3}, 13);
  run.recording().allocations[0].allocated_by = 1;
  run.recording().allocations[1].allocated_by = 2;
  run.recording().allocations.push_back(
      {.id = 3, .kind = trace::memory_kind::device, .bytes = 8, .allocated_by = 3});
  EXPECT_EQ(AllocatesNoMemory().match(run.learner()).why.observation,
            "cudaMalloc (async_copy.cu:12) made 2.0 MB more, in 2 calls.");
}

}  // namespace
}  // namespace matchers
