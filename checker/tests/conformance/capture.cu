// Stream capture: what becomes a node, which streams take part, and what may not be called meanwhile. Rules
// GC: the Programming Guide, "CUDA Graphs"; where it is silent, the answers of an H200, CUDA 13.0, driver
// 580.
#include <thread>

#include "conformance/gate.h"
#include "conformance/graph_edges.h"

using namespace conformance;

namespace {

struct ended_capture {
  cudaError_t error;
  cudaGraph_t graph;
};

ended_capture end_capture(cudaStream_t stream) {
  ended_capture result{cudaSuccess, nullptr};
  result.error = cudaStreamEndCapture(stream, &result.graph);
  return result;
}

cudaStream_t capturing_stream(volatile int* word, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaStreamBeginCapture(stream, mode));
  store<<<1, 1, 0, stream>>>(word, 1);
  return stream;
}

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CHECK(cudaStreamIsCapturing(stream, &status));
  return status;
}

std::size_t nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  return count;
}

void launch(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
}

/// The call gives that error and invalidates the capture.
void expect_disturbance(cudaStream_t stream, cudaError_t found, cudaError_t expected) {
  EXPECT_EQUAL(found, expected);
  const ended_capture ended = end_capture(stream);
  EXPECT_EQUAL(ended.error, cudaErrorStreamCaptureInvalidated);
  EXPECT(ended.graph == nullptr);
  EXPECT_EQUAL(status_of(stream), cudaStreamCaptureStatusNone);
}

void do_nothing(cudaStream_t, cudaError_t, void*) {}

}  // namespace

RULE(GC1, "captured work does not run; each launch of its graph runs it",
     programming_guide("CUDA Graphs", "stream capture")) {
  volatile int* const word = shared_word();
  cudaStream_t const stream = capturing_stream(word);
  EXPECT_EQUAL(status_of(stream), cudaStreamCaptureStatusActive);
  const ended_capture ended = end_capture(stream);
  CHECK(ended.error);
  EXPECT_EQUAL(status_of(stream), cudaStreamCaptureStatusNone);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 0);
  launch(ended.graph, stream);
  EXPECT_EQUAL(*word, 1);
  *word = 0;
  launch(ended.graph, stream);
  EXPECT_EQUAL(*word, 1);
}

RULE(GC1, "a capture of nothing is an empty graph", programming_guide("CUDA Graphs", "stream capture"),
     measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const ended_capture ended = end_capture(stream);
  CHECK(ended.error);
  EXPECT_EQUAL(nodes_of(ended.graph), std::size_t{0});
  launch(ended.graph, stream);
}

RULE(GC1, "a copy is captured with its pointers: what they point at is read by each launch",
     programming_guide("CUDA Graphs", "stream capture")) {
  volatile int* const source = shared_word(1);
  volatile int* const found = shared_word();
  volatile int* const device = device_word();
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(untyped(device), untyped(source), sizeof(int), cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(untyped(found), untyped(device), sizeof(int), cudaMemcpyDeviceToHost, stream));
  const ended_capture ended = end_capture(stream);
  CHECK(ended.error);
  EXPECT_EQUAL(nodes_of(ended.graph), std::size_t{2});
  *source = 2;
  launch(ended.graph, stream);
  EXPECT_EQUAL(*found, 2);
}

RULE(GC1, "pageable memory can be captured, and is read by each launch", measured_on_h200) {
  int source = 1;
  volatile int* const found = shared_word();
  volatile int* const device = device_word();
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(untyped(device), &source, sizeof(int), cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(untyped(found), untyped(device), sizeof(int), cudaMemcpyDeviceToHost, stream));
  const ended_capture ended = end_capture(stream);
  CHECK(ended.error);
  source = 3;
  launch(ended.graph, stream);
  EXPECT_EQUAL(*found, 3);
}

