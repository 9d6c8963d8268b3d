#include "matchers/errors.h"

#include <gmock/gmock.h>

#include <cstdint>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::Not;

sample_run with_call(const std::string& name, int error_code, const std::string& error_name) {
  sample_run run;
  run.call(name, {0, 1}, 12);
  run.recording().calls.back().error_code = error_code;
  run.recording().calls.back().error_name = error_name;
  return run;
}

TEST(HasNoFailedCalls, PassesWhenEveryCallSucceeds) {
  sample_run run = with_call("cudaMemcpyAsync", 0, "");
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(HasNoFailedCalls, NamesTheFirstCallThatFailedAndItsLine) {
  sample_run run = with_call("cudaMemcpyAsync", 1, "cudaErrorInvalidValue");
  run.call("cudaMemcpyAsync", {1, 2}, 13);
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("cudaMemcpyAsync returned cudaErrorInvalidValue (1), and the operation was not done."));
  EXPECT_EQ(found.run, report::run_verdict::cuda_error);
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(HasNoFailedCalls, OfADeviceThatHasFailedWhatTheKernelDidIsNamed) {
  sample_run run = with_call("cudaMemcpyAsync", 700, "cudaErrorIllegalAddress");
  run.recording().diagnostics = {{.kind = trace::diagnostic_kind::out_of_bounds,
                                  .message = "kernel transform wrote beyond the end of an allocation",
                                  .where = {1, 9}}};
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:9");
  EXPECT_THAT(found.why.observation, HasSubstr("Kernel transform wrote beyond the end of an allocation."));
}

TEST(HasNoFailedCalls, OfMemoryThatIsAlreadyRegisteredWhatFreedItWhileItWasIsNamedFirst) {
  sample_run run;
  const trace::call_id earlier = run.call("cudaStreamSynchronize", {0, 1}, 11);
  run.call("cudaHostRegister", {1, 2}, 12);
  run.recording().calls.back().error_code = 712;
  run.recording().calls.back().error_name = "cudaErrorHostMemoryAlreadyRegistered";
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).why.where, "async_copy.cu:12");
  run.recording().diagnostics = {{.kind = trace::diagnostic_kind::freed_while_registered,
                                  .message = "memory was freed while it was registered",
                                  .call = earlier,
                                  .where = {1, 50}}};
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:50, async_copy.cu:12");
  EXPECT_THAT(
      found.why.observation,
      testing::StartsWith("Memory was freed while it was registered. What is allocated later can have the "
                          "same addresses: cudaHostRegister returned"));
}

TEST(HasNoFailedCalls, OfAKernelOfTheCallerTheIndexIsNotToBeReadNext) {
  sample_run run = with_call("cudaMemcpyAsync", 700, "cudaErrorIllegalAddress");
  const trace::call_id launch = run.call("cudaLaunchKernel", {2, 3}, 12, run.lane[0]);
  run.recording().diagnostics = {{.kind = trace::diagnostic_kind::out_of_bounds,
                                  .message = "kernel transform wrote beyond the end of an allocation",
                                  .call = launch,
                                  .where = {}}};
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_EQ(found.why.read_next,
            "The sizes and pointers that the launch passes, and the size of the memory in bytes.");
}

TEST(HasNoFailedCalls, OfAKernelThatFailedTheArgumentsOfItsLaunchAreTold) {
  sample_run run = with_call("cudaMemcpyAsync", 700, "cudaErrorIllegalAddress");
  run.kernel(run.lane[0], {2, 3}, 11);
  trace::operation& kernel = run.recording().operations.at(run.kernel(run.lane[0], {2, 3}, 12) - 1);
  kernel.integers = {96, 137};
  run.recording().kernels = {{kernel.name, {"first", "elements"}}};
  run.recording().diagnostics = {{.kind = trace::diagnostic_kind::out_of_bounds,
                                  .message = "kernel transform wrote beyond the end of an allocation",
                                  .call = kernel.issued_by,
                                  .where = {}}};
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation,
              HasSubstr("(async_copy.cu:12). That launch was given `first` = 96, `elements` = 137."));
}

