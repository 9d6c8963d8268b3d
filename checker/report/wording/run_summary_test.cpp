#include "report/wording/run_summary.h"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using report::progress_words;

TEST(RunSummary, ProgressHasTheRateOfBlocksInOneKernel) {
  EXPECT_EQ(progress_words({10s, {2ms, "scale", 500, 4000}}, {5s, {2ms, "scale", 250, 4000}}),
            "10 s: 2 ms simulated; kernel scale: 500 of 4000 blocks, 50 a second");
}

TEST(RunSummary, ProgressHasTheRateOfSimulatedTimeOverSeveralKernels) {
  EXPECT_EQ(progress_words({10s, {3ms, "sum", 1, 10}}, {5s, {2ms, "scale", 250, 4000}}),
            "10 s: 3 ms simulated, 200 us a second; kernel sum: 1 of 10 blocks");
}

TEST(RunSummary, StreamsThatAreNotDoneStandAtTheirFirstOperation) {
  trace::recording recording;
  recording.streams.resize(2);
  recording.operations.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    recording.operations[i].id = static_cast<trace::operation_id>(i + 1);
    recording.operations[i].stream = 2;
    recording.operations[i].name = "scale";
  }
  recording.operations[0].end = 1us;
  EXPECT_EQ(report::where_streams_stood(recording), "Stream 2 stood at the kernel scale 2.");
}

}  // namespace