RULE(GC2, "a stream that waits for a captured event takes part, until it is joined",
     programming_guide("CUDA Graphs", "stream capture")) {
  volatile int* const word = shared_word();
  volatile int* const other = shared_word();
  cudaStream_t const stream = capturing_stream(word);
  cudaStream_t const forked = blocking_stream();
  cudaEvent_t const fork = new_event(), join = new_event();
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(forked, fork));
  EXPECT_EQUAL(status_of(forked), cudaStreamCaptureStatusActive);
  copy_word<<<1, 1, 0, forked>>>(other, word);
  CHECK(cudaEventRecord(join, forked));
  CHECK(cudaStreamWaitEvent(stream, join));
  const ended_capture ended = end_capture(stream);
  CHECK(ended.error);
  EXPECT_EQUAL(status_of(forked), cudaStreamCaptureStatusNone);
  std::size_t edges = 0;
  EXPECT_EQUAL(nodes_of(ended.graph), std::size_t{2});
  CHECK(cudaGraphGetEdges(ended.graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQUAL(edges, std::size_t{1});
  launch(ended.graph, stream);
  EXPECT_EQUAL(*other, 1);
}

RULE(GC2, "work of another stream that is not joined makes the capture fail",
     programming_guide("CUDA Graphs", "stream capture"),
     runtime_api("Data types", "cudaErrorStreamCaptureUnjoined")) {
  volatile int* const word = shared_word();
  cudaStream_t const stream = capturing_stream(word);
  cudaStream_t const forked = blocking_stream();
  cudaEvent_t const fork = new_event();
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(forked, fork));
  store<<<1, 1, 0, forked>>>(word, 2);
  EXPECT_EQUAL(end_capture(stream).error, cudaErrorStreamCaptureUnjoined);
}

RULE(GC2, "a stream that took part without work of its own need not be joined", measured_on_h200) {
  cudaStream_t const stream = capturing_stream(shared_word());
  cudaEvent_t const fork = new_event();
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(blocking_stream(), fork));
  CHECK(end_capture(stream).error);
}

RULE(GC2, "a capture ends in the stream in which it began",
     runtime_api("Stream Management", "cudaStreamEndCapture"),
     runtime_api("Data types", "cudaErrorStreamCaptureUnmatched")) {
  cudaStream_t const stream = capturing_stream(shared_word());
  cudaStream_t const forked = blocking_stream();
  cudaEvent_t const fork = new_event();
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(forked, fork));
  expect_disturbance(stream, end_capture(forked).error, cudaErrorStreamCaptureUnmatched);
}

RULE(GC3, "waiting for an event from outside of the capture is refused",
     runtime_api("Data types", "cudaErrorStreamCaptureIsolation")) {
  cudaEvent_t const outside = new_event();
  CHECK(cudaEventRecord(outside, blocking_stream()));
  cudaStream_t const stream = capturing_stream(shared_word());
  expect_disturbance(stream, cudaStreamWaitEvent(stream, outside), cudaErrorStreamCaptureIsolation);
}

RULE(GC3, "two captures cannot be joined", runtime_api("Data types", "cudaErrorStreamCaptureMerge")) {
  volatile int* const word = shared_word();
  cudaEvent_t const event = new_event();
  cudaStream_t const stream = capturing_stream(word);
  cudaStream_t const other = capturing_stream(word);
  CHECK(cudaEventRecord(event, other));
  expect_disturbance(stream, cudaStreamWaitEvent(stream, event), cudaErrorStreamCaptureMerge);
}