TEST(HasNoFailedCalls, OfAKernelThatReadsBeyondTheEndTwoArgumentsWhoseSumIsThereAreTold) {
  sample_run run;
  trace::recording& recording = run.recording();
  const trace::call_id made = run.call("cudaMalloc", {0, 1}, 7);
  recording.calls.at(made - 1).allocation = 1;
  recording.allocations.at(0).allocated_by = made;
  recording.allocations.at(0).bytes = 400;
  run.kernel(run.lane[0], {1, 2}, 12);
  trace::operation& kernel = recording.operations.at(run.kernel(run.lane[0], {2, 3}, 12) - 1);
  kernel.integers = {90, 20, 3};
  recording.operations.front().integers = {70, 20, 3};
  recording.kernels = {{kernel.name, {"first", "elements", "rounds"}}};
  recording.diagnostics = {{.kind = trace::diagnostic_kind::out_of_bounds,
                            .message = "kernel transform read beyond the end of an allocation of 400 bytes",
                            .call = kernel.issued_by,
                            .where = {},
                            .earlier = {1, 7}}};
  run.call("cudaMemcpyAsync", {4, 5}, 13);
  recording.calls.back().error_code = 700;
  recording.calls.back().error_name = "cudaErrorIllegalAddress";
  EXPECT_THAT(
      HasNoFailedCalls().match(run.learner()).why.observation,
      HasSubstr(
          " `first` = 90 and `elements` = 20 make 110, and that memory has room for 100 elements of 4 bytes."));
}

TEST(HasNoFailedCalls, OfAKernelThatFailedInAnEarlierCallThatCallIsTold) {
  sample_run run;
  run.recording().marks.clear();
  const auto mark = [&](const char* end, exercise::call call) {
    run.recording().marks.push_back(
        {.name = end + exercise::part_name("learner", call),
         .after = static_cast<trace::call_id>(run.recording().calls.size()),
         .after_operation = static_cast<trace::operation_id>(run.recording().operations.size())});
  };
  run.answer(exercise::call::first);
  mark("begin:", exercise::call::first);
  trace::operation& kernel = run.recording().operations.at(run.kernel(run.lane[0], {2, 3}, 12) - 1);
  kernel.integers = {96};
  run.recording().diagnostics = {
      {.kind = trace::diagnostic_kind::out_of_bounds, .call = kernel.issued_by, .where = {}}};
  mark("end:", exercise::call::first);
  mark("begin:", exercise::call::repeated);
  run.call("cudaMemcpyAsync", {4, 5}, 13);
  run.recording().calls.back().error_code = 700;
  mark("end:", exercise::call::repeated);
  EXPECT_THAT(HasNoFailedCalls().match(run.part("learner")).why.observation,
              HasSubstr(" That launch was given 96. It was made in the first call."));
}

TEST(HasNoFailedCalls, OfMemoryThatWasFreedInTheDefaultStreamTheReasonIsNamed) {
  sample_run run = with_call("cudaMemcpyAsync", 700, "cudaErrorIllegalAddress");
  const trace::call_id launch = run.call("cudaLaunchKernel", {2, 3}, 12, run.lane[0]);
  const trace::call_id release = run.call("cudaFreeAsync", {2, 3}, 13, run.default_stream);
  run.recording().calls[release - 1].allocation = 1;
  run.recording().diagnostics = {
      {.kind = trace::diagnostic_kind::use_after_free,
       .message = "kernel transform: a thread read 4 bytes of memory that was freed",
       .call = launch,
       .where = {},
       .earlier = {1, 13}}};
  const std::string reason = "The default stream does not wait for stream 2, which is a non-blocking stream";
  trace::stream& used = run.recording().streams.at(run.lane[0] - 1);
  used.blocking = trace::stream_blocking::blocking;
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation, Not(HasSubstr(reason)));
  used.blocking = trace::stream_blocking::non_blocking;
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation, HasSubstr(reason));
}

TEST(HasNoFailedCalls, OfMemoryThatWasFreedTheReleaseIsNamed) {
  sample_run run = with_call("cudaMemcpyAsync", 700, "cudaErrorIllegalAddress");
  const trace::call_id release = run.call("cudaFreeAsync", {2, 3}, 13, run.lane[0]);
  run.recording().calls[release - 1].allocation = 1;
  run.recording().diagnostics = {
      {.kind = trace::diagnostic_kind::use_after_free,
       .message = "kernel transform: a thread read 4 bytes of memory that was freed",
       .where = {1, 9},
       .earlier = {1, 13}}};
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:13, async_copy.cu:9");
  EXPECT_THAT(found.why.observation,
              HasSubstr("cudaFreeAsync (async_copy.cu:13) freed that memory in the order of "));
}

