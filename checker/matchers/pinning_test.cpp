#include "matchers/pinning.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

TEST(CopiesUsePinnedMemory, PassesWhenAllDo) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.copy_to_host(run.lane[0], {100, 200}, 13);
  EXPECT_EQ(CopiesUsePinnedMemory().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(CopiesUsePinnedMemory, NamesTheFirstThatDoesNot) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const auto pageable = run.copy_to_host(run.lane[0], {100, 350}, 13);
  run.recording().operations.at(pageable - 1).destination = trace::memory_kind::pageable;
  const verdict found = CopiesUsePinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("1 of 2 copies had pageable memory on the host side. The first is the copy D2H 1 of 1.0 MB "
                "to the host in stream 2: from its call to its end it took 250 us, and cudaMemcpyAsync "
                "(async_copy.cu:13) kept the host for 1 us."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(CopiesUsePinnedMemory, NamesTheRegistrationThatEndedBeforeTheCopy) {
  sample_run run;
  const std::string text = "struct guard {\n  ~guard() {\n    cudaHostUnregister(memory);\n  }\n};\n";
  run.source() = {"async_copy.cu", text, ""};
  run.recording().callers = {{{{1, 9}}}};
  const auto registered = run.call("cudaHostRegister", {0, 1}, 8);
  const auto released = run.call("cudaHostUnregister", {1, 2}, 3);
  for (const auto call : {registered, released}) run.recording().calls[call - 1].where.callers = 1;
  run.copy_to_device(run.lane[0], {2, 100}, 12);
  const auto copy = run.copy_to_host(run.lane[0], {100, 350}, 13);
  run.recording().allocations.push_back({.id = 3,
                                         .kind = trace::memory_kind::pinned,
                                         .bytes = sample_run::bytes,
                                         .allocated_by = registered,
                                         .freed_by = released,
                                         .name = "result"});
  run.recording().operations[copy - 1].destination = trace::memory_kind::pageable;
  run.touches(copy, 3, trace::access_mode::write);
  const verdict found = CopiesUsePinnedMemory().match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "`result` was registered by cudaHostRegister (async_copy.cu:8, called from line 9), and unregistered by "
          "cudaHostUnregister (async_copy.cu:3, called from line 9) before that copy was queued. The latter is in a destructor"));
  EXPECT_EQ(found.why.where, "async_copy.cu:3, async_copy.cu:8, async_copy.cu:13");
}

TEST(CopiesUsePinnedMemory, FailsWithCopiesInOneDirectionOnly) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const verdict found = CopiesUsePinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("No copy goes to the host."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(CopiesUsePinnedMemory, NamesManagedMemoryAndWhereItComesFrom) {
  sample_run run;
  const auto made = run.call("cudaMallocManaged", {0, 1}, 8);
  run.recording().allocations.push_back(
      {.id = 3, .kind = trace::memory_kind::managed, .bytes = 100, .allocated_by = made});
  const auto copy = run.copy_to_device(run.lane[0], {0, 100}, 12);
  trace::operation& copied = run.recording().operations.at(copy - 1);
  copied.source = trace::memory_kind::managed;
  copied.accesses = {{.allocation = 3, .bytes = trace::byte_set::range(0, 100)}};
  const verdict found = CopiesUsePinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation,
              HasSubstr("Managed memory is not pinned, and 1 copy uses it. The first is the copy D2D 1"));
  EXPECT_THAT(found.why.observation, HasSubstr("It comes from cudaMallocManaged (async_copy.cu:8)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:8, async_copy.cu:12");
}

TEST(CopiesUsePinnedMemory, FailsWithoutCopies) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  const verdict found = CopiesUsePinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("There were no copies at all."));
}

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
  sample_run run = device_memory(true);
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