RULE(GC4, "calls that wait for the device are refused, and invalidate the capture",
     programming_guide("CUDA Graphs", "stream capture"),
     runtime_api("Data types", "cudaErrorStreamCaptureUnsupported")) {
  cudaStream_t const other = blocking_stream();
  cudaEvent_t const event = new_event();
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaDeviceSynchronize());
  volatile int* const word = shared_word();
  const auto expect_refusal = [&](auto call) {
    cudaStream_t const stream = capturing_stream(word);
    expect_disturbance(stream, call(stream), cudaErrorStreamCaptureUnsupported);
  };
  expect_refusal([](cudaStream_t) { return cudaDeviceSynchronize(); });
  expect_refusal([](cudaStream_t stream) { return cudaStreamSynchronize(stream); });
  expect_refusal([&](cudaStream_t) { return cudaStreamSynchronize(other); });
  expect_refusal([](cudaStream_t stream) { return cudaStreamQuery(stream); });
  expect_refusal([&](cudaStream_t) { return cudaEventQuery(event); });
  expect_refusal([&](cudaStream_t) { return cudaEventSynchronize(event); });
  expect_refusal([](cudaStream_t stream) { return cudaStreamAddCallback(stream, do_nothing, nullptr, 0); });
}

RULE(GC4, "memory is neither allocated nor freed while a stream captures in the global mode",
     runtime_api("Stream Management", "cudaThreadExchangeStreamCaptureMode"), measured_on_h200) {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 16));
  volatile int* const word = shared_word();
  cudaStream_t stream = capturing_stream(word);
  void* more = nullptr;
  expect_disturbance(stream, cudaMalloc(&more, 16), cudaErrorStreamCaptureUnsupported);
  stream = capturing_stream(word);
  expect_disturbance(stream, cudaFree(memory), cudaErrorStreamCaptureUnsupported);
  stream = capturing_stream(word);
  expect_disturbance(stream, cudaMallocHost(&more, 16), cudaErrorStreamCaptureUnsupported);
  stream = capturing_stream(word);
  cudaPitchedPtr rows{};
  expect_disturbance(stream, cudaMalloc3D(&rows, make_cudaExtent(16, 2, 2)),
                     cudaErrorStreamCaptureUnsupported);
}

RULE(GC4, "synchronous copies are made while a non-blocking stream captures in the global mode",
     measured_on_h200) {
  int* const word = const_cast<int*>(shared_word());
  int* const device = const_cast<int*>(device_word());
  const auto error_of = [](auto call) {
    cudaStream_t const stream = non_blocking_stream();
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const cudaError_t error = call();
    end_capture(stream);
    return error;
  };
  CHECK(error_of([&] { return cudaMemcpy(device, word, sizeof(int), cudaMemcpyHostToDevice); }));
  CHECK(error_of([&] { return cudaMemcpyPeer(device, 0, device, 0, sizeof(int)); }));
  cudaMemcpy3DParms slice{};
  slice.srcPtr = make_cudaPitchedPtr(word, sizeof(int), sizeof(int), 1);
  slice.dstPtr = make_cudaPitchedPtr(device, sizeof(int), sizeof(int), 1);
  slice.extent = make_cudaExtent(sizeof(int), 1, 1);
  slice.kind = cudaMemcpyHostToDevice;
  CHECK(error_of([&] { return cudaMemcpy3D(&slice); }));
  EXPECT_EQUAL(error_of([&] { return cudaMemset3D(slice.dstPtr, 0, slice.extent); }),
               error_of([&] { return cudaMemset(device, 0, sizeof(int)); }));
}

RULE(GC4, "a captured event is not complete or incomplete",
     runtime_api("Data types", "cudaErrorCapturedEvent")) {
  cudaStream_t const stream = capturing_stream(shared_word());
  cudaEvent_t const event = new_event();
  CHECK(cudaEventRecord(event, stream));
  expect_disturbance(stream, cudaEventQuery(event), cudaErrorCapturedEvent);
}

RULE(GC5, "the legacy default stream cannot be used while a blocking stream captures",
     runtime_api("Data types", "cudaErrorStreamCaptureImplicit")) {
  volatile int* const word = shared_word();
  volatile int* const device = device_word();
  cudaStream_t stream = capturing_stream(word);
  store<<<1, 1>>>(word, 2);
  expect_disturbance(stream, cudaGetLastError(), cudaErrorStreamCaptureImplicit);
  stream = capturing_stream(word);
  expect_disturbance(stream, cudaMemcpy(untyped(device), untyped(word), sizeof(int), cudaMemcpyHostToDevice),
                     cudaErrorStreamCaptureImplicit);
  stream = capturing_stream(word);
  expect_disturbance(stream, cudaStreamSynchronize(nullptr), cudaErrorStreamCaptureImplicit);
}

