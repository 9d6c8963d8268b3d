#include "cuda_runtime/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace cuda_runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using trace::api_function;

constexpr trace::thread_id owner = 1, other_thread = 2;
constexpr trace::event_id event = 7, other_event = 8;
constexpr cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;
constexpr cudaStreamCaptureMode thread_local_mode = cudaStreamCaptureModeThreadLocal;
constexpr cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;

prepared_operation work_in(const trace::stream& stream,
                           trace::operation_kind kind = trace::operation_kind::kernel) {
  prepared_operation result;
  result.request.stream = stream.id;
  result.request.kind = kind;
  return result;
}

/// Streams 1 to 4; the first is the legacy default stream, the last belongs to another device.
class Capture : public testing::Test {
 protected:
  void begin(const trace::stream& stream, cudaStreamCaptureMode mode = global) {
    captures.begin(stream, mode, owner);
  }
  /// Work issued to a stream that captures.
  CUgraphNode_st& add(const trace::stream& stream) {
    capture& active = *captures.of(stream.id);
    active.add(work_in(stream), 1);
    return *active.graph->nodes.back();
  }
  void record(trace::event_id recorded, const trace::stream& stream) {
    captures.note_record(recorded, *captures.of(stream.id), stream.id);
  }
  /// Nothing when no side of the wait is captured.
  std::optional<cudaError_t> wait(const trace::stream& stream, trace::event_id awaited,
                                  bool was_recorded = true) {
    bool is_handled = false;
    const cudaError_t error = captures.wait(stream, awaited, was_recorded, is_handled);
    return is_handled ? std::optional(error) : std::nullopt;
  }
  /// Lets `to` wait for all that `from` has captured.
  void join(const trace::stream& from, const trace::stream& to) {
    record(event, from);
    ASSERT_EQ(wait(to, event), cudaSuccess);
  }
  cudaError_t end(const trace::stream& stream, trace::thread_id thread = owner) {
    return captures.end(stream, thread, graph);
  }
  bool is_valid(const trace::stream& stream) { return captures.of(stream.id)->is_valid; }
  cudaError_t call(api_function function, const trace::stream& named, trace::thread_id thread = owner) {
    return captures.check_stream(function, named, streams, thread);
  }

  const std::deque<trace::stream> streams{
      {.id = 1, .kind = trace::stream_kind::legacy_default},
      {.id = 2, .blocking = trace::stream_blocking::non_blocking},
      {.id = 3, .blocking = trace::stream_blocking::blocking},
      {.id = 4, .device = 1, .blocking = trace::stream_blocking::blocking},
  };
  const trace::stream& legacy = streams[0];
  const trace::stream& stream = streams[1];
  const trace::stream& forked = streams[2];
  const trace::stream& elsewhere = streams[3];
  capture_table captures;
  std::unique_ptr<CUgraph_st> graph;
};

TEST_F(Capture, WorkInOneStreamBecomesAChainOfNodes) {
  begin(stream);
  CUgraphNode_st& first = add(stream);
  CUgraphNode_st& second = add(stream);
  EXPECT_EQ(end(stream), cudaSuccess);
  ASSERT_EQ(graph->nodes.size(), 2u);
  EXPECT_THAT(first.after, IsEmpty());
  EXPECT_THAT(second.after, ElementsAre(&first));
}

TEST_F(Capture, ANodeKeepsWhatWasIssuedAndTheCallThatIssuedIt) {
  begin(stream);
  captures.of(stream.id)->add(work_in(stream, trace::operation_kind::memset), 42);
  EXPECT_EQ(end(stream), cudaSuccess);
  const CUgraphNode_st& node = *graph->nodes.front();
  EXPECT_EQ(node.type, cudaGraphNodeTypeMemset);
  EXPECT_EQ(node.work->request.kind, trace::operation_kind::memset);
  EXPECT_EQ(node.work->recorded.defined_by, 42u);
}

TEST_F(Capture, ACaptureOfNothingIsAnEmptyGraph) {
  begin(stream);
  EXPECT_EQ(end(stream), cudaSuccess);
  EXPECT_THAT(graph->nodes, IsEmpty());
}

TEST_F(Capture, NoStreamTakesPartAfterTheEnd) {
  begin(stream);
  join(stream, forked);
  EXPECT_EQ(end(stream), cudaSuccess);
  EXPECT_EQ(captures.of(stream.id), nullptr);
  EXPECT_EQ(captures.of(forked.id), nullptr);
}

