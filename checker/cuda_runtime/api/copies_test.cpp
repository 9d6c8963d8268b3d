// In the runtime of the process, with two devices as the teaching profile has them. Virtual time is the same
// in each run, so the host's waits are compared to the nanosecond.
#include "cuda_runtime/api/copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>

namespace cuda_runtime {
namespace {

using device::copy_route;
using testing::Each;
using testing::HasSubstr;
using trace::memory_kind;
using namespace std::chrono_literals;

constexpr std::size_t small_bytes = 1000;     // less than the staging buffer
constexpr std::size_t large_bytes = 1 << 20;  // many times as much
using bytes_in_host_memory = std::vector<unsigned char>;

class Copies : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("STREAMLINGS_DEVICES", "2", 1); }
  Copies() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess); }
  ~Copies() override {
    for (const int device : {0, 1}) {
      cudaSetDevice(device);
      cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
    for (void* memory : on_device_) cudaFree(memory);
    for (void* memory : pinned_) cudaFreeHost(memory);
    cudaStreamDestroy(stream);
    cudaGetLastError();
  }

  unsigned char* device_memory(std::size_t bytes, int device = 0) {
    void* result = nullptr;
    int current = 0;
    cudaGetDevice(&current);
    cudaSetDevice(device);
    EXPECT_EQ(cudaMalloc(&result, bytes), cudaSuccess);
    cudaSetDevice(current);
    return static_cast<unsigned char*>(on_device_.emplace_back(result));
  }
  unsigned char* managed_memory(std::size_t bytes) {
    void* result = nullptr;
    EXPECT_EQ(cudaMallocManaged(&result, bytes), cudaSuccess);
    return static_cast<unsigned char*>(on_device_.emplace_back(result));
  }
  unsigned char* pinned_memory(std::size_t bytes, unsigned char value = 0) {
    void* result = nullptr;
    EXPECT_EQ(cudaMallocHost(&result, bytes), cudaSuccess);
    std::memset(result, value, bytes);
    return static_cast<unsigned char*>(pinned_.emplace_back(result));
  }

  /// What a node of a graph would do.
  prepared_operation prepared(void* to, const void* from, cudaMemcpyKind kind = cudaMemcpyDefault) {
    prepared_operation result;
    api_call call(trace::api_function::cudaGraphAddMemcpyNode1D, nullptr);
    EXPECT_EQ(call.close(prepare(call, copy_request::range(to, from, small_bytes, kind), result)),
              cudaSuccess);
    return result;
  }
  copy_route route(void* to, const void* from, cudaMemcpyKind kind = cudaMemcpyDefault) {
    return prepared(to, from, kind).request.route;
  }

  /// How long the function keeps the host.
  template <typename Function>
  trace::nanoseconds time_of(Function function) {
    const trace::nanoseconds begin = run.clock().now();
    function();
    return run.clock().now() - begin;
  }
  /// The same without the call's own time.
  trace::nanoseconds wait_of_async_copy(void* to, const void* from, std::size_t bytes) {
    return time_of(
               [&] { EXPECT_EQ(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), cudaSuccess); }) -
           run.gpu().host_call("cudaMemcpyAsync");
  }
  static trace::nanoseconds at_rate(double gigabytes_per_second, std::size_t bytes) {
    return trace::nanoseconds(std::llround(static_cast<double>(bytes) / gigabytes_per_second));
  }

  const std::vector<trace::operation>& operations() { return run.log().recording().operations; }
  bool has_ended() { return run.work().is_complete(operations().back().id); }
  /// The last sentence about the last call; "" when there is none.
  std::string explanation() {
    const trace::recording& recording = run.log().recording();
    const auto& diagnostics = recording.diagnostics;
    return !diagnostics.empty() && diagnostics.back().call == recording.calls.size()
               ? diagnostics.back().message
               : "";
  }
  /// The stream is busy for a while.
  void keep_busy(cudaStream_t busy, int device = 0) {
    unsigned char* const memory = device_memory(large_bytes, device);
    ASSERT_EQ(cudaMemcpyAsync(memory, pinned_memory(large_bytes), large_bytes, cudaMemcpyDefault, busy),
              cudaSuccess);
  }

  runtime& run = runtime::get();
  cudaStream_t stream = nullptr;

 private:
  std::vector<void*> on_device_;
  std::vector<void*> pinned_;
};

