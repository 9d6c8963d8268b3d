#include "runner/installation/measured_profile.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "processes/cannot_do.h"

namespace runner {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

ordered_json h200() { return ordered_json::parse(std::ifstream(STREAMLINGS_H200_PROFILE)); }

/// What streamlings-measure-gpu prints, with round numbers.
std::string measurement() {
  std::string text =
      "# NVIDIA Example\n"
      "compute_capability 8.6 version n=1\n"
      "runtime_version 13000 version n=1\n"
      "multiprocessors 82 count n=1\n"
      "global_memory_mebibytes 24576 MiB n=1\n"
      "h2d.65536.alone 5000 ns n=21\n"
      "trip.h2d_65536.call 1000 ns n=1\n"
      "trip.h2d_65536.done 10000 ns n=1\n"
      "trip.streamSynchronize.return 2000 ns n=1\n"
      "gap.kernel_h2d_kernel.65536 15000 ns n=1\n"
      "h2d.latency 2400 ns n=1\n"
      "h2d.chain_latency 2300 ns n=1\n"
      "host.cudaLaunchKernel 2512.345 ns n=300\n"
      "host.cudaMallocHost 300000 ns n=7\n"
      "math.sinf.latency 80 cycles n=9\n";
  for (const char* copy : {"pageable_h2d", "pageable_d2h"}) {
    text += std::string(copy) + ".async.16777216.call 1000000 ns n=15\n";
    text += std::string(copy) + ".async.67108864.call 4000000 ns n=15\n";
  }
  for (const char* other : {"clock",
                            "threads_per_multiprocessor",
                            "blocks_per_multiprocessor",
                            "threads_per_block",
                            "warp_size",
                            "shared_memory_per_multiprocessor",
                            "shared_memory_per_block",
                            "memory_bandwidth",
                            "copy_engines",
                            "priority_greatest",
                            "block_dispatch.256_threads",
                            "basic_block_throughput",
                            "basic_block_latency",
                            "access_throughput.load_l2",
                            "access_latency.l2",
                            "h2d.large_bandwidth",
                            "d2h.latency",
                            "d2h.large_bandwidth",
                            "d2d.latency",
                            "d2d.large_bandwidth",
                            "duplex_slowdown.16777216",
                            "memset.latency",
                            "memset.large_bandwidth",
                            "pageable_h2d.async.call_fixed",
                            "staging_buffer",
                            "trip.streamSynchronize.launch_latency",
                            "kernel_gap",
                            "event_pair.empty",
                            "gap.kernel_record_untimed_wait_other_stream_kernel",
                            "event_resolution",
                            "host.cudaMallocHost.per_MiB",
                            "gap.kernel_host_function_kernel",
                            "host.cudaMalloc.67108864",
                            "host.cudaMalloc.268435456"}) {
    text += std::string(other) + " 7 unit n=1\n";
  }
  return text;
}

TEST(MeasuredProfile, TakesWhatALineSays) {
  const ordered_json mine = measured_profile(measurement(), h200(), "2026-11-21");
  EXPECT_EQ(mine["name"], "NVIDIA Example");
  EXPECT_EQ(mine["compute_capability"], "8.6");
  EXPECT_EQ(mine["values"]["multiprocessors"]["value"], 82);
  EXPECT_EQ(mine["values"]["multiprocessors"]["source"],
            "measured: NVIDIA Example, CUDA 13.0, 2026-11-21, measure.cu, line multiprocessors");
  EXPECT_EQ(mine["math"]["sinf"]["latency"]["value"], 80);
}

TEST(MeasuredProfile, RoundsToFourDigits) {
  EXPECT_EQ(measured_profile(measurement(), h200(), "2026-11-21")["host_calls"]["cudaLaunchKernel"]["value"],
            2512);
}

TEST(MeasuredProfile, DerivesWhatNoSingleLineSays) {
  const ordered_json values = measured_profile(measurement(), h200(), "2026-11-21")["values"];
  EXPECT_EQ(values["global_memory"]["value"], 24576LL << 20);
  EXPECT_EQ(values["copy_issue_latency"]["value"], 2000);  // 10000 - 1000 - 5000 - 2000
  EXPECT_EQ(values["engine_handover"]["value"], 5000);     // (15000 - 5000) / 2
  EXPECT_DOUBLE_EQ(values["pageable_h2d_bandwidth"]["value"].get<double>(), 16.78);  // 48 MiB in 3 ms
}

TEST(MeasuredProfile, DifferencesAreNeverNegative) {
  EXPECT_EQ(measured_profile(measurement(), h200(), "2026-11-21")["values"]["copy_gap"]["value"], 0);
}

TEST(MeasuredProfile, SaysWhatIsAssumed) {
  const ordered_json mine = measured_profile(measurement(), h200(), "2026-11-21");
  EXPECT_THAT(mine["values"]["work_queues"]["source"].get<std::string>(),
              StartsWith("assumed: as on NVIDIA H200"));
  EXPECT_THAT(mine["host_calls"]["cudaFree"]["source"].get<std::string>(), StartsWith("assumed: "));
}

TEST(MeasuredProfile, CallsThatCostTheSameShareALine) {
  EXPECT_EQ(measured_profile(measurement(), h200(), "2026-11-21")["host_calls"]["cudaHostAlloc"]["value"],
            300000);
}

TEST(MeasuredProfile, AMissingLineIsNamed) {
  try {
    measured_profile("# NVIDIA Example\nruntime_version 13000 version n=1\n", h200(), "2026-11-21");
    FAIL();
  } catch (const processes::cannot_do& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("compute_capability"));
  }
}

}  // namespace
}  // namespace runner