TEST_F(Capture, IdsOfCapturesNeverRepeat) {
  begin(stream);
  const unsigned long long first = captures.of(stream.id)->id;
  EXPECT_EQ(end(stream), cudaSuccess);
  begin(stream);
  EXPECT_NE(captures.of(stream.id)->id, first);
}

TEST_F(Capture, AForkAndAJoinBecomeEdges) {
  begin(stream);
  CUgraphNode_st& before = add(stream);
  join(stream, forked);
  CUgraphNode_st& left = add(stream);
  CUgraphNode_st& right = add(forked);
  join(forked, stream);
  CUgraphNode_st& last = add(stream);
  EXPECT_EQ(end(stream), cudaSuccess);
  EXPECT_THAT(left.after, ElementsAre(&before));
  EXPECT_THAT(right.after, ElementsAre(&before));
  EXPECT_THAT(last.after, UnorderedElementsAre(&left, &right));
}

TEST_F(Capture, AnEventStandsForWhatWasCapturedBeforeIt) {
  begin(stream);
  CUgraphNode_st& before = add(stream);
  record(event, stream);
  add(stream);
  EXPECT_EQ(wait(forked, event), cudaSuccess);
  EXPECT_THAT(add(forked).after, ElementsAre(&before));
}

TEST_F(Capture, WaitingTwiceForTheSameEventIsOneEdge) {
  begin(stream);
  CUgraphNode_st& before = add(stream);
  join(stream, forked);
  join(stream, forked);
  EXPECT_THAT(add(forked).after, ElementsAre(&before));
}

