#include "matchers/held_bytes.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

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

TEST(PinsOnce, AddsUpWhatIsPinnedAlsoAfterItsRelease) {
  EXPECT_EQ(PinsOnce(5'000'000).match(two_buffers().learner()).outcome, report::criterion_verdict::pass);
  const verdict found = PinsOnce(4'000'000).match(two_buffers().learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "pinned_again");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("cudaHostRegister (async_copy.cu:11) is call 2 that pins, and brings the sum to 5.0 MB"));
  EXPECT_EQ(found.why.where, "async_copy.cu:11");
}

TEST(PinsOnce, MemoryThatIsRegisteredAgainCountsAgain) {
  sample_run run = two_buffers();
  const trace::call_id again = run.call("cudaHostRegister", {3, 4}, 13);
  run.recording().calls.at(again - 1).allocation = 4;
  run.recording().allocations.back().id = 4;
  while (run.recording().allocations.size() < 4)
    run.recording().allocations.insert(run.recording().allocations.begin(), trace::allocation{});
  const verdict found = PinsOnce(6'000'000).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("cudaHostRegister (async_copy.cu:13) is call 3 that pins, and brings the sum to 7.0 MB"));
}

TEST(PinsAtMost, CountsWhatIsPinnedAtTheSameTime) {
  const verdict found = PinsAtMost(5'000'000).match(two_buffers().learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "at most 5.0 MB at a time, allowed 5.0 MB");
}

TEST(PinsAtMost, NamesTheCallThatWentBeyond) {
  const verdict found = PinsAtMost(4'999'999).match(two_buffers().learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "cudaHostRegister (async_copy.cu:11) brought it to 5.0 MB: 1 byte more than that. That is 3.0 MB "
          "of cudaMallocHost (async_copy.cu:10), and 2.0 MB of cudaHostRegister (async_copy.cu:11)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:10, async_copy.cu:11, async_copy.cu:12");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(PinsAtMost, BeginsWithWhatNoOperationUsesWhereTheRestWouldStayInTheBudget) {
  sample_run run = two_buffers();
  run.recording().allocations.at(2).freed_by = 0;
  run.recording().host_accesses.emplace();
  const trace::operation_id first = run.copy_to_device(run.lane[0], {4, 5}, 20);
  const trace::operation_id second = run.copy_to_device(run.lane[0], {5, 6}, 21);
  run.touches(first, 3, trace::access_mode::read);  // the first megabyte
  run.touches(second, 4, trace::access_mode::read);
  run.recording().operations.back().accesses->back().bytes = trace::byte_set::range(0, 2'000'000);
  const verdict found = PinsAtMost(3'500'000).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      testing::StartsWith("Of the 3.0 MB of cudaMallocHost (async_copy.cu:10) no copy or kernel uses more "
                          "than the first 1.0 MB. cudaHostRegister"));
  EXPECT_EQ(found.why.where.substr(0, found.why.where.find(',')), "async_copy.cu:10");
  EXPECT_THAT(PinsAtMost(2'500'000).match(run.learner()).why.observation,
              testing::Not(HasSubstr("no copy or kernel")));
}

TEST(PinsAtMost, ForgetsWhatWasReleased) {
  sample_run run = two_buffers();
  const auto again = run.call("cudaMallocHost", {3, 4}, 13);
  run.recording().allocations.push_back(
      {.id = 5, .kind = trace::memory_kind::pinned, .bytes = 3'000'000, .allocated_by = again});
  EXPECT_EQ(PinsAtMost(5'000'000).match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(PinsAtMost, DoesNotCountWhatTheCallerPinned) {
  sample_run run;
  EXPECT_EQ(PinsAtMost(0).match(run.learner()).outcome, report::criterion_verdict::pass);
}

// Two megabytes at line 10 and three at line 11; the first are freed at line 12, `first_is_freed_before_second` between them.
sample_run device_memory(bool first_is_freed_before_second) {
  sample_run run;
  const auto first = run.call("cudaMallocAsync", {0, 1}, 10, run.lane[0]);
  const auto early = run.call("cudaFreeAsync", {1, 2}, 12, run.lane[0]);
  const auto second = run.call("cudaMallocAsync", {2, 3}, 11, run.lane[1]);
  const auto late = run.call("cudaFreeAsync", {3, 4}, 12, run.lane[0]);
  run.recording().allocations.push_back({.id = 3,
                                         .kind = trace::memory_kind::device,
                                         .bytes = 2'000'000,
                                         .allocated_by = first,
                                         .freed_by = first_is_freed_before_second ? early : late});
  run.recording().allocations.push_back(
      {.id = 4, .kind = trace::memory_kind::device, .bytes = 3'000'000, .allocated_by = second});
  return run;
}

TEST(HoldsDeviceMemoryAtMost, CountsFromTheAllocationToTheRelease) {
  EXPECT_EQ(HoldsDeviceMemoryAtMost(3'000'000).match(device_memory(true).learner()).outcome,
            report::criterion_verdict::pass);
  const verdict found = HoldsDeviceMemoryAtMost(3'000'000).match(device_memory(false).learner());
  EXPECT_EQ(found.mistake, "held_too_much");
  EXPECT_EQ(found.why.where, "async_copy.cu:11, async_copy.cu:10, async_copy.cu:12");
  EXPECT_EQ(
      found.why.observation,
      "cudaMallocAsync (async_copy.cu:11) brought it to 5.0 MB. That is 3.0 MB of cudaMallocAsync (async_copy.cu:11), and "
      "2.0 MB of cudaMallocAsync (async_copy.cu:10). One allocation of cudaMallocAsync "
      "(async_copy.cu:10) was not yet released then: cudaFreeAsync (async_copy.cu:12) comes later.");
}

TEST(HoldsDeviceMemoryAtMost, CountsWhatOneLineAllocatedAndAnotherReleasesLater) {
  sample_run run;
  std::vector<trace::call_id> allocated;
  for (int i = 0; i < 3; ++i) allocated.push_back(run.call("cudaMallocAsync", {i, i + 1}, 18, run.lane[0]));
  for (const trace::call_id call : allocated) {
    const auto freed = run.call("cudaFreeAsync", {4, 5}, 31, run.lane[0]);
    run.recording().allocations.push_back({.id = 2 + call,
                                           .kind = trace::memory_kind::device,
                                           .bytes = 1'000'000,
                                           .allocated_by = call,
                                           .freed_by = freed});
  }
  const verdict found = HoldsDeviceMemoryAtMost(2'000'000).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("brought it to 3.0 MB. 2 allocations of cudaMallocAsync (async_copy.cu:18) were not yet "
                "released then: cudaFreeAsync (async_copy.cu:31) comes later."));
  EXPECT_EQ(found.why.where, "async_copy.cu:18, async_copy.cu:31");
}

}  // namespace
}  // namespace matchers