RULE(GC5, "the legacy default stream cannot capture",
     runtime_api("Stream Management", "cudaStreamBeginCapture")) {
  EXPECT_EQUAL(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
               cudaErrorStreamCaptureUnsupported);
}

RULE(GC6, "after a disturbance the stream takes no more work until its capture has ended",
     runtime_api("Data types", "cudaErrorStreamCaptureInvalidated")) {
  volatile int* const word = shared_word();
  cudaStream_t const stream = capturing_stream(word);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQUAL(status_of(stream), cudaStreamCaptureStatusInvalidated);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorStreamCaptureUnsupported);
  store<<<1, 1, 0, stream>>>(word, 2);
  expect_disturbance(stream, cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
  store<<<1, 1, 0, stream>>>(word, 3);
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 3);
}

RULE(GC6, "arguments that a call refuses do not disturb the capture", measured_on_h200) {
  volatile int* const device = device_word();
  cudaStream_t const stream = capturing_stream(shared_word());
  EXPECT_EQUAL(cudaMemcpyAsync(untyped(device), nullptr, sizeof(int), cudaMemcpyDefault, stream),
               cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  CHECK(end_capture(stream).error);
  EXPECT_EQUAL(end_capture(stream).error, cudaErrorIllegalState);
}

RULE(GC7, "in the relaxed mode memory may be allocated",
     runtime_api("Stream Management", "cudaThreadExchangeStreamCaptureMode")) {
  cudaStream_t const stream = capturing_stream(shared_word(), cudaStreamCaptureModeRelaxed);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 16));
  CHECK(end_capture(stream).error);
}

RULE(GC7, "a thread may let itself call what the mode of the capture forbids",
     runtime_api("Stream Management", "cudaThreadExchangeStreamCaptureMode")) {
  cudaStream_t const stream = capturing_stream(shared_word());
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQUAL(mode, cudaStreamCaptureModeGlobal);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 16));
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQUAL(mode, cudaStreamCaptureModeRelaxed);
  CHECK(end_capture(stream).error);
}

RULE(GC7, "the global mode binds other threads too, the thread-local mode does not",
     runtime_api("Stream Management", "cudaThreadExchangeStreamCaptureMode")) {
  const auto malloc_on_another_thread = [] {
    cudaError_t error = cudaSuccess;
    std::thread([&] {
      void* memory = nullptr;
      error = cudaMalloc(&memory, 16);
    }).join();
    return error;
  };
  volatile int* const word = shared_word();
  cudaStream_t stream = capturing_stream(word);
  expect_disturbance(stream, malloc_on_another_thread(), cudaErrorStreamCaptureUnsupported);
  stream = capturing_stream(word, cudaStreamCaptureModeThreadLocal);
  CHECK(malloc_on_another_thread());
  CHECK(end_capture(stream).error);
}

RULE(GC7, "only the thread that began a capture may end it, unless it is relaxed",
     runtime_api("Stream Management", "cudaStreamEndCapture"),
     runtime_api("Data types", "cudaErrorStreamCaptureWrongThread")) {
  const auto end_on_another_thread = [](cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    std::thread([&] { error = end_capture(stream).error; }).join();
    return error;
  };
  volatile int* const word = shared_word();
  EXPECT_EQUAL(end_on_another_thread(capturing_stream(word)), cudaErrorStreamCaptureWrongThread);
  EXPECT_EQUAL(end_on_another_thread(capturing_stream(word, cudaStreamCaptureModeRelaxed)), cudaSuccess);
}
