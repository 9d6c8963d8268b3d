// The profiles that ship: each loads, and its link is as fast as was published for that GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <set>

#include "device/bench.h"

namespace device {
namespace {

constexpr std::size_t copied_bytes = 16 << 20;

/// Published bandwidths of pinned copies, in GB/s.
struct published_link {
  const char* profile;
  double h2d;
  double d2h;
};

void PrintTo(const published_link& link, std::ostream* out) { *out << link.profile; }

profile shipped(const char* name) {
  return load_profile(std::filesystem::path(DEVICE_TEST_PROFILES) / (std::string(name) + ".json"));
}

double bandwidth(const profile& model, copy_route route) {
  bench gpu(model);
  const trace::operation_id copy = gpu.copy(gpu.stream(), route, copied_bytes);
  gpu.run();
  return static_cast<double>(copied_bytes) / static_cast<double>(gpu.end(copy) - gpu.start(copy));
}

class ShippedProfile : public ::testing::TestWithParam<published_link> {};

TEST_P(ShippedProfile, CopiesAsFastAsPublished) {
  const published_link& link = GetParam();
  const profile model = shipped(link.profile);
  EXPECT_NEAR(bandwidth(model, copy_route::host_to_device), link.h2d, 0.05 * link.h2d);
  EXPECT_NEAR(bandwidth(model, copy_route::device_to_host), link.d2h, 0.05 * link.d2h);
}

const published_link links[] = {
    {"c1060", 6.06, 6.06},      {"c2050", 5.89, 5.89},   {"k20c", 6.45, 6.45},      {"a100", 24.44, 23.80},
    {"gtx1650s", 12.38, 12.71}, {"rtx3090", 25.4, 25.6}, {"rtx4090", 24.90, 25.97}, {"h200", 54.92, 54.96}};

INSTANTIATE_TEST_SUITE_P(Links, ShippedProfile, ::testing::ValuesIn(links),
                         [](const auto& info) { return std::string(info.param.profile); });

TEST(ShippedProfiles, AreTheseOnes) {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(DEVICE_TEST_PROFILES)) {
    if (file.path().extension() == ".json") names.insert(load_profile(file.path()).short_name);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("a100", "c1060", "c2050", "gtx1650s", "h200", "k20c", "rtx3090",
                                            "rtx4090", "teaching"));
}

TEST(ShippedProfiles, OldGpusHaveTheQueuesThatTheyHad) {
  EXPECT_EQ(shipped("c1060").copy_engines, 1);
  EXPECT_EQ(shipped("c1060").resident_grids, 1);
  EXPECT_EQ(shipped("c2050").work_queues, 1);
  EXPECT_TRUE(shipped("c2050").withholds_signals);
  EXPECT_FALSE(shipped("k20c").withholds_signals);
  EXPECT_EQ(shipped("k20c").work_queues, 8);
}

TEST(ShippedProfiles, DevicesWithoutPrioritiesHaveOneLevel) {
  EXPECT_EQ(shipped("c1060").priority_greatest, 0);
  EXPECT_EQ(shipped("c2050").priority_greatest, 0);
  EXPECT_EQ(shipped("gtx1650s").priority_greatest, -2);
}

}  // namespace
}  // namespace device
