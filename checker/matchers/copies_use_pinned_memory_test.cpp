#include "matchers/copies_use_pinned_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(CopiesUsePinnedMemory, PassesWhenAllDo) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.copy_to_host(run.lane[0], {100, 200}, 13);
  EXPECT_THAT(run.learner(), CopiesUsePinnedMemory());
}

TEST(CopiesUsePinnedMemory, NamesTheFirstThatDoesNot) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const auto pageable = run.copy_to_host(run.lane[0], {100, 350}, 13);
  run.recording().operations.at(pageable - 1).destination = trace::memory_kind::pageable;
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), CopiesUsePinnedMemory()),
      "1 of 2 copies had pageable memory on the host side. The first is the copy D2H 1 of 1.0 MB "
      "to the host in stream 2: from its call to its end it took 250 us, and cudaMemcpyAsync "
      "(async_copy.cu:13) kept the host for 1 us.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:13");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(CopiesUsePinnedMemory, FailsWithoutCopies) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), CopiesUsePinnedMemory()),
                          "There were no copies at all.");
}

}  // namespace
}  // namespace matchers
