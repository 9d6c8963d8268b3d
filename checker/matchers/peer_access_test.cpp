#include "matchers/peer_access.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <initializer_list>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

/// Of a run with calls that enable access on these devices, one after another from line 11 on.
verdict judged(std::int64_t possible, std::initializer_list<std::uint32_t> devices, int error_code = 0) {
  sample_run run;
  run.answer().set("peer_directions", possible);
  int line = 11;
  for (const std::uint32_t device : devices) {
    const trace::call_id call = run.call("cudaDeviceEnablePeerAccess", {line, line + 1}, line);
    run.recording().calls.at(call - 1).device = device;
    run.recording().calls.at(call - 1).error_code = error_code;
    ++line;
  }
  return EnablesPeerAccess("peer_directions").match(run.learner());
}

TEST(EnablesPeerAccess, PassesWhenBothDevicesHaveIt) {
  EXPECT_EQ(judged(2, {0, 1}).outcome, report::criterion_verdict::pass);
}

TEST(EnablesPeerAccess, PassesWithoutACallWhereItIsNotPossible) {
  EXPECT_EQ(judged(0, {}).outcome, report::criterion_verdict::pass);
}

TEST(EnablesPeerAccess, NamesTheLastCallWhenOneDirectionIsMissing) {
  const verdict found = judged(2, {1, 1});
  EXPECT_EQ(found.mistake, "access_not_enabled");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_THAT(found.why.observation, testing::StartsWith("Access was enabled on device 1 only."));
}

TEST(EnablesPeerAccess, DoesNotCountWhatIsDisabledAgain) {
  sample_run run;
  run.answer().set("peer_directions", std::int64_t{1});
  run.call("cudaDeviceEnablePeerAccess", {10, 11}, 11);
  run.call("cudaDeviceDisablePeerAccess", {12, 13}, 12);
  EXPECT_EQ(EnablesPeerAccess("peer_directions").match(run.learner()).why.where, "async_copy.cu:12");
}

TEST(EnablesPeerAccess, DoesNotCountCallsThatFailed) {
  EXPECT_EQ(judged(2, {0, 1}, 217).outcome, report::criterion_verdict::fail);
}

}  // namespace
}  // namespace matchers
