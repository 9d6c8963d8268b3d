#include "matchers/pins_at_most.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

// One buffer of 3 MB from line 10 to line 12, and one of 2 MB from line 11 on.
sample_run two_buffers() {
  sample_run run;
  const auto first = run.call("cudaMallocHost", {0, 1}, 10);
  const auto second = run.call("cudaHostRegister", {1, 2}, 11);
  const auto freed = run.call("cudaFreeHost", {2, 3}, 12);
  run.recording().allocations.push_back({.id = 3,
                                         .kind = trace::memory_kind::pinned,
                                         .bytes = 3'000'000,
                                         .allocated_by = first,
                                         .freed_by = freed});
  run.recording().allocations.push_back(
      {.id = 4, .kind = trace::memory_kind::pinned, .bytes = 2'000'000, .allocated_by = second});
  return run;
}

TEST(PinsAtMost, CountsWhatIsPinnedAtTheSameTime) {
  findings_scope scope;
  EXPECT_THAT(two_buffers().learner(), PinsAtMost(5'000'000));
  EXPECT_THAT(scope.notes(), testing::ElementsAre("5.0 MB at most, of 5.0 MB"));
}

TEST(PinsAtMost, NamesTheCallThatWentBeyond) {
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(two_buffers().learner(), PinsAtMost(4'999'999)),
                          "cudaHostRegister (async_copy.cu:11) brought it to 5.0 MB.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:11");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(PinsAtMost, ForgetsWhatWasReleased) {
  sample_run run = two_buffers();
  const auto again = run.call("cudaMallocHost", {3, 4}, 13);
  run.recording().allocations.push_back(
      {.id = 5, .kind = trace::memory_kind::pinned, .bytes = 3'000'000, .allocated_by = again});
  EXPECT_THAT(run.learner(), PinsAtMost(5'000'000));
}

TEST(PinsAtMost, DoesNotCountWhatTheCallerPinned) {
  sample_run run;
  EXPECT_THAT(run.learner(), PinsAtMost(0));
}

}  // namespace
}  // namespace matchers