TEST(HasNoFailedCalls, OfMemoryOfTheCallerTheCallerIsNamed) {
  sample_run run;
  run.recording().marks.clear();
  run.recording().files.push_back({"drive.cpp", true});
  trace::host_call& allocating = run.recording().calls.at(run.call("cudaMalloc", {0, 1}, 13) - 1);
  allocating.allocation = 2;
  allocating.where.file = static_cast<std::uint32_t>(run.recording().files.size() - 1);
  const trace::location allocating_place = allocating.where;
  run.recording().marks.push_back({.name = "begin:learner", .after = 1});
  trace::host_call& refused = run.recording().calls.at(run.call("cudaMemcpyAsync", {1, 2}, 12) - 1);
  refused.error_code = 700;
  refused.error_name = "cudaErrorIllegalAddress";
  run.recording().diagnostics = {
      {.kind = trace::diagnostic_kind::out_of_bounds,
       .message = "kernel transform: a thread read 4 bytes beyond the end of an allocation",
       .where = {1, 9},
       .earlier = allocating_place}};
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation,
              testing::EndsWith("The caller of your function allocates that memory."));
}

TEST(HasNoFailedCalls, NoStreamIsNamedWhereALineFreesInSeveral) {
  sample_run run = with_call("cudaMemcpyAsync", 700, "cudaErrorIllegalAddress");
  for (const std::size_t lane : {0, 1}) {
    const trace::call_id release = run.call("cudaFreeAsync", {2, 3}, 13, run.lane[lane]);
    run.recording().calls[release - 1].allocation = 1;
  }
  run.recording().diagnostics = {
      {.kind = trace::diagnostic_kind::use_after_free,
       .message = "kernel transform: a thread read 4 bytes of memory that was freed",
       .where = {1, 9},
       .earlier = {1, 13}}};
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation,
              HasSubstr("cudaFreeAsync (async_copy.cu:13) freed that memory."));
}

TEST(HasNoFailedCalls, OfAStreamThatIsGoneItsEndIsNamed) {
  sample_run run = with_call("cudaStreamDestroy", 0, "");
  const trace::call_id use = run.call("cudaStreamSynchronize", {2, 3}, 13, run.lane[0]);
  run.recording().streams[run.lane[0] - 1].destroyed_by = 1;
  run.recording().calls[use - 1].error_code = 400;
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).why.where, "async_copy.cu:13, async_copy.cu:12");
}

/// An event that two calls of the same line destroy.
sample_run destroyed_twice(const std::string& text) {
  sample_run run;
  run.source() = {"async_copy.cu", text, ""};
  run.recording().callers = {{{{1, 6}}}, {{{1, 8}}}};
  for (const std::uint32_t callers : {1u, 2u}) {
    run.call("cudaEventDestroy", {0, 1}, 2);
    run.recording().calls.back().where.callers = callers;
    run.recording().calls.back().event = 1;
  }
  run.recording().events.push_back({.id = 1, .destroyed_by = run.recording().calls.front().id});
  run.recording().calls.back().error_code = 400;
  return run;
}

TEST(HasNoFailedCalls, OfAnObjectThatACopyDestroyedBothCallersOfTheDestructorAreNamed) {
  sample_run run = destroyed_twice("struct owner {\n  ~owner() noexcept { cudaEventDestroy(event); }\n};\n");
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "cudaEventDestroy (async_copy.cu:2, called from line 6) had destroyed it. That is a destructor, and two objects"));
  EXPECT_EQ(found.why.where, "async_copy.cu:2");
  EXPECT_EQ(callers_of_place(found.why, "async_copy.cu:2").size(), 2u);
}

TEST(HasNoFailedCalls, OfAFunctionThatDestroysNothingIsSaidOfCopies) {
  sample_run run = destroyed_twice("\nvoid release(cudaEvent_t event) { cudaEventDestroy(event); }\n");
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation,
              testing::EndsWith("called from line 6) had destroyed it."));
}

