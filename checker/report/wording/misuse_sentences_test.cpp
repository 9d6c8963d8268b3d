#include "report/wording/misuse_sentences.h"

#include <gmock/gmock.h>

#include "analysis/misuse.h"
#include "report/wording/names.h"
#include "trace/call_promise.h"
#include "trace/recording_builder.h"

// Each rule is a program that breaks it and one that keeps it.

namespace report {
namespace {

using analysis::misuse;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::answer;
using trace::memory;
using trace::memory_kind;
using trace::recording_builder;
using trace::writes;

std::vector<misuse> misuse_in(const trace::recording& recording) {
  return analysis::find_misuse(analysis::part_of(recording, ""), analysis::ordering(recording));
}

/// The rules that are broken, leaks left out: most of these programs give nothing back.
std::string rules_broken_in(const trace::recording& recording) {
  std::string text;
  for (const misuse& misuse : misuse_in(recording)) {
    const std::string rule(rule_of(recording, misuse));
    if (!rule.ends_with("_leak")) text += rule + " ";
  }
  return text;
}

std::string rules_when_freed(bool waits) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate(memory_kind::device, 64);
  program.launch("scale", stream, {writes(buffer)});
  if (waits) program.synchronize_stream(stream);
  program.free(buffer);
  return rules_broken_in(program.recording());
}

TEST(Misuse, FreeingMemoryThatAnOperationMayStillUse) {
  EXPECT_EQ(rules_when_freed(false), "freed_while_in_use ");
}
TEST(Misuse, FreeingWhatABlockingCopyOfPageableMemoryStillWrites) {
  recording_builder program;
  const memory buffer = program.allocate(memory_kind::device, 64),
               source = program.allocate(memory_kind::pageable, 64);
  program.at_line(6).copy(source, buffer, program.legacy_stream(), trace::waiting::synchronous);
  program.at_line(9).free(buffer);
  const trace::recording recording = program.recording();
  EXPECT_THAT(
      misuse_sentences(recording, misuse_in(recording).front()),
      HasSubstr(
          "may still use it. The source is pageable, so cudaMemcpy returns when it has been staged, and the "
          "transfer to the device may not be over; from pinned memory (cudaMallocHost) the call waits for that "
          "too. cudaFree may wait for the device, but"));
}
TEST(Misuse, AFailedAssertionHasATitleOfItsOwn) {
  const auto title_for = [](trace::diagnostic_kind kind) {
    trace::recording recording = recording_builder().recording();
    recording.diagnostics.push_back({kind, "kernel k: thread (3,0,0): something", 0, {}});
    return title_of(recording, misuse_in(recording).front());
  };
  EXPECT_EQ(title_for(trace::diagnostic_kind::assertion), "An assertion of a kernel failed");
  EXPECT_EQ(title_for(trace::diagnostic_kind::out_of_bounds), "The program does what CUDA does not allow");
}
TEST(Misuse, OfAReleaseInAnotherStreamThanTheUseTheMissingWaitIsTold) {
  const auto text = [](bool is_same_stream) {
    recording_builder program;
    const auto one = program.create_stream(trace::stream_blocking::non_blocking);
    const auto two = program.create_stream(trace::stream_blocking::non_blocking);
    const memory buffer = program.allocate_from_pool(one, 4096);
    program.launch("scale", two, {trace::reads(buffer)});
    program.free_to_pool(buffer, is_same_stream ? two : one);
    trace::recording recording = program.recording();
    const trace::host_call& release = recording.calls.back();
    recording.diagnostics.push_back({trace::diagnostic_kind::use_after_free,
                                     "kernel scale: a thread read 4 bytes of memory that was freed",
                                     release.id - 1, recording.call_at(release.id - 1).where, release.where});
    for (const misuse& found : misuse_in(recording)) {
      if (found.kind == analysis::misuse_kind::reported_by_backend) return misuse_sentences(recording, found);
    }
    return std::string();
  };
  EXPECT_THAT(
      text(false),
      HasSubstr(
          "It was queued later, but stream 2 does not wait for stream 3: record an event behind the last use"));
  EXPECT_THAT(text(true), AllOf(HasSubstr("that was freed"), Not(HasSubstr("does not wait"))));
}

TEST(Misuse, OfMemoryThatSeveralStreamsMayStillUseAllAreNamed) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const memory buffer = program.allocate(memory_kind::device, 64);
  program.launch("scale", one, {reads(buffer)});
  program.launch("scale", two, {reads(buffer)});
  program.free(buffer);
  const trace::recording recording = program.recording();
  const std::string text = misuse_sentences(recording, misuse_in(recording).front());
  EXPECT_THAT(text,
              HasSubstr("scale 2 in stream 3 (program.cu:5), and work in other streams, may still use it"));
  EXPECT_THAT(text, HasSubstr("wait for each of stream 2 and stream 3 first (cudaStreamSynchronize)"));
}

