// errors.cu: the error variable, errors that pass, and errors that stay.
#include <thread>

#include "conformance/gate.h"

using namespace conformance;

namespace {

__global__ void give_up() { __trap(); }

/// A call that is always refused.
cudaError_t refused_value() { return cudaMalloc(static_cast<void**>(nullptr), 4); }
cudaError_t refused_handle() { return cudaStreamDestroy(nullptr); }

}  // namespace

RULE(X1, "the error variable holds the last error, and cudaGetLastError resets it",
     runtime_api("Error Handling", "cudaGetLastError"),
     runtime_api("Error Handling", "cudaPeekAtLastError")) {
  EXPECT_EQUAL(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQUAL(refused_value(), cudaErrorInvalidValue);
  EXPECT_EQUAL(refused_handle(), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaPeekAtLastError(), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaPeekAtLastError(), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
}

RULE(X2, "not ready is no error and never enters the error variable",
     programming_guide("Asynchronous Execution", "errors"), runtime_api("Data types", "cudaErrorNotReady")) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const begin = new_event();
  cudaEvent_t const end = new_event();
  float milliseconds = 0;
  gate closed;
  CHECK(cudaEventRecord(begin, stream));
  closed.hold(stream);
  CHECK(cudaEventRecord(end, stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQUAL(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaEventQuery(end), cudaErrorNotReady);
  EXPECT_EQUAL(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
}

RULE(X3, "a launch that is refused shows in the error variable right after it",
     programming_guide("Asynchronous Execution", "errors"),
     runtime_api("Data types", "cudaErrorInvalidConfiguration")) {
  store<<<1, 4096>>>(shared_word(), 1);
  EXPECT(cudaPeekAtLastError() != cudaSuccess);
  EXPECT(cudaGetLastError() != cudaSuccess);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
}

RULE(X3, "a kernel that fails while it runs shows at the next synchronization, not at its launch",
     programming_guide("Asynchronous Execution", "errors")) {
  cudaStream_t const stream = blocking_stream();
  gate closed;
  closed.hold(stream);
  give_up<<<1, 1, 0, stream>>>();
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  closed.release();
  EXPECT_EQUAL(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
  EXPECT_EQUAL(cudaPeekAtLastError(), cudaErrorLaunchFailure);
}

RULE(X3, "a kernel that uses an address it may not use fails with an illegal address",
     runtime_api("Data types", "cudaErrorIllegalAddress")) {
  gate closed;
  closed.hold(nullptr);
  store<<<1, 1>>>(static_cast<int*>(nullptr), 1);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  closed.release();
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

RULE(X4,
     "after a kernel has failed, all further work returns the same error, and resetting the variable does "
     "not help",
     runtime_api("Data types", "cudaErrorLaunchFailure")) {
  volatile int* const word = shared_word();
  give_up<<<1, 1>>>();
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorLaunchFailure);
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  EXPECT_EQUAL(cudaMalloc(&memory, 64), cudaErrorLaunchFailure);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaStreamCreate(&stream), cudaErrorLaunchFailure);
  store<<<1, 1>>>(word, 1);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQUAL(*word, 0);
}

RULE(X4, "a reset after a failure succeeds, and leaves the process without a device",
     runtime_api("Device Management", "cudaDeviceReset"), measured_on_h200) {
  give_up<<<1, 1>>>();
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQUAL(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorLaunchFailure);
  void* memory = nullptr;
  EXPECT_EQUAL(cudaMalloc(&memory, 64), cudaErrorDevicesUnavailable);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
}

RULE(X1, "each host thread has an error variable of its own",
     runtime_api("Error Handling", "cudaGetLastError"), measured_on_h200) {
  EXPECT_EQUAL(refused_value(), cudaErrorInvalidValue);
  cudaError_t in_thread = cudaErrorUnknown;
  std::thread([&] {
    in_thread = cudaPeekAtLastError();
    refused_handle();
  }).join();
  EXPECT_EQUAL(in_thread, cudaSuccess);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
}

RULE(X3, "a kernel that fails shows in the calls of every host thread",
     runtime_api("Data types", "cudaErrorLaunchFailure"), measured_on_h200) {
  give_up<<<1, 1>>>();
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  std::thread([] {
    void* memory = nullptr;
    EXPECT_EQUAL(cudaMalloc(&memory, 64), cudaErrorLaunchFailure);
    EXPECT_EQUAL(cudaGetLastError(), cudaErrorLaunchFailure);
  }).join();
}

RULE(X5, "after a refused call, later calls and launches work", measured_on_h200) {
  volatile int* const word = shared_word();
  EXPECT_EQUAL(refused_value(), cudaErrorInvalidValue);
  EXPECT_EQUAL(refused_handle(), cudaErrorInvalidResourceHandle);
  store<<<1, 4096>>>(word, 9);
  EXPECT(cudaGetLastError() != cudaSuccess);
  store<<<1, 1>>>(word, 1);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQUAL(*word, 1);
}

RULE(X6, "a call that succeeds does not reset the error variable",
     runtime_api("Error Handling", "cudaGetLastError")) {
  EXPECT_EQUAL(refused_value(), cudaErrorInvalidValue);
  store<<<1, 1>>>(shared_word(), 1);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamSynchronize(blocking_stream()));
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
}