TEST_F(Copies, PointersTellTheRoute) {
  bytes_in_host_memory pageable(small_bytes);
  unsigned char* const device = device_memory(2 * small_bytes);
  unsigned char* const pinned = pinned_memory(2 * small_bytes);
  EXPECT_EQ(route(device, pinned), copy_route::host_to_device);
  EXPECT_EQ(route(device, pageable.data()), copy_route::host_to_device);
  EXPECT_EQ(route(pinned, device), copy_route::device_to_host);
  EXPECT_EQ(route(pageable.data(), device), copy_route::device_to_host);
  EXPECT_EQ(route(pinned, pageable.data()), copy_route::host_to_host);
  EXPECT_EQ(route(device, device + small_bytes), copy_route::device_to_device);
}

TEST_F(Copies, PointersTellTheRouteWhateverTheDirectionSays) {
  unsigned char* const device = device_memory(2 * small_bytes);
  unsigned char* const pinned = pinned_memory(small_bytes);
  EXPECT_EQ(route(device, device + small_bytes, cudaMemcpyHostToDevice), copy_route::device_to_device);
  EXPECT_EQ(route(device, pinned, cudaMemcpyDeviceToHost), copy_route::host_to_device);
  EXPECT_EQ(route(pinned, device, cudaMemcpyHostToHost), copy_route::device_to_host);
}

TEST_F(Copies, TheDirectionTellsOnWhichSideManagedMemoryIs) {
  unsigned char* const managed = managed_memory(small_bytes);
  unsigned char* const device = device_memory(small_bytes);
  unsigned char* const pinned = pinned_memory(small_bytes);
  EXPECT_EQ(route(managed, pinned, cudaMemcpyHostToDevice), copy_route::host_to_device);
  EXPECT_EQ(route(managed, pinned, cudaMemcpyHostToHost), copy_route::host_to_host);
  EXPECT_EQ(route(device, managed, cudaMemcpyHostToDevice), copy_route::host_to_device);
  EXPECT_EQ(route(device, managed, cudaMemcpyDeviceToDevice), copy_route::device_to_device);
  EXPECT_EQ(route(device, managed, cudaMemcpyDefault), copy_route::device_to_device);
}

TEST_F(Copies, DevicesWithoutAccessToEachOtherCopyThroughTheHost) {
  unsigned char* const here = device_memory(small_bytes);
  unsigned char* const there = device_memory(small_bytes, 1);
  EXPECT_EQ(route(here, there), copy_route::peer_staged);
  ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(route(here, there), copy_route::peer);
  EXPECT_EQ(route(there, here), copy_route::peer);
  ASSERT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(route(there, here), copy_route::peer_staged);
}

TEST_F(Copies, TheHostMovesThePageableAndTheManagedSideAtItsOwnRate) {
  bytes_in_host_memory pageable(small_bytes);
  unsigned char* const device = device_memory(small_bytes);
  unsigned char* const pinned = pinned_memory(small_bytes);
  unsigned char* const managed = managed_memory(small_bytes);
  const device::profile& gpu = run.gpu();
  EXPECT_EQ(prepared(device, pageable.data()).request.host_bandwidth, gpu.pageable_h2d_bandwidth);
  EXPECT_EQ(prepared(device, managed, cudaMemcpyHostToDevice).request.host_bandwidth,
            gpu.pageable_h2d_bandwidth);
  EXPECT_EQ(prepared(pageable.data(), device).request.host_bandwidth, gpu.pageable_d2h_bandwidth);
  EXPECT_EQ(prepared(device, pinned).request.host_bandwidth, 0);
  EXPECT_EQ(prepared(pinned, device).request.host_bandwidth, 0);
}