TEST(CopiesUsePinnedMemory, IsNotJudgedWhereTheCopiesOfADirectionFailed) {
  sample_run run;
  run.copy_to_host(run.lane[0], {1, 100}, 11);
  const auto refused = run.call("cudaMemcpyAsync", {0, 1}, 10);
  run.recording().calls.at(refused - 1).error_code = 1;
  run.recording().calls.at(refused - 1).error_name = "cudaErrorInvalidValue";
  const verdict found = CopiesUsePinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
  EXPECT_EQ(
      found.note,
      "No copy goes to the device: cudaMemcpyAsync (async_copy.cu:10) failed with cudaErrorInvalidValue.");
}

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

trace::call_id release(sample_run& run, const char* how, int line) {
  return run.recording().allocations.at(pinned - 1).freed_by = run.call(how, {200, 201}, line);
}

TEST(ReleasesPinnedMemory, PassesAfterAWait) {
  sample_run run = pins_and_copies("cudaMallocHost");
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  release(run, "cudaFreeHost", 13);
  EXPECT_EQ(ReleasesPinnedMemory().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(ReleasesPinnedMemory, CountsMemoryThatIsRegisteredAgain) {
  sample_run run = pins_and_copies("cudaHostRegister");
  const trace::call_id again = run.call("cudaHostRegister", {1, 2}, 11);
  run.recording().calls.at(again - 1).allocation = run.recording().allocations.back().id;
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  release(run, "cudaHostUnregister", 13);
  EXPECT_EQ(ReleasesPinnedMemory().match(run.learner()).note, "pinned 2 times, released as often");
}

TEST(ReleasesPinnedMemory, PassesWhenAThreadThatWaitedIsJoined) {
  sample_run run = pins_and_copies("cudaMallocHost");
  const trace::call_id wait = run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  run.recording().calls.back().thread = 2;
  release(run, "cudaFreeHost", 13);
  EXPECT_EQ(ReleasesPinnedMemory().match(run.learner()).mistake, "released_in_use") << "nobody joins it";
  run.recording().host_edges = {
      {.from = 1, .from_after = wait - 1, .to = 2, .to_after = 0, .from_step = 1, .to_step = 2},
      {.from = 2,
       .from_after = wait,
       .to = 1,
       .to_after = wait - 1,
       .from_step = 3,
       .to_step = 4,
       .is_join = true}};
  EXPECT_EQ(ReleasesPinnedMemory().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(ReleasesPinnedMemory, PassesWhenAHostFunctionBehindTheCopyLetTheHostGoOn) {
  sample_run run = pins_and_copies("cudaMallocHost");
  const trace::operation_id told = run.host_function(run.lane[0], {100, 101}, 12);
  run.recording().host_edges.back().to_after = run.recording().operation_at(told).issued_by;
  run.recording().host_edges.back().to_step = 1;
  release(run, "cudaFreeHost", 13);
  EXPECT_EQ(ReleasesPinnedMemory().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(ReleasesPinnedMemory, FailsWhenNothingReleases) {
  sample_run run = pins_and_copies("cudaHostRegister");
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation,
              HasSubstr("cudaHostRegister (async_copy.cu:10) pinned were still pinned"));
  EXPECT_EQ(found.why.where, "async_copy.cu:10");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(ReleasesPinnedMemory, MemoryOfAnEarlierCallIsNotReleasedAlsoWhereThisCallPinsToo) {
  sample_run run;
  run.recording().marks.clear();
  const auto mark = [&](const char* end, exercise::call call) {
    run.recording().marks.push_back(
        {.name = end + exercise::part_name("learner", call),
         .after = static_cast<trace::call_id>(run.recording().calls.size()),
         .after_operation = static_cast<trace::operation_id>(run.recording().operations.size())});
  };
  const auto pins_at = [&](int line) {
    const trace::call_id made = run.call("cudaMallocHost", {0, 1}, line);
    run.recording().allocations.push_back(
        {.id = static_cast<trace::allocation_id>(run.recording().allocations.size() + 1),
         .kind = trace::memory_kind::pinned,
         .bytes = sample_run::bytes,
         .allocated_by = made});
  };
  run.answer(exercise::call::first);
  mark("begin:", exercise::call::first);
  pins_at(9);
  mark("end:", exercise::call::first);
  mark("begin:", exercise::call::repeated);
  pins_at(10);
  run.touches(run.copy_to_host(run.lane[0], {1, 100}, 11), pinned, trace::access_mode::write);
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  run.recording().allocations.back().freed_by = run.call("cudaFreeHost", {200, 201}, 13);
  mark("end:", exercise::call::repeated);
  const verdict found = ReleasesPinnedMemory().match(run.part("learner"));
  EXPECT_EQ(found.why.where, "async_copy.cu:9");
  EXPECT_THAT(found.why.observation, HasSubstr("That was in an earlier call of your function"));
}

TEST(ReleasesPinnedMemory, NamesAReleaseWithTheWrongFunction) {
  sample_run run = pins_and_copies("cudaHostRegister");
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  const auto wrong = run.call("cudaFreeHost", {102, 103}, 13);
  run.recording().calls.at(wrong - 1).error_code = 1;
  run.recording().calls.at(wrong - 1).error_name = "cudaErrorInvalidValue";
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("cudaFreeHost (async_copy.cu:13) returned cudaErrorInvalidValue and released nothing."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(ReleasesPinnedMemory, FailsWhenRegisteredMemoryWasFreedFirst) {
  sample_run run = pins_and_copies("cudaHostRegister");
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  const trace::call_id released = release(run, "cudaHostUnregister", 13);
  run.recording().diagnostics.push_back({trace::diagnostic_kind::freed_while_registered,
                                         "memory was freed while it was registered", released,
                                         run.recording().call_at(released).where});
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "freed_while_registered");
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(ReleasesPinnedMemory, OfARegistrationThatReachesIntoOtherMemoryLeadsToTheRegistration) {
  sample_run run = pins_and_copies("cudaHostRegister");
  const trace::location registration = run.recording().call_at(1).where;
  run.recording().diagnostics.push_back({trace::diagnostic_kind::freed_while_registered,
                                         "cudaHostRegister registered 200 bytes", 1, registration,
                                         registration});
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.mistake, "wrong_argument");
  EXPECT_EQ(found.why.where, run.recording().describe(registration));
}

TEST(CopiesUsePinnedMemory, NamesTheReleaseThatMadeRegistrationsFail) {
  sample_run run = pins_and_copies("cudaHostRegister");
  run.recording().operations.back().destination = trace::memory_kind::pageable;
  const trace::call_id registered = run.recording().operations.back().issued_by;
  run.copy_to_device(run.lane[0], {101, 200}, 12);
  run.recording().diagnostics.push_back({trace::diagnostic_kind::freed_while_registered,
                                         "memory was freed while it was registered",
                                         registered,
                                         {1, 50}});
  const verdict found = CopiesUsePinnedMemory().match(run.learner());
  EXPECT_EQ(found.mistake, "freed_while_registered");
  EXPECT_EQ(found.why.where, "async_copy.cu:50");
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
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
  EXPECT_NE(found.note.find("async_copy.cu:11"), std::string::npos);
}

TEST(ReleasesPinnedMemory, PassesAfterAWaitAlsoWhenTheRecordingDoesNotSayWhatIsUsed) {
  sample_run run = pins_and_copies("cudaMallocHost");
  forget_what_it_touched(run);
  run.call("cudaStreamSynchronize", {2, 101}, 12, run.lane[0]);
  release(run, "cudaFreeHost", 13);
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
}

TEST(ReleasesPinnedMemory, FailsWithoutAWaitBeforeTheRelease) {
  sample_run run = pins_and_copies("cudaMallocHost");
  release(run, "cudaFreeHost", 13);
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("may still be using: the host had not waited for it."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_EQ(found.run, report::run_verdict::race_detected);
}

TEST(ReleasesPinnedMemory, FailsWhenNothingWasPinned) {
  sample_run run;
  const verdict found = ReleasesPinnedMemory().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("It pinned nothing."));
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