TEST(HasNoFailedCalls, OfAnExecutableGraphThatIsGoneItsEndIsNamed) {
  sample_run run = with_call("cudaGraphInstantiate", 0, "");
  run.call("cudaGraphExecDestroy", {2, 3}, 13, run.lane[0]);
  const trace::call_id use = run.call("cudaGraphLaunch", {4, 5}, 14, run.lane[0]);
  run.recording().calls[use - 1].error_code = 1;
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("had destroyed the last executable graph"));
}

TEST(HasNoFailedCalls, ARefusedLaunchIsNotBlamedOnTheEndOfOneGraphOfTwo) {
  sample_run run = with_call("cudaGraphInstantiate", 0, "");
  run.call("cudaGraphInstantiate", {1, 2}, 12, run.lane[0]);
  run.call("cudaGraphExecDestroy", {2, 3}, 13, run.lane[0]);
  const trace::call_id use = run.call("cudaGraphLaunch", {4, 5}, 14, run.lane[0]);
  run.recording().calls[use - 1].error_code = 1;
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).why.where, "async_copy.cu:14");
}

TEST(HasNoFailedCalls, OfAWaitAcrossTheEndOfACaptureItsBeginIsNamed) {
  sample_run run;
  run.call("cudaStreamBeginCapture", {0, 1}, 12, run.lane[0]);
  const trace::call_id use = run.call("cudaStreamWaitEvent", {2, 3}, 13, run.lane[0]);
  run.recording().calls[use - 1].error_code = 905;
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:12, async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("The capture began in stream 2"));
}