TEST_F(Copies, TheRecordingKnowsTheKindsOfBothSides) {
  bytes_in_host_memory pageable(small_bytes);
  const prepared_operation copy = prepared(device_memory(small_bytes), pageable.data());
  EXPECT_EQ(copy.recorded.source, memory_kind::pageable);
  EXPECT_EQ(copy.recorded.destination, memory_kind::device);
  EXPECT_EQ(prepared(managed_memory(small_bytes), pinned_memory(small_bytes)).recorded.destination,
            memory_kind::managed);
}

TEST_F(Copies, RegisteredMemoryIsPinnedAsLongAsItIsRegistered) {
  bytes_in_host_memory memory(small_bytes);
  unsigned char* const device = device_memory(small_bytes);
  ASSERT_EQ(cudaHostRegister(memory.data(), small_bytes, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(prepared(device, memory.data()).recorded.source, memory_kind::pinned);
  ASSERT_EQ(cudaHostUnregister(memory.data()), cudaSuccess);
  EXPECT_EQ(prepared(device, memory.data()).recorded.source, memory_kind::pageable);
}

// How long the host waits, and when a copy reads and writes.

TEST_F(Copies, AnAsynchronousCopyFromPinnedMemoryReadsItsSourceWhenItRuns) {
  unsigned char* const device = device_memory(small_bytes);
  unsigned char* const pinned = pinned_memory(small_bytes, 1);
  EXPECT_EQ(wait_of_async_copy(device, pinned, small_bytes), 0ns);
  EXPECT_FALSE(has_ended());
  pinned[0] = 2;
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(device[0], 2);
}

TEST_F(Copies, AnAsynchronousCopyToPinnedMemoryWritesWhenItEnds) {
  unsigned char* const device = device_memory(small_bytes);
  std::memset(device, 7, small_bytes);
  unsigned char* const pinned = pinned_memory(small_bytes);
  EXPECT_EQ(wait_of_async_copy(pinned, device, small_bytes), 0ns);
  EXPECT_EQ(pinned[0], 0);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(pinned[small_bytes - 1], 7);
}

TEST_F(Copies, TheHostStagesPageableMemoryBeforeAnAsynchronousCopyReturns) {
  unsigned char* const device = device_memory(small_bytes);
  bytes_in_host_memory source(small_bytes, 1);
  const device::profile& gpu = run.gpu();
  EXPECT_EQ(wait_of_async_copy(device, source.data(), small_bytes),
            trace::nanoseconds(std::llround(gpu.pageable_latency)) +
                at_rate(gpu.pageable_h2d_bandwidth, small_bytes));
  EXPECT_FALSE(has_ended());
  source[0] = 2;
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(device[0], 1);
}

TEST_F(Copies, WhatDoesNotFitIntoTheStagingBufferIsAwaited) {
  unsigned char* const device = device_memory(large_bytes);
  bytes_in_host_memory source(large_bytes, 1);
  EXPECT_GE(wait_of_async_copy(device, source.data(), large_bytes),
            at_rate(run.gpu().pageable_h2d_bandwidth, large_bytes));
  source[large_bytes - 1] = 2;
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(device[large_bytes - 1], 1);
}

TEST_F(Copies, StagingForAnAsynchronousCopyDoesNotWaitForTheStream) {
  bytes_in_host_memory source(small_bytes);
  unsigned char* const device = device_memory(small_bytes);
  const trace::nanoseconds when_idle = wait_of_async_copy(device, source.data(), small_bytes);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  keep_busy(stream);
  EXPECT_EQ(wait_of_async_copy(device, source.data(), small_bytes), when_idle);
}

TEST_F(Copies, ManagedMemoryOnTheHostsSideIsStagedAfterTheWorkBeforeIt) {
  unsigned char* const device = device_memory(small_bytes);
  unsigned char* const managed = managed_memory(small_bytes);
  keep_busy(stream);
  const trace::operation_id before = operations().back().id;
  ASSERT_EQ(cudaMemcpyAsync(device, managed, small_bytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
  EXPECT_TRUE(run.work().is_complete(before));
  EXPECT_FALSE(has_ended());
}

TEST_F(Copies, ASynchronousCopyStagesAfterTheWorkBeforeIt) {
  bytes_in_host_memory source(small_bytes);
  unsigned char* const device = device_memory(small_bytes);
  keep_busy(cudaStreamLegacy);
  const trace::operation_id before = operations().back().id;
  ASSERT_EQ(cudaMemcpy(device, source.data(), small_bytes, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_TRUE(run.work().is_complete(before));
}

TEST_F(Copies, ASynchronousCopyOfStagedBytesReturnsBeforeTheyArrive) {
  bytes_in_host_memory source(small_bytes);
  ASSERT_EQ(cudaMemcpy(device_memory(small_bytes), source.data(), small_bytes, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_FALSE(has_ended());
}

TEST_F(Copies, TheHostWaitsForCopiesToPageableMemoryAndBetweenHostMemory) {
  bytes_in_host_memory pageable(small_bytes);
  EXPECT_GT(wait_of_async_copy(pageable.data(), device_memory(small_bytes), small_bytes), 0ns);
  EXPECT_TRUE(has_ended());
  EXPECT_GT(wait_of_async_copy(pinned_memory(small_bytes), pinned_memory(small_bytes), small_bytes), 0ns);
  EXPECT_TRUE(has_ended());
}

TEST_F(Copies, ASynchronousCopyIsCompleteUnlessItStaysOnTheDevice) {
  unsigned char* const device = device_memory(2 * small_bytes);
  unsigned char* const pinned = pinned_memory(small_bytes);
  ASSERT_EQ(cudaMemcpy(device, pinned, small_bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_TRUE(has_ended());
  ASSERT_EQ(cudaMemcpy(pinned, device, small_bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_TRUE(has_ended());
  ASSERT_EQ(cudaMemcpy(device, device + small_bytes, small_bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_FALSE(has_ended());
}

TEST_F(Copies, AnAsynchronousCopyInsideTheDeviceReturnsAtOnce) {
  unsigned char* const device = device_memory(2 * small_bytes);
  EXPECT_EQ(wait_of_async_copy(device, device + small_bytes, small_bytes), 0ns);
  EXPECT_FALSE(has_ended());
}

TEST_F(Copies, AFlagOfTheDeviceLetsSynchronousCallsWaitForWorkInsideIt) {
  unsigned char* const device = device_memory(2 * small_bytes);
  ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceSyncMemops), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device, device + small_bytes, small_bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_TRUE(has_ended());
  ASSERT_EQ(cudaMemset(device, 1, small_bytes), cudaSuccess);
  EXPECT_TRUE(has_ended());
  ASSERT_EQ(cudaSetDeviceFlags(0), cudaSuccess);
}

TEST_F(Copies, ASynchronousCopyGoesToTheDeviceOfItsMemory) {
  ASSERT_EQ(
      cudaMemcpy(device_memory(small_bytes, 1), pinned_memory(small_bytes), small_bytes, cudaMemcpyDefault),
      cudaSuccess);
  EXPECT_EQ(operations().back().device, 1u);
}

TEST_F(Copies, ASynchronousCopyBetweenDevicesComesAfterTheWorkOfBoth) {
  unsigned char* const here = device_memory(small_bytes);
  unsigned char* const there = device_memory(small_bytes, 1);
  cudaSetDevice(1);
  keep_busy(cudaStreamLegacy, 1);
  const trace::operation_id before = operations().back().id;
  cudaSetDevice(0);
  ASSERT_EQ(cudaMemcpy(there, here, small_bytes, cudaMemcpyDefault), cudaSuccess);
  const trace::operation_id copy = run.log().recording().calls.back().operation;
  cudaSetDevice(1);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(run.log().operation(copy).device, 0u);
  EXPECT_GE(run.log().operation(copy).start, run.log().operation(before).end);
}

TEST_F(Copies, WorkBehindASynchronousCopyBetweenDevicesComesAfterItOnBoth) {
  unsigned char* const here = device_memory(large_bytes);
  unsigned char* const there = device_memory(large_bytes, 1);
  ASSERT_EQ(cudaMemcpy(there, here, large_bytes, cudaMemcpyDefault), cudaSuccess);
  const trace::operation_id copy = run.log().recording().calls.back().operation;
  cudaSetDevice(1);
  ASSERT_EQ(cudaMemsetAsync(there, 1, 1, cudaStreamLegacy), cudaSuccess);
  const trace::operation_id behind = operations().back().id;
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_GE(run.log().operation(behind).start, run.log().operation(copy).end);
}

TEST_F(Copies, ACopyInAStreamThatCapturesBecomesANodeThatReadsAtEachLaunch) {
  bytes_in_host_memory source(small_bytes, 1);
  unsigned char* const device = device_memory(small_bytes);
  const std::size_t operations_before = operations().size();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(wait_of_async_copy(device, source.data(), small_bytes), 0ns);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(operations().size(), operations_before);
  source.assign(small_bytes, 2);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(device[0], 2);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST_F(Copies, ASynchronousMemsetWaitsUnlessItIsOfDeviceMemory) {
  ASSERT_EQ(cudaMemset(device_memory(small_bytes), 1, small_bytes), cudaSuccess);
  EXPECT_FALSE(has_ended());
  unsigned char* const pinned = pinned_memory(small_bytes);
  ASSERT_EQ(cudaMemset(pinned, 1, small_bytes), cudaSuccess);
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(pinned[small_bytes - 1], 1);
}

// What is not refused, and undefined.

TEST_F(Copies, AKindThatIsNotTheDirectionIsNoted) {
  unsigned char* const device = device_memory(small_bytes);
  unsigned char* const pinned = pinned_memory(small_bytes);
  unsigned char* const managed = managed_memory(small_bytes);
  ASSERT_EQ(cudaMemcpy(device, pinned, small_bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(
      explanation(),
      "a copy from pinned to device memory has the kind cudaMemcpyDeviceToHost: CUDA does not define what a copy "
      "does whose kind is not its direction");
  EXPECT_EQ(run.log().recording().diagnostics.back().kind, trace::diagnostic_kind::wrong_copy_kind);
  ASSERT_EQ(cudaMemcpy(pinned, device, small_bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_THAT(explanation(), HasSubstr("from device to pinned memory"));
  for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDefault, cudaMemcpyDeviceToDevice}) {
    ASSERT_EQ(cudaMemcpy(device, kind == cudaMemcpyDeviceToDevice ? managed : pinned, small_bytes, kind),
              cudaSuccess);
    EXPECT_EQ(explanation(), "");
  }
}

// What is refused, and why.

TEST_F(Copies, ANullPointerIsRefused) {
  unsigned char* const device = device_memory(small_bytes);
  EXPECT_EQ(cudaMemcpy(nullptr, device, 1, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(explanation(), "the destination is a null pointer");
  EXPECT_EQ(cudaMemcpy(device, nullptr, 1, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(explanation(), "the source is a null pointer");
}

TEST_F(Copies, ASizeThatWasNegativeIsRefused) {
  unsigned char* const device = device_memory(small_bytes);
  EXPECT_EQ(cudaMemcpy(device, pinned_memory(1), static_cast<std::size_t>(-1), cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(explanation(), "the size is larger than any memory; was it negative?");
}

TEST_F(Copies, RowsThatReachFartherThanAnyMemoryAreRefused) {
  constexpr std::size_t far = std::size_t{1} << 46;
  EXPECT_EQ(cudaMemcpy2D(device_memory(small_bytes), far, pinned_memory(1), far, 1, 4, cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_THAT(explanation(), HasSubstr("larger than any memory"));
}

TEST_F(Copies, ARangeThatEndsBeyondItsAllocationIsRefusedWithTheSizes) {
  unsigned char* const device = device_memory(16);
  unsigned char* const pinned = pinned_memory(32);
  EXPECT_EQ(cudaMemcpy(device, pinned, 20, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(explanation(),
            "destination: the 20 bytes end 4 bytes beyond the end of the device allocation of 16 bytes");
  EXPECT_EQ(cudaMemcpy(pinned, device + 1, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(
      explanation(),
      "source: the 16 bytes end 1 bytes beyond the end of the device allocation of 16 bytes, in which they begin at byte 1");
}

TEST_F(Copies, OfASizeInElementsSaysSo) {
  EXPECT_EQ(cudaMemcpy(device_memory(20), pinned_memory(80), 80, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_THAT(
      explanation(),
      HasSubstr("of 20 bytes, and are 4 times as many: was its size given in elements and not in bytes?"));
}

TEST_F(Copies, RowsThatEndBeyondTheirAllocationAreRefused) {
  unsigned char* const device = device_memory(3 * 16 + 8);
  unsigned char* const pinned = pinned_memory(4 * 8);
  EXPECT_EQ(cudaMemcpy2D(device, 16, pinned, 8, 8, 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(device + 1, 16, pinned, 8, 8, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST_F(Copies, FreedMemoryIsRefused) {
  void* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, small_bytes), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(freed, pinned_memory(1), 1, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(explanation(), "destination: the memory has been freed");
}

TEST_F(Copies, AnAddressBetweenAllocationsIsRefused) {
  unsigned char* const device = device_memory(small_bytes);
  EXPECT_EQ(cudaMemcpy(device + kernels::memory::page_bytes, pinned_memory(1), 1, cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      explanation(),
      "destination: no allocation holds the address, 65536 bytes behind the begin of device memory of 1000 bytes");
}

TEST_F(Copies, AnOffsetInBytesThatWasAddedToAPointerToElementsIsGuessed) {
  constexpr std::size_t elements = 4096;
  auto* const device = reinterpret_cast<float*>(device_memory(elements * sizeof(float)));
  constexpr std::size_t second_half_in_bytes = elements / 2 * sizeof(float);
  EXPECT_EQ(cudaMemcpy(device + second_half_in_bytes, pinned_memory(1), 1, cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      explanation(),
      "destination: no allocation holds the address, 32768 bytes behind the begin of device memory of 16384 bytes "
      "(what is added to a pointer counts elements, not bytes)");
}

TEST_F(Copies, PageableMemoryIsRefusedWhereTheDirectionSaysDevice) {
  bytes_in_host_memory pageable(1);
  unsigned char* const device = device_memory(1);
  EXPECT_EQ(cudaMemcpy(pageable.data(), device, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_THAT(explanation(), HasSubstr("the destination is on the device, but it is pageable host memory"));
  EXPECT_EQ(cudaMemcpy(device, pageable.data(), 1, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_THAT(explanation(), HasSubstr("the source is on the device, but it is pageable host memory"));
}

TEST_F(Copies, TheNameOfADeviceVariableIsRefusedUntilItsAddressIsKnown) {
  const int initial = 3;
  void* const variable = run.add_variable("table", &initial, sizeof initial, memory_kind::device, 0);
  EXPECT_EQ(cudaMemcpy(variable, pinned_memory(4), 4, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_THAT(explanation(), HasSubstr("destination: this is the name of the device variable table; use"));
  void* known = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&known, variable), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(known, pinned_memory(4), 4, cudaMemcpyDefault), cudaSuccess);
}

TEST_F(Copies, ADirectionThatDoesNotExistIsRefusedEvenForNothing) {
  unsigned char* const device = device_memory(1);
  EXPECT_EQ(cudaMemcpy(device, device, 0, static_cast<cudaMemcpyKind>(5)), cudaErrorInvalidMemcpyDirection);
}

TEST_F(Copies, CopyingOrSettingNothingSucceedsWhateverThePointers) {
  const std::size_t operations_before = operations().size();
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaSuccess);
  EXPECT_EQ(operations().size(), operations_before);
}

TEST_F(Copies, ANodeThatCopiesNothingIsRefused) {
  unsigned char* const device = device_memory(1);
  prepared_operation result;
  api_call call(trace::api_function::cudaGraphAddMemcpyNode1D, nullptr);
  EXPECT_EQ(call.close(prepare(call, copy_request::range(device, device, 0, cudaMemcpyDefault), result)),
            cudaErrorInvalidValue);
}

TEST_F(Copies, AStreamThatHasBeenDestroyedIsRefused) {
  cudaStream_t destroyed = nullptr;
  ASSERT_EQ(cudaStreamCreate(&destroyed), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(destroyed), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device_memory(1), pinned_memory(1), 1, cudaMemcpyDefault, destroyed),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(explanation(), "the stream has been destroyed");
}

TEST_F(Copies, AMemsetOfPageableMemoryIsRefused) {
  bytes_in_host_memory pageable(1);
  EXPECT_EQ(cudaMemset(pageable.data(), 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(explanation(), "the destination is pageable host memory");
}

TEST_F(Copies, AMemsetOfAnotherDevicesMemoryNeedsAccessToIt) {
  unsigned char* const there = device_memory(1, 1);
  EXPECT_EQ(cudaMemset(there, 0, 1), cudaErrorInvalidValue);
  ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaMemset(there, 0, 1), cudaSuccess);
  ASSERT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
}

/// A memset node of two rows of four elements.
class MemsetNodes : public Copies {
 protected:
  cudaError_t prepare_memset(unsigned element_bytes, std::size_t pitch, std::size_t offset = 0) {
    const cudaMemsetParams parameters{memory + offset, pitch, 5, element_bytes, 4, 2};
    api_call call(trace::api_function::cudaGraphAddMemsetNode, nullptr);
    return call.close(prepare(call, parameters, result));
  }
  unsigned char* const memory = device_memory(64);
  prepared_operation result;
};

TEST_F(MemsetNodes, HaveElementsOfOneTwoOrFourBytes) {
  for (const unsigned bytes : {1u, 2u, 4u}) {
    EXPECT_EQ(prepare_memset(bytes, 16), cudaSuccess);
    EXPECT_EQ(std::get<memset_payload>(result.work).element_bytes, bytes);
    EXPECT_EQ(result.request.bytes, 8 * bytes);
  }
  EXPECT_EQ(prepare_memset(3, 12), cudaErrorInvalidValue);
  EXPECT_EQ(prepare_memset(8, 32), cudaErrorInvalidValue);
}

TEST_F(MemsetNodes, LieAtMultiplesOfTheirElements) {
  EXPECT_EQ(prepare_memset(2, 16, 2), cudaSuccess);
  EXPECT_EQ(prepare_memset(2, 16, 1), cudaErrorInvalidValue);
  EXPECT_EQ(prepare_memset(4, 18), cudaErrorInvalidValue);
}

TEST_F(MemsetNodes, HaveRowsThatDoNotOverlap) {
  EXPECT_EQ(prepare_memset(4, 16), cudaSuccess);
  EXPECT_EQ(prepare_memset(4, 12), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace cuda_runtime
