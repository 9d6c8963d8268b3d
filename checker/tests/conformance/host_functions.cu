// host_functions.cu: functions of the host in a stream, and the threads that they talk to.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "conformance/gate.h"

using namespace conformance;

namespace {

/// What a host function leaves behind for the rule that issued it.
struct note {
  std::atomic<int> calls{0};
  volatile int* word = nullptr;
  int result = -1;
  cudaError_t answer = cudaSuccess;
  std::thread::id thread;
};

void CUDART_CB take_note(void* data) {
  note& here = *static_cast<note*>(data);
  if (here.word != nullptr) here.result = *here.word;
  here.thread = std::this_thread::get_id();
  here.calls.fetch_add(1);
}

void CUDART_CB take_note_with_status(cudaStream_t, cudaError_t status, void* data) {
  static_cast<note*>(data)->answer = status;
  take_note(data);
}

void CUDART_CB allocate(void* data) {
  void* memory = nullptr;
  static_cast<note*>(data)->answer = cudaMalloc(&memory, 64);
  take_note(data);
}

/// Two threads meet here.
struct wake_up {
  std::mutex lock;
  std::condition_variable changed;
  bool is_given = false;
};

void CUDART_CB give(void* data) {
  wake_up& here = *static_cast<wake_up*>(data);
  const std::lock_guard<std::mutex> held(here.lock);
  here.is_given = true;
  here.changed.notify_all();
}

void CUDART_CB await(void* data) {
  wake_up& here = *static_cast<wake_up*>(data);
  std::unique_lock<std::mutex> held(here.lock);
  here.changed.wait(held, [&] { return here.is_given; });
}

}  // namespace

RULE(C1, "a host function runs after the work before it in its stream, and reads its results",
     runtime_api("Execution Control", "cudaLaunchHostFunc")) {
  cudaStream_t const stream = non_blocking_stream();
  note result;
  result.word = shared_word();
  gate closed;
  closed.hold(stream);
  store<<<1, 1, 0, stream>>>(result.word, 5);
  CHECK(cudaLaunchHostFunc(stream, &take_note, &result));
  let_device_run();
  EXPECT_EQUAL(result.calls.load(), 0);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(result.calls.load(), 1);
  EXPECT_EQUAL(result.result, 5);
}

RULE(C1, "a host function blocks the work behind it in its stream until it returns",
     runtime_api("Execution Control", "cudaLaunchHostFunc")) {
  cudaStream_t const stream = non_blocking_stream();
  volatile int* const word = shared_word();
  wake_up go;
  CHECK(cudaLaunchHostFunc(stream, &await, &go));
  store<<<1, 1, 0, stream>>>(word, 1);
  // No kernel in another stream to let time pass: on an H200 a host function holds those too.
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQUAL(*word, 0);
  give(&go);
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 1);
}

RULE(C2, "a callback runs once, with the status of its stream",
     runtime_api("Stream Management", "cudaStreamAddCallback")) {
  cudaStream_t const stream = non_blocking_stream();
  note result;
  result.answer = cudaErrorUnknown;
  CHECK(cudaStreamAddCallback(stream, &take_note_with_status, &result, 0));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(result.calls.load(), 1);
  EXPECT_EQUAL(result.answer, cudaSuccess);
}

RULE(C2, "callbacks take no flags, and host functions must be functions",
     runtime_api("Stream Management", "cudaStreamAddCallback"),
     runtime_api("Execution Control", "cudaLaunchHostFunc")) {
  cudaStream_t const stream = non_blocking_stream();
  note result;
  EXPECT_EQUAL(cudaStreamAddCallback(stream, &take_note_with_status, &result, 1), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaLaunchHostFunc(stream, nullptr, &result), cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(result.calls.load(), 0);
}

RULE(C4, "a host function may not call CUDA", runtime_api("Execution Control", "cudaLaunchHostFunc"),
     measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  note result;
  CHECK(cudaLaunchHostFunc(stream, &allocate, &result));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(result.calls.load(), 1);
  EXPECT_EQUAL(result.answer, cudaErrorNotPermitted);
}

RULE(C5, "a host function may wake a thread that then issues work",
     runtime_api("Execution Control", "cudaLaunchHostFunc")) {
  cudaStream_t const first = non_blocking_stream();
  cudaStream_t const second = non_blocking_stream();
  volatile int* const word = shared_word();
  wake_up ready;
  std::thread worker([&] {
    await(&ready);
    store<<<1, 1, 0, second>>>(word, 3);
    CHECK(cudaStreamSynchronize(second));
  });
  CHECK(cudaLaunchHostFunc(first, &give, &ready));
  worker.join();
  EXPECT_EQUAL(*word, 3);
}

RULE(C6, "host functions run on a thread of their own, the same one for all streams", measured_on_h200) {
  cudaStream_t const streams[] = {non_blocking_stream(), non_blocking_stream()};
  note result[2];
  for (int i = 0; i < 2; ++i) CHECK(cudaLaunchHostFunc(streams[i], &take_note, &result[i]));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(result[0].thread == std::this_thread::get_id(), false);
  EXPECT_EQUAL(result[0].thread == result[1].thread, true);
}

RULE(C9, "an event recorded behind a host function waits for it",
     runtime_api("Execution Control", "cudaLaunchHostFunc"),
     runtime_api("Event Management", "cudaEventRecord")) {
  cudaStream_t const stream = non_blocking_stream();
  cudaEvent_t behind = nullptr;
  CHECK(cudaEventCreate(&behind));
  wake_up go;
  CHECK(cudaLaunchHostFunc(stream, &await, &go));
  CHECK(cudaEventRecord(behind, stream));
  EXPECT_EQUAL(cudaEventQuery(behind), cudaErrorNotReady);
  give(&go);
  CHECK(cudaEventSynchronize(behind));
  CHECK(cudaStreamSynchronize(stream));
}

RULE(C9, "each of many host functions has run when the synchronization behind it returns",
     runtime_api("Execution Control", "cudaLaunchHostFunc")) {
  constexpr int rounds = 300;
  cudaStream_t const stream = non_blocking_stream();
  int count = 0;
  for (int round = 1; round <= rounds; ++round) {
    CHECK(cudaLaunchHostFunc(
        stream, [](void* counter) { ++*static_cast<int*>(counter); }, &count));
    CHECK(cudaStreamSynchronize(stream));
    if (count != round) break;
  }
  EXPECT_EQUAL(count, rounds);
}
