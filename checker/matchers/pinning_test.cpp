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

}  // namespace
}  // namespace matchers