TEST(Misuse, FreeingMemoryAfterItsLastUse) { EXPECT_EQ(rules_when_freed(true), ""); }

TEST(Misuse, MemoryOfAPoolIsFreedAtOnceWhereNoStreamOrdersIt) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate_from_pool(stream, 64);
  program.launch("scale", stream, {writes(buffer)});
  program.free(buffer);
  const trace::recording recording = program.recording();
  EXPECT_EQ(rules_broken_in(recording), "freed_while_in_use ");
  EXPECT_FALSE(trace::waits_for_idle_device(recording, recording.calls.back()));
  EXPECT_THAT(misuse_sentences(recording, misuse_in(recording).at(0)),
              HasSubstr("is freed at once by that call: use cudaFreeAsync"));
}

TEST(Misuse, GraphsThatAreNeverDestroyedAreToldOnceALine) {
  recording_builder program;
  program.create_stream();
  trace::recording recording = program.recording();
  const trace::call_id made_by = recording.calls.back().id;
  for (int i = 0; i < 2; ++i) {
    recording.diagnostics.push_back({trace::diagnostic_kind::graph_leak,
                                     "a graph that is never released: call cudaGraphDestroy",
                                     made_by,
                                     {}});
  }
  const std::vector<misuse> found = misuse_in(recording);
  ASSERT_EQ(found.size(), 2u) << "the stream, and the graphs";
  EXPECT_EQ(title_of(recording, found.at(1)), "A graph is never destroyed");
  EXPECT_THAT(
      misuse_sentences(recording, found.at(1)),
      HasSubstr("created a graph that is never released: call cudaGraphDestroy. This happened 2 times"));
}

std::string rules_of_wait(bool is_ever_recorded) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto event = program.create_event();
  program.wait(stream, event);
  if (is_ever_recorded) program.record(event, stream);
  return rules_broken_in(program.recording());
}

TEST(ReasonOfRefusal, ErrorsOfACaptureSayWhatTheyMean) {
  recording_builder program;
  program.call_of(trace::api_function::cudaStreamEndCapture);
  program.fail_last_call(904);
  program.call_of(trace::api_function::cudaMalloc);
  program.fail_last_call(2);
  EXPECT_THAT(reason_of_refusal(program.recording(), 1), HasSubstr("was not joined"));
  EXPECT_EQ(reason_of_refusal(program.recording(), 2), "");
}

TEST(ReasonOfRefusal, OfAccessToAPeerTheQuestionIsNamed) {
  recording_builder program;
  program.at_line(9).call_of(trace::api_function::cudaDeviceCanAccessPeer);
  program.at_line(11).call_of(trace::api_function::cudaDeviceEnablePeerAccess);
  trace::recording recording = program.recording();
  recording.diagnostics.push_back(
      {trace::diagnostic_kind::refused, "no access", 2, {}, recording.calls.at(0).where});
  EXPECT_THAT(
      reason_of_refusal(recording, 2),
      HasSubstr("No access. cudaDeviceCanAccessPeer (program.cu:9) was asked: its answer is the number"));
}

/// A capture in three streams, of which the first waits for an event of the second, and for nothing of the third.
struct unjoined_capture : testing::Test {
  recording_builder program;
  trace::stream_id origin = program.create_stream(), joined = program.create_stream(),
                   left = program.create_stream();

  /// `is_recorded_early`: more is queued behind that record.
  std::string reason(bool is_recorded_early) {
    const auto event = program.create_event();
    program.call_of(trace::api_function::cudaStreamBeginCapture);
    const std::size_t begin = program.recording().calls.size() - 1;
    program.record(event, origin);
    program.wait(joined, event);
    program.wait(left, event);
    program.at_line(8).launch("last", left);
    program.launch("other", joined);
    program.at_line(9).record(event, joined);
    if (is_recorded_early) program.at_line(10).launch("later", joined);
    program.at_line(11).wait(origin, event);
    program.call_of(trace::api_function::cudaStreamEndCapture);
    program.fail_last_call(904);
    trace::recording recording = program.recording();
    recording.calls.at(begin).stream = origin;
    recording.calls.back().stream = origin;
    return reason_of_refusal(recording, recording.calls.back().id);
  }
};