TEST(HasNoFailedCalls, OfANodeThatMadeTheDeviceFailTheCallThatMadeItIsNamed) {
  sample_run run;
  const trace::call_id captured = run.call("cudaMemcpyAsync", {0, 1}, 11, run.lane[0]);
  const trace::operation_id copy = run.copy_to_device(run.lane[0], {2, 3}, 13);
  trace::operation& node = run.recording().operations.at(copy - 1);
  node.graph_launch = copy;
  node.defined_by = captured;
  const trace::call_id next = run.call("cudaStreamSynchronize", {4, 5}, 14, run.lane[0]);
  run.recording().calls[next - 1].error_code = 700;
  run.recording().diagnostics = {{.kind = trace::diagnostic_kind::use_after_free,
                                  .message = "a copy used memory that was freed",
                                  .call = node.issued_by,
                                  .where = {1, 13}}};
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_THAT(found.why.observation, HasSubstr("the first of them by cudaMemcpyAsync (async_copy.cu:11)"));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(HasNoFailedCalls, WhatWasGivenMayNotBeDestroyed) {
  sample_run run = with_call("cudaStreamDestroy", 0, "");
  run.recording().streams[run.lane[0] - 1].destroyed_by = 1;
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).outcome,
            report::criterion_verdict::pass);  // it came from nowhere
  run.recording().streams[run.lane[0] - 1].created_by = 77;
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.mistake, "wrong_release");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(HasNoFailedCalls, NotReadyIsAnAnswer) {
  sample_run run = with_call("cudaStreamQuery", 600, "cudaErrorNotReady");
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(HasNoFailedCalls, AskingForTheLastErrorIsNoFailure) {
  sample_run run = with_call("cudaGetLastError", 9, "cudaErrorInvalidConfiguration");
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(HasNoFailedCalls, ACopyWhoseKindIsNotItsDirectionIsUndefined) {
  sample_run run = with_call("cudaMemcpyAsync", 0, "");
  run.recording().diagnostics = {
      {.kind = trace::diagnostic_kind::wrong_copy_kind,
       .message = "a copy from pinned to device memory has the kind cudaMemcpyDeviceToHost",
       .call = 1,
       .where = {1, 12}}};
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
  EXPECT_EQ(found.mistake, "wrong_copy_kind");
  EXPECT_EQ(found.why.observation,
            "A copy from pinned to device memory has the kind cudaMemcpyDeviceToHost.");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(HasNoFailedCalls, ALaunchWhileAnotherDeviceIsCurrentIsNamedWithItsDevice) {
  sample_run run = with_call("cudaLaunchKernel", 0, "");
  run.recording().diagnostics = {
      {.kind = trace::diagnostic_kind::stream_of_another_device,
       .message = "the launch goes to a stream of device 1 while device 0 is current",
       .call = 1,
       .where = {1, 12}}};
  const verdict found = HasNoFailedCalls().match(run.learner());
  EXPECT_EQ(found.run, report::run_verdict::cuda_error);
  EXPECT_EQ(found.mistake, "wrong_device");
  EXPECT_EQ(found.why.observation, "The launch goes to a stream of device 1 while device 0 is current.");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(HasNoFailedCalls, OfAStreamThatCudaDidNotMakeSaysHowManyWereGiven) {
  sample_run run;
  run.recording().streams.at(1).name = "lanes[0].stream";
  run.recording().streams.at(2).name = "lanes[1].stream";
  trace::host_call& refused = run.recording().calls.at(run.call("cudaMemcpyAsync", {1, 2}, 12) - 1);
  refused.error_code = 400;
  refused.error_name = "cudaErrorInvalidResourceHandle";
  run.recording().diagnostics = {{.kind = trace::diagnostic_kind::refused,
                                  .message = "this is no stream that CUDA made",
                                  .call = refused.id}};
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation,
              HasSubstr("an index goes past the end of an array. Your function was given 2 such streams: "
                        "`lanes[0].stream`, `lanes[1].stream`."));
}

/// A copy in line 4 whose size is that of line 2, refused with that error.
sample_run refused_copy(int code, const std::string& name) {
  sample_run run;
  run.source() = {"async_copy.cu",
                  "void f() {\n"
                  "  const std::size_t bytes = 4 * work.blocks;\n"
                  "  float* to = work.device_input;\n"
                  "  cudaMemcpyAsync(to, work.input, bytes, cudaMemcpyHostToDevice, stream);\n"
                  "}\n",
                  ""};
  trace::host_call& refused = run.recording().calls.at(run.call("cudaMemcpyAsync", {1, 2}, 4) - 1);
  refused.error_code = code;
  refused.error_name = name;
  run.recording().diagnostics = {{.kind = trace::diagnostic_kind::refused,
                                  .message = "destination: the 8 bytes end 4 bytes beyond the end",
                                  .call = refused.id}};
  return run;
}

TEST(HasNoFailedCalls, OfAPointerThatIsMovedTwiceTheLineThatMovesItFirstIsNamed) {
  sample_run run = refused_copy(1, "cudaErrorInvalidValue");
  run.source().text =
      "void f() {\n"
      "  const std::size_t bytes = 4 * work.blocks;\n"
      "  float* to = work.device_input + offset;\n"
      "  cudaMemcpyAsync(to + offset, work.input, bytes, cudaMemcpyHostToDevice, stream);\n"
      "}\n";
  const report::evidence why = HasNoFailedCalls().match(run.learner()).why;
  EXPECT_THAT(why.observation,
              HasSubstr("`to` is moved by `offset` at async_copy.cu:3 already, and by the same again at "
                        "async_copy.cu:4."));
  EXPECT_THAT(why.observation, testing::Not(HasSubstr("number of bytes at")));
  EXPECT_EQ(why.where, "async_copy.cu:4, async_copy.cu:3");
}

TEST(HasNoFailedCalls, OfAnAddressOutsideOfAllMemoryTheSizeIsNotNamed) {
  sample_run run = refused_copy(1, "cudaErrorInvalidValue");
  run.recording().diagnostics.front().message = "source: no allocation holds the address";
  EXPECT_EQ(HasNoFailedCalls().match(run.learner()).why.where, "async_copy.cu:4");
}

TEST(HasNoFailedCalls, OfASizeThatDoesNotFitTheLineThatComputesItIsNamed) {
  sample_run run = refused_copy(1, "cudaErrorInvalidValue");
  const report::evidence why = HasNoFailedCalls().match(run.learner()).why;
  EXPECT_THAT(why.observation,
              HasSubstr("The number of bytes at async_copy.cu:4 is computed at async_copy.cu:2."));
  EXPECT_EQ(why.where, "async_copy.cu:4, async_copy.cu:2");
}

TEST(HasNoFailedCalls, OfOtherErrorsTheSizeIsNotNamed) {
  sample_run run = refused_copy(400, "cudaErrorInvalidResourceHandle");
  EXPECT_THAT(HasNoFailedCalls().match(run.learner()).why.observation,
              testing::Not(HasSubstr("number of bytes at")));
}

}  // namespace
}  // namespace matchers