TEST_F(Capture, WorkOfAnotherStreamMustBeJoinedBeforeTheEnd) {
  begin(stream);
  add(stream);
  join(stream, forked);
  add(forked);
  EXPECT_EQ(end(stream), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(captures.of(stream.id), nullptr);
}

TEST_F(Capture, AStreamWithoutWorkOfItsOwnNeedNotBeJoined) {
  begin(stream);
  add(stream);
  join(stream, forked);
  EXPECT_EQ(end(stream), cudaSuccess);
}

TEST_F(Capture, AJoinThroughAThirdStreamCounts) {
  begin(stream);
  add(stream);
  join(stream, forked);
  add(forked);
  join(forked, elsewhere);
  add(elsewhere);
  join(elsewhere, stream);
  EXPECT_EQ(end(stream), cudaSuccess);
}

TEST_F(Capture, AStreamThatDoesNotCaptureHasNothingToEnd) {
  begin(stream);
  EXPECT_EQ(end(forked), cudaErrorIllegalState);
  EXPECT_TRUE(is_valid(stream));
}

TEST_F(Capture, AnEndInAJoinedStreamInvalidatesTheCapture) {
  begin(stream);
  join(stream, forked);
  EXPECT_EQ(end(forked), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(end(stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(captures.of(stream.id), nullptr);
}

TEST_F(Capture, OnlyTheThreadThatBeganItMayEndACaptureUnlessItIsRelaxed) {
  for (const cudaStreamCaptureMode mode : {global, thread_local_mode}) {
    begin(stream, mode);
    EXPECT_EQ(end(stream, other_thread), cudaErrorStreamCaptureWrongThread);
    EXPECT_EQ(end(stream), cudaSuccess);
  }
  begin(stream, relaxed);
  EXPECT_EQ(end(stream, other_thread), cudaSuccess);
}

TEST_F(Capture, AWaitBetweenStreamsThatDoNotCaptureIsNoneOfItsBusiness) {
  begin(stream);
  EXPECT_EQ(wait(forked, event), std::nullopt);
  EXPECT_EQ(captures.of(forked.id), nullptr);
}

TEST_F(Capture, AStreamThatCapturesMayNotWaitForWorkOutsideOfTheCapture) {
  begin(stream);
  EXPECT_EQ(wait(stream, event), cudaErrorStreamCaptureIsolation);
  EXPECT_FALSE(is_valid(stream));
}

TEST_F(Capture, WaitingForAnEventThatWasNeverRecordedIsNothing) {
  begin(stream);
  EXPECT_EQ(wait(stream, event, false), cudaSuccess);
  EXPECT_TRUE(is_valid(stream));
}

TEST_F(Capture, TwoCapturesCannotBeMergedAndBothAreInvalidated) {
  begin(stream);
  begin(forked);
  record(event, forked);
  EXPECT_EQ(wait(stream, event), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(end(stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(forked), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Capture, AnEventOfACaptureThatHasEndedCannotBeAwaited) {
  begin(stream);
  record(event, stream);
  EXPECT_EQ(end(stream), cudaSuccess);
  EXPECT_EQ(wait(forked, event), cudaErrorCapturedEvent);
}

TEST_F(Capture, NoStreamJoinsACaptureThatIsInvalid) {
  begin(stream);
  record(event, stream);
  captures.of(stream.id)->is_valid = false;
  EXPECT_EQ(wait(forked, event), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(captures.of(forked.id), nullptr);
}

TEST_F(Capture, AnEventIsCapturedUntilItIsRecordedOutside) {
  begin(stream);
  record(event, stream);
  EXPECT_TRUE(captures.is_captured(event));
  EXPECT_FALSE(captures.is_captured(other_event));
  captures.forget_record(event);
  EXPECT_FALSE(captures.is_captured(event));
  EXPECT_EQ(wait(forked, event), std::nullopt);
}

struct unsafe_case {
  cudaStreamCaptureMode capture;
  trace::thread_id caller;
  cudaStreamCaptureMode caller_mode;
  bool is_allowed;
};

/// "GlobalOtherRelaxed": the mode of the capture, whose call, the mode of the caller.
std::string name_of(const testing::TestParamInfo<unsafe_case>& test) {
  const char* const modes[] = {"Global", "ThreadLocal", "Relaxed"};
  return std::string(modes[test.param.capture]) + (test.param.caller == owner ? "Own" : "Other") +
         modes[test.param.caller_mode];
}

class UnsafeCall : public Capture, public testing::WithParamInterface<unsafe_case> {};

TEST_P(UnsafeCall, IsForbiddenByTheModesOfTheCaptureAndOfTheThread) {
  const unsafe_case& wanted = GetParam();
  begin(stream, wanted.capture);
  captures.mode_of(wanted.caller) = wanted.caller_mode;
  EXPECT_EQ(captures.check_call(api_function::cudaMalloc, wanted.caller),
            wanted.is_allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(is_valid(stream), wanted.is_allowed);
}

// A global capture forbids them to its own thread and to threads in the global mode, a thread-local one to
// its own thread. @see CUDA Runtime API, "cudaThreadExchangeStreamCaptureMode"
INSTANTIATE_TEST_SUITE_P(Modes, UnsafeCall,
                         testing::Values(unsafe_case{global, owner, global, false},
                                         unsafe_case{global, owner, thread_local_mode, false},
                                         unsafe_case{global, owner, relaxed, true},
                                         unsafe_case{global, other_thread, global, false},
                                         unsafe_case{global, other_thread, thread_local_mode, true},
                                         unsafe_case{global, other_thread, relaxed, true},
                                         unsafe_case{thread_local_mode, owner, global, false},
                                         unsafe_case{thread_local_mode, owner, thread_local_mode, false},
                                         unsafe_case{thread_local_mode, owner, relaxed, true},
                                         unsafe_case{thread_local_mode, other_thread, global, true},
                                         unsafe_case{thread_local_mode, other_thread, thread_local_mode,
                                                     true},
                                         unsafe_case{thread_local_mode, other_thread, relaxed, true},
                                         unsafe_case{relaxed, owner, global, true},
                                         unsafe_case{relaxed, owner, thread_local_mode, true},
                                         unsafe_case{relaxed, other_thread, global, true}),
                         &name_of);

TEST_F(Capture, AnUnsafeCallInvalidatesEachCaptureThatForbidsItAndNoOther) {
  begin(stream, global);
  begin(forked, relaxed);
  begin(elsewhere, thread_local_mode);
  EXPECT_EQ(captures.check_call(api_function::cudaMalloc, owner), cudaErrorStreamCaptureUnsupported);
  EXPECT_FALSE(is_valid(stream));
  EXPECT_TRUE(is_valid(forked));
  EXPECT_FALSE(is_valid(elsewhere));
}

TEST_F(Capture, CallsAreSafeThatWaitForNothing) {
  begin(stream);
  EXPECT_EQ(captures.check_call(api_function::cudaGetDevice, owner), cudaSuccess);
  EXPECT_TRUE(is_valid(stream));
}

TEST_F(Capture, NothingIsUnsafeOnceTheCaptureHasEnded) {
  begin(stream);
  EXPECT_EQ(end(stream), cudaSuccess);
  EXPECT_EQ(captures.check_call(api_function::cudaMalloc, owner), cudaSuccess);
  EXPECT_EQ(call(api_function::cudaStreamSynchronize, stream), cudaSuccess);
}

TEST_F(Capture, AStreamThatCapturesTakesWorkUntilTheCaptureIsInvalid) {
  begin(stream);
  EXPECT_EQ(call(api_function::cudaMemcpyAsync, stream), cudaSuccess);
  captures.of(stream.id)->is_valid = false;
  EXPECT_EQ(call(api_function::cudaMemcpyAsync, stream), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Capture, ACallThatCannotBecomeANodeInvalidatesTheCaptureOfItsStream) {
  begin(stream, relaxed);
  EXPECT_EQ(call(api_function::cudaStreamAddCallback, stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_FALSE(is_valid(stream));
}

TEST_F(Capture, NoModeLetsAStreamThatCapturesBeAwaited) {
  begin(stream, relaxed);
  EXPECT_EQ(call(api_function::cudaStreamSynchronize, stream, other_thread),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_FALSE(is_valid(stream));
}

TEST_F(Capture, WaitingForAnotherStreamIsUnsafeAndWorkInItIsNot) {
  begin(stream);
  EXPECT_EQ(call(api_function::cudaMemcpyAsync, forked), cudaSuccess);
  EXPECT_TRUE(is_valid(stream));
  EXPECT_EQ(call(api_function::cudaStreamSynchronize, forked), cudaErrorStreamCaptureUnsupported);
  EXPECT_FALSE(is_valid(stream));
}

TEST_F(Capture, AskingWhatAStreamIsLeavesItsCaptureAlone) {
  begin(stream);
  EXPECT_EQ(call(api_function::cudaStreamIsCapturing, stream), cudaSuccess);
  EXPECT_TRUE(is_valid(stream));
}

TEST_F(Capture, TheLegacyStreamCannotBeUsedWhileABlockingStreamCaptures) {
  begin(forked, relaxed);
  EXPECT_TRUE(captures.is_legacy_blocked(legacy, streams));
  EXPECT_EQ(call(api_function::cudaMemcpyAsync, legacy), cudaErrorStreamCaptureImplicit);
  EXPECT_FALSE(is_valid(forked));
}

TEST_F(Capture, TheLegacyStreamCanBeUsedWhileOtherStreamsCapture) {
  begin(stream, relaxed);
  begin(elsewhere, relaxed);
  EXPECT_FALSE(captures.is_legacy_blocked(legacy, streams));
  EXPECT_EQ(call(api_function::cudaMemcpyAsync, legacy), cudaSuccess);
  EXPECT_TRUE(is_valid(stream));
  EXPECT_TRUE(is_valid(elsewhere));
}

TEST_F(Capture, TheLegacyStreamInvalidatesOnlyCapturesThatItWouldWaitFor) {
  begin(stream);
  begin(forked);
  EXPECT_EQ(call(api_function::cudaMemcpyAsync, legacy), cudaErrorStreamCaptureImplicit);
  EXPECT_TRUE(is_valid(stream));
  EXPECT_FALSE(is_valid(forked));
}

TEST_F(Capture, ACapturedEventIsNeitherCompleteNorIncomplete) {
  begin(stream, relaxed);
  record(event, stream);
  EXPECT_EQ(captures.check_event(api_function::cudaEventQuery, event, owner), cudaErrorCapturedEvent);
  EXPECT_FALSE(is_valid(stream));
}

TEST_F(Capture, ACapturedEventHasNoTime) {
  begin(stream);
  record(event, stream);
  EXPECT_EQ(captures.check_event(api_function::cudaEventElapsedTime, event, owner), cudaErrorCapturedEvent);
  EXPECT_EQ(captures.check_event(api_function::cudaEventElapsedTime, other_event, owner), cudaSuccess);
}

TEST_F(Capture, WaitingForAnEventFromOutsideIsUnsafe) {
  begin(stream);
  EXPECT_EQ(captures.check_event(api_function::cudaEventSynchronize, other_event, owner),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_FALSE(is_valid(stream));
}

TEST_F(Capture, ACapturedEventCanBeRecordedAgain) {
  begin(stream);
  record(event, stream);
  EXPECT_EQ(captures.check_event(api_function::cudaEventRecord, event, owner), cudaSuccess);
  EXPECT_TRUE(is_valid(stream));
}

}  // namespace
}  // namespace cuda_runtime
