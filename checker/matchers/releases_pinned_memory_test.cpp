#include "matchers/releases_pinned_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

constexpr trace::allocation_id pinned = 3;

// Pins at line 10; a copy at line 11 writes the memory.
sample_run pins_and_copies(const char* how) {
  sample_run run;
  const auto made = run.call(how, {0, 1}, 10);
  run.recording().allocations.push_back(
      {.id = pinned, .kind = trace::memory_kind::pinned, .bytes = sample_run::bytes, .allocated_by = made});
  run.touches(run.copy_to_host(run.lane[0], {1, 100}, 11), pinned, trace::access_mode::write);
  return run;
}

void release(sample_run& run, const char* how, int line) {
  run.recording().allocations.at(pinned - 1).freed_by = run.call(how, {200, 201}, line);
}

TEST(ReleasesPinnedMemory, PassesAfterAWait) {
  sample_run run = pins_and_copies("cudaMallocHost");
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  release(run, "cudaFreeHost", 13);
  EXPECT_THAT(run.learner(), ReleasesPinnedMemory());
}

TEST(ReleasesPinnedMemory, FailsWhenNothingReleases) {
  sample_run run = pins_and_copies("cudaHostRegister");
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), ReleasesPinnedMemory()),
                          "cudaHostRegister (async_copy.cu:10) pinned were still pinned");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:10");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(ReleasesPinnedMemory, NamesAReleaseWithTheWrongFunction) {
  sample_run run = pins_and_copies("cudaHostRegister");
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  const auto wrong = run.call("cudaFreeHost", {102, 103}, 13);
  run.recording().calls.at(wrong - 1).error_code = 1;
  run.recording().calls.at(wrong - 1).error_name = "cudaErrorInvalidValue";
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), ReleasesPinnedMemory()),
      "cudaFreeHost (async_copy.cu:13) returned cudaErrorInvalidValue and released nothing.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:13");
}

// As on a real GPU.
void forget_what_it_touched(sample_run& run) {
  trace::operation& copy = run.recording().operations.back();
  copy.accesses.reset();
  copy.destination = trace::memory_kind::pinned;
}

TEST(ReleasesPinnedMemory, DoesNotTellWithoutAWaitWhenTheRecordingDoesNotSayWhatIsUsed) {
  sample_run run = pins_and_copies("cudaMallocHost");
  forget_what_it_touched(run);
  release(run, "cudaFreeHost", 13);
  findings_scope scope;
  EXPECT_THAT(run.learner(), ReleasesPinnedMemory());
  ASSERT_EQ(scope.not_observable().size(), 1u);
  EXPECT_NE(scope.not_observable().front().find("async_copy.cu:11"), std::string::npos);
}

TEST(ReleasesPinnedMemory, PassesAfterAWaitAlsoWhenTheRecordingDoesNotSayWhatIsUsed) {
  sample_run run = pins_and_copies("cudaMallocHost");
  forget_what_it_touched(run);
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  release(run, "cudaFreeHost", 13);
  findings_scope scope;
  EXPECT_THAT(run.learner(), ReleasesPinnedMemory());
  EXPECT_TRUE(scope.not_observable().empty());
}

TEST(ReleasesPinnedMemory, FailsWithoutAWaitBeforeTheRelease) {
  sample_run run = pins_and_copies("cudaMallocHost");
  release(run, "cudaFreeHost", 13);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), ReleasesPinnedMemory()),
                          "may still be using: the host had not waited for it.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:13");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::race_detected);
}

TEST(ReleasesPinnedMemory, FailsWhenNothingWasPinned) {
  sample_run run;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), ReleasesPinnedMemory()), "It pinned nothing.");
}

}  // namespace
}  // namespace matchers