TEST_F(unjoined_capture, TheStreamIsNamedAndForWhatTheFirstOneWaits) {
  const std::string found = reason(false);
  EXPECT_THAT(found, HasSubstr("tream 4 took part in the capture and was not joined"));
  EXPECT_THAT(
      found,
      HasSubstr(
          "waits, that of cudaStreamWaitEvent (program.cu:11), was recorded in stream 3: cudaEventRecord"));
  EXPECT_THAT(found, Not(HasSubstr("It stands for")));
}

TEST_F(unjoined_capture, AllStreamsAreNamedAndARecordBehindWhichMoreIsQueued) {
  const std::string found = reason(true);
  EXPECT_THAT(found, HasSubstr("tream 3 and stream 4 took part in the capture and were not joined"));
  EXPECT_THAT(found,
              HasSubstr("It stands for what was queued there before that, and not for what came after."));
}

TEST(Misuse, WaitForAnEventThatIsNeverRecorded) { EXPECT_EQ(rules_of_wait(false), "unrecorded_event "); }
TEST(Misuse, FirstRoundOfALoopMayWaitForAnEventThatIsRecordedLater) { EXPECT_EQ(rules_of_wait(true), ""); }

enum class asks { never, at_once, later };

std::string rules_of_failed_launch(asks when) {
  recording_builder program;
  program.call_of(trace::api_function::cudaLaunchKernel);
  program.fail_last_call_unused(1);
  if (when == asks::at_once) program.call_of(trace::api_function::cudaGetLastError);
  program.synchronize_device();
  if (when == asks::later) program.call_of(trace::api_function::cudaGetLastError);
  return rules_broken_in(program.recording());
}

TEST(Misuse, LaunchThatFailedUnseen) { EXPECT_EQ(rules_of_failed_launch(asks::never), "unchecked_error "); }
TEST(Misuse, LaunchWhoseErrorIsAskedFor) {
  EXPECT_EQ(rules_of_failed_launch(asks::at_once), "");
  EXPECT_EQ(rules_of_failed_launch(asks::later), "");
}

enum class result_of_call { taken, unused };

std::string rules_of_failed_allocation(result_of_call result) {
  recording_builder program;
  program.call_of(trace::api_function::cudaMalloc);
  if (result == result_of_call::unused) {
    program.fail_last_call_unused(2);
  } else {
    program.fail_last_call(2);
  }
  program.synchronize_device();
  return rules_broken_in(program.recording());
}

TEST(Misuse, CallWhoseErrorNothingTakes) {
  EXPECT_EQ(rules_of_failed_allocation(result_of_call::unused), "unchecked_error ");
  EXPECT_EQ(rules_of_failed_allocation(result_of_call::taken), "");
}
TEST(Misuse, CallWhoseErrorNothingTakesIsTheLast) {
  recording_builder program;
  program.at_line(10).call_of(trace::api_function::cudaMemcpy);
  program.fail_last_call_unused(1);
  program.at_line(11).call_of(trace::api_function::cudaFree);
  EXPECT_THAT(misuse_sentences(program.recording(), misuse_in(program.recording()).at(0)),
              HasSubstr("The program never checks the error"));
}
TEST(Misuse, TheProgramWentOnWithTheNextCallAlsoWhereThatFailedToo) {
  for (const auto next : {trace::api_function::cudaGraphDestroy, trace::api_function::cudaGraphLaunch}) {
    recording_builder program;
    program.at_line(10).call_of(trace::api_function::cudaGraphInstantiate);
    program.fail_last_call_unused(1);
    program.at_line(11).call_of(next);
    program.fail_last_call_unused(1);
    program.at_line(12).synchronize_device();
    EXPECT_THAT(misuse_sentences(program.recording(), misuse_in(program.recording()).at(0)),
                HasSubstr("(program.cu:11) as if the call had succeeded"));
  }
}

TEST(Misuse, AReleaseThatReturnsTheErrorOfAnEarlierKernelIsNoMistake) {
  recording_builder program;
  program.call_of(trace::api_function::cudaFree);
  program.fail_last_call(701);  // cudaErrorLaunchOutOfResources
  EXPECT_EQ(rules_broken_in(program.recording()), "");
}

TEST(Misuse, MemoryThatCannotBeFreedIsAMistakeThoughTheProgramEnds) {
  recording_builder program;
  program.call_of(trace::api_function::cudaFree);
  program.fail_last_call(1);
  EXPECT_EQ(rules_broken_in(program.recording()), "failed_release ");
}

