#include "report/figures.h"

#include <gtest/gtest.h>

#include "report/sample_runs.h"

namespace report {
namespace {

TEST(FiguresOfARun, CompareTheRunWithTheSumOfItsOperations) {
  sample_run run;
  const trace::stream_id first = run.stream();
  const trace::stream_id second = run.stream();
  run.mark("begin:learner", 0);
  run.copy_to_device(first, 0, 0, 100);
  run.kernel("a", first, 2, 100, 300);
  run.kernel("b", second, 4, 200, 400);
  run.mark("end:learner", 400);

  const figures found = figures_of(analysis::part_of(run.recording, "learner"));

  EXPECT_DOUBLE_EQ(found.at("took_ms"), 0.4);
  EXPECT_DOUBLE_EQ(found.at("streams"), 2);
  EXPECT_DOUBLE_EQ(found.at("serial_percent"), 80);
  EXPECT_DOUBLE_EQ(found.at("kernel_lengths"), 1.5);
  EXPECT_NEAR(found.at("kernels_at_once"), 4.0 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(found.at("kernels_busy_percent"), 100);
}

TEST(FiguresOfARun, LeaveOutWhatARunWithoutKernelsCannotHave) {
  sample_run run;
  const trace::stream_id stream = run.stream();
  run.mark("begin:learner", 0);
  run.copy_to_device(stream, 0, 0, 100);
  run.mark("end:learner", 100);

  const figures found = figures_of(analysis::part_of(run.recording, "learner"));

  EXPECT_EQ(found.count("kernel_lengths"), 0u);
  EXPECT_DOUBLE_EQ(found.at("serial_percent"), 100);
}

TEST(FiguresOfARun, CountPinnedBuffersOfThePartAlone) {
  sample_run run;
  run.call("cudaMallocHost", 0, 1);
  run.mark("begin:learner", 10);
  run.call("cudaHostRegister", 11, 12);
  run.mark("end:learner", 20);
  for (const trace::call_id call : {1u, 2u}) {
    run.recording.allocations.push_back(
        {.id = call, .kind = trace::memory_kind::pinned, .bytes = 64, .allocated_by = call});
  }

  EXPECT_DOUBLE_EQ(figures_of(analysis::part_of(run.recording, "learner")).at("pinned_buffers"), 1);
}

}  // namespace
}  // namespace report