std::string rules_of_query(int error) {
  recording_builder program;
  program.call_of(trace::api_function::cudaStreamQuery);
  program.fail_last_call_unused(error);
  program.synchronize_device();
  return rules_broken_in(program.recording());
}

TEST(Misuse, NotReadyIsNoFailure) {
  EXPECT_EQ(rules_of_query(trace::not_ready), "");
  EXPECT_EQ(rules_of_query(1), "unchecked_error ");
}

std::string rules_of_last_use(bool before_destruction) {
  recording_builder program;
  const auto stream = program.create_stream();
  if (!before_destruction) program.destroy_stream(stream);
  program.synchronize_stream(stream);
  if (!before_destruction) program.fail_last_call(400);
  if (before_destruction) program.destroy_stream(stream);
  return rules_broken_in(program.recording());
}

TEST(Misuse, StreamUsedAfterItsDestruction) {
  EXPECT_EQ(rules_of_last_use(false), "used_after_destruction ");
}
TEST(Misuse, StreamDestroyedAfterItsLastUse) { EXPECT_EQ(rules_of_last_use(true), ""); }

std::string rules_of_elapsed_time(int error) {
  recording_builder program;
  program.call_of(trace::api_function::cudaEventElapsedTime);
  if (error != 0) program.fail_last_call(error);
  return rules_broken_in(program.recording());
}

TEST(Misuse, TimeBetweenEventsThatAreNotReady) {
  EXPECT_EQ(rules_of_elapsed_time(trace::not_ready), "no_time_between_events ");
  EXPECT_EQ(rules_of_elapsed_time(0), "");
}

TEST(Misuse, WhatIsNotGivenBackIsALeakOnceALine) {
  recording_builder program;
  for (int i = 0; i < 3; ++i) program.at_line(12).create_stream();
  program.at_line(14).create_event();
  const memory kept = program.at_line(15).allocate(memory_kind::pinned, 64);
  program.free(program.at_line(16).allocate(memory_kind::device, 64));
  const auto found = misuse_in(program.recording());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(misuse_sentences(program.recording(), found[0]),
            "cudaStreamCreateWithFlags (program.cu:12) created a stream 3 times that is never released: call "
            "cudaStreamDestroy for each.");
  EXPECT_EQ(rule_of(program.recording(), found[1]), "event_leak");
  EXPECT_EQ(found[2].allocation, kept.allocation);
}

/// The first allocation of the recording becomes memory that was only registered.
trace::recording with_registered_memory(const recording_builder& program) {
  trace::recording recording = program.recording();
  recording.calls.at(recording.allocations.front().allocated_by - 1).function =
      trace::api_function::cudaHostRegister;
  return recording;
}

TEST(Misuse, WhatIsRegisteredIsNeverUnregistered) {
  recording_builder program;
  program.at_line(12).allocate(memory_kind::pinned, 64);
  const trace::recording recording = with_registered_memory(program);
  const auto found = misuse_in(recording);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(title_of(recording, found[0]), "Memory is never unregistered");
  EXPECT_THAT(misuse_sentences(recording, found[0]), HasSubstr("call cudaHostUnregister."));
}

TEST(Misuse, LeaksOfALineNameEachFunctionWithItsCure) {
  recording_builder program;
  program.at_line(12).allocate(memory_kind::device, 64);
  program.at_line(12).allocate(memory_kind::pinned, 64);
  const auto found = misuse_in(program.recording());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(misuse_sentences(program.recording(), found[0]), HasSubstr("never freed: call cudaFree."));
  EXPECT_THAT(misuse_sentences(program.recording(), found[1]), HasSubstr("never freed: call cudaFreeHost."));
}

TEST(Misuse, CallThatFailedHasMadeNothing) {
  recording_builder program;
  program.allocate(memory_kind::device, 64);
  program.fail_last_call(700);
  EXPECT_TRUE(misuse_in(program.recording()).empty());
}

TEST(Misuse, RegisteredMemoryIsNotSaidToBeCreated) {
  recording_builder program;
  program.at_line(15).allocate(memory_kind::pinned, 64);
  const trace::recording recording = with_registered_memory(program);
  EXPECT_EQ(misuse_sentences(recording, misuse_in(recording).at(0)),
            "cudaHostRegister (program.cu:15) registered memory that is never unregistered: call "
            "cudaHostUnregister.");
}

TEST(ReasonOfRefusal, MemoryIsRegisteredOrAllocatedSomewhere) {
  recording_builder program;
  program.at_line(15).allocate(memory_kind::pinned, 64);
  program.call_of(trace::api_function::cudaMemcpyAsync);
  const auto reason_in = [](trace::recording recording, const char* message = "too short") {
    recording.diagnostics.push_back(
        {trace::diagnostic_kind::refused, message, 2, {}, recording.calls.at(0).where});
    return reason_of_refusal(recording, 2);
  };
  EXPECT_EQ(reason_in(program.recording()), "Too short. The memory was allocated at program.cu:15.");
  EXPECT_EQ(reason_in(with_registered_memory(program)),
            "Too short. The memory was registered at program.cu:15.");
  EXPECT_EQ(reason_in(program.recording(), "was it negative?"),
            "Was it negative? The memory was allocated at program.cu:15.");
}

TEST(ReasonOfRefusal, OfWhatWasDestroyedTheCallIsNamed) {
  recording_builder program;
  program.at_line(45).call_of(trace::api_function::cudaGraphDestroy);
  program.at_line(46).call_of(trace::api_function::cudaGraphExecUpdate);
  trace::recording recording = program.recording();
  recording.diagnostics.push_back(
      {trace::diagnostic_kind::refused, "the graph has been destroyed", 2, {}, recording.calls.at(0).where});
  EXPECT_EQ(reason_of_refusal(recording, 2),
            "The graph has been destroyed. cudaGraphDestroy (program.cu:45) had destroyed it.");
}

TEST(Misuse, WhatTheBackendReportsKeepsItsWord) {
  recording_builder program;
  program.synchronize_device();
  trace::recording recording = program.recording();
  recording.diagnostics.push_back({trace::diagnostic_kind::kernel_used_host_memory,
                                   "kernel scale: a thread read host memory",
                                   1,
                                   {1, 7}});
  recording.diagnostics.push_back(
      {trace::diagnostic_kind::not_supported, "cudaX is not modelled", 1, {1, 8}});
  const auto found = misuse_in(recording);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(rule_of(recording, found[0]), "kernel_used_host_memory");
  EXPECT_EQ(misuse_sentences(recording, found[0]), "Kernel scale: a thread read host memory.");
}

TEST(Misuse, RemarksAboutTheRunAreNone) {
  recording_builder program;
  program.synchronize_device();
  trace::recording recording = program.recording();
  using enum trace::diagnostic_kind;
  for (const trace::diagnostic_kind kind :
       {not_supported, not_modelled, managed_memory_moved, no_source_lines})
    recording.diagnostics.push_back({kind, "a remark", 1, {1, 7}});
  EXPECT_TRUE(misuse_in(recording).empty());
}

TEST(Misuse, ReasonOfAFailureIsTold) {
  recording_builder program;
  program.call_of(trace::api_function::cudaMemcpyAsync);
  program.fail_last_call_unused(1);
  program.synchronize_device();
  trace::recording recording = program.recording();
  recording.diagnostics.push_back(
      {trace::diagnostic_kind::refused, "the destination is a null pointer", 1, {}});
  EXPECT_THAT(misuse_sentences(recording, misuse_in(recording).at(0)),
              HasSubstr(". The destination is a null pointer. "));
}

TEST(Misuse, OfANullPointerTheAllocationThatFailedIsTold) {
  recording_builder program;
  program.call_of(trace::api_function::cudaMallocAsync);
  program.fail_last_call_unused(801);
  program.synchronize_device();
  trace::recording recording = program.recording();
  recording.diagnostics.push_back({trace::diagnostic_kind::null_pointer, "a thread wrote 4 bytes", 2, {}});
  EXPECT_THAT(failed_allocation_before(recording, recording.diagnostics.back()),
              HasSubstr("Before that, cudaMallocAsync"));
  recording.diagnostics.back().kind = trace::diagnostic_kind::out_of_bounds;
  EXPECT_EQ(failed_allocation_before(recording, recording.diagnostics.back()), "");
}

TEST(Misuse, MemoryOfARefusedCopyComesFromTheCallThatAllocatedIt) {
  recording_builder program;
  program.at_line(12).allocate(memory_kind::device, 64);
  program.at_line(12).synchronize_device();
  program.at_line(12).call_of(trace::api_function::cudaMalloc);
  program.fail_last_call(2);
  program.at_line(13).call_of(trace::api_function::cudaMemcpy);
  program.fail_last_call_unused(1);
  trace::recording recording = program.recording();
  recording.diagnostics.push_back({trace::diagnostic_kind::refused, "the source ends too early", 4,
                                   recording.calls.back().where, recording.calls.front().where});
  EXPECT_EQ(reason_of_refusal(recording, 4),
            "The source ends too early. The memory was allocated at program.cu:12.");
}

}  // namespace
}  // namespace report
