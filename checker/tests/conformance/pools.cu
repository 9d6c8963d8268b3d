// pools.cu: stream-ordered memory: allocation and release as operations of a stream, and the pools behind
// them.
#include <cstdint>

#include "conformance/gate.h"

using namespace conformance;

namespace {

std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  CHECK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

cudaMemPool_t default_pool() {
  cudaMemPool_t pool = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}

cudaMemPool_t new_pool() {
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  wanted.location.id = 0;
  cudaMemPool_t pool = nullptr;
  CHECK(cudaMemPoolCreate(&pool, &wanted));
  return pool;
}

}  // namespace

RULE(I7, "memory allocated in stream order is usable by the work behind it, and until the release",
     runtime_api("Stream Ordered Memory Allocator", "cudaMallocAsync")) {
  cudaStream_t const stream = non_blocking_stream();
  volatile int* const result = shared_word();
  int* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, sizeof(int), stream));
  store<<<1, 1, 0, stream>>>(memory, 5);
  copy_word<<<1, 1, 0, stream>>>(result, memory);
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*result, 5);
}

RULE(I7, "another stream may use the memory once it has waited for the allocation",
     runtime_api("Stream Ordered Memory Allocator", "cudaMallocAsync")) {
  cudaStream_t const owner = non_blocking_stream();
  cudaStream_t const user = non_blocking_stream();
  cudaEvent_t const allocated = new_event();
  cudaEvent_t const used = new_event();
  volatile int* const result = shared_word();
  int* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, sizeof(int), owner));
  CHECK(cudaEventRecord(allocated, owner));
  CHECK(cudaStreamWaitEvent(user, allocated));
  store<<<1, 1, 0, user>>>(memory, 6);
  copy_word<<<1, 1, 0, user>>>(result, memory);
  CHECK(cudaEventRecord(used, user));
  CHECK(cudaStreamWaitEvent(owner, used));
  CHECK(cudaFreeAsync(memory, owner));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*result, 6);
}

RULE(I6, "allocation and release in stream order do not wait for the device",
     runtime_api("Stream Ordered Memory Allocator", "cudaMallocAsync"),
     runtime_api("Stream Ordered Memory Allocator", "cudaFreeAsync")) {
  cudaStream_t const stream = non_blocking_stream();
  void* warm = nullptr;
  CHECK(cudaMallocAsync(&warm, 1 << 20, stream));
  gate closed;
  closed.hold(stream);
  void* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, 1 << 20, stream));
  EXPECT(memory != nullptr);
  CHECK(cudaFreeAsync(memory, stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
}

RULE(I7, "memory that was freed in stream order cannot be freed or copied to again",
     runtime_api("Stream Ordered Memory Allocator", "cudaFreeAsync"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  int* memory = nullptr;
  int* other = nullptr;
  CHECK(cudaMalloc(&other, 64));
  CHECK(cudaMallocAsync(&memory, 64, stream));
  CHECK(cudaFreeAsync(memory, stream));
  EXPECT_EQUAL(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpyAsync(memory, other, 64, cudaMemcpyDeviceToDevice, stream), cudaErrorInvalidValue);
}

RULE(I7, "a kernel that uses memory after its release, and a synchronization, fails with an illegal address",
     runtime_api("Stream Ordered Memory Allocator", "cudaFreeAsync"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  int* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, sizeof(int), stream));
  store<<<1, 1, 0, stream>>>(memory, 5);
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamSynchronize(stream));
  store<<<1, 1, 0, stream>>>(memory, 6);
  EXPECT_EQUAL(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
}

RULE(I7, "cudaFreeAsync takes memory of cudaMalloc, cudaFree takes memory of a pool",
     runtime_api("Stream Ordered Memory Allocator", "cudaFreeAsync"),
     runtime_api("Memory Management", "cudaFree")) {
  cudaStream_t const stream = non_blocking_stream();
  void* plain = nullptr;
  void* ordered = nullptr;
  CHECK(cudaMalloc(&plain, 4096));
  CHECK(cudaFreeAsync(plain, stream));
  CHECK(cudaMallocAsync(&ordered, 4096, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(ordered));
  CHECK(cudaDeviceSynchronize());
}

RULE(O1, "asking for nothing gives nothing, and what is no memory of the device is refused",
     measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  int local = 0;
  void* memory = &local;
  CHECK(cudaMallocAsync(&memory, 0, stream));
  EXPECT(memory == nullptr);
  EXPECT_EQUAL(cudaMallocAsync(static_cast<void**>(nullptr), 64, stream), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMallocAsync(&memory, std::size_t{1} << 46, stream), cudaErrorMemoryAllocation);
  EXPECT_EQUAL(cudaFreeAsync(nullptr, stream), cudaSuccess);
  EXPECT_EQUAL(cudaFreeAsync(&local, stream), cudaErrorInvalidValue);
}

RULE(O2, "each device has a default pool, which is the current one until another is set",
     runtime_api("Stream Ordered Memory Allocator", "Overview"),
     runtime_api("Device Management", "cudaDeviceSetMemPool")) {
  cudaMemPool_t current = nullptr;
  CHECK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == default_pool());
  EXPECT_EQUAL(cudaDeviceGetDefaultMemPool(&current, 7777), cudaErrorInvalidDevice);
  EXPECT_EQUAL(cudaDeviceSetMemPool(0, nullptr), cudaErrorInvalidValue);
  cudaMemPool_t const mine = new_pool();
  CHECK(cudaDeviceSetMemPool(0, mine));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == mine);
  CHECK(cudaMemPoolDestroy(mine));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == default_pool());
}

RULE(O3, "a pool counts what is in use at the call, and the most that ever was",
     runtime_api("Stream Ordered Memory Allocator", "cudaMemPoolGetAttribute"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  cudaMemPool_t const pool = default_pool();
  void* memory = nullptr;
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrUsedMemCurrent), 0u);
  gate closed;
  closed.hold(stream);
  CHECK(cudaMallocAsync(&memory, 1 << 20, stream));
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrUsedMemCurrent), 1u << 20);
  EXPECT(attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= 1u << 20);
  CHECK(cudaFreeAsync(memory, stream));
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrUsedMemHigh), 1u << 20);
  std::uint64_t zero = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrUsedMemHigh), 0u);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
}

RULE(O4, "a synchronization gives unused memory back, as far as the release threshold allows",
     runtime_api("Stream Ordered Memory Allocator", "cudaMemPoolSetAttribute")) {
  cudaStream_t const stream = non_blocking_stream();
  cudaMemPool_t const pool = default_pool();
  void* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, 1 << 20, stream));
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrReservedMemCurrent), 0u);
  std::uint64_t max_threshold = ~std::uint64_t{0};
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &max_threshold));
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrReleaseThreshold), max_threshold);
  CHECK(cudaMallocAsync(&memory, 1 << 20, stream));
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= 1u << 20);
  CHECK(cudaMemPoolTrimTo(pool, 0));
  EXPECT_EQUAL(attribute(pool, cudaMemPoolAttrReservedMemCurrent), 0u);
}

RULE(O5, "memory can come from a pool of one's own, and outlives it",
     runtime_api("Stream Ordered Memory Allocator", "cudaMemPoolCreate"),
     runtime_api("Stream Ordered Memory Allocator", "cudaMemPoolDestroy")) {
  cudaStream_t const stream = non_blocking_stream();
  cudaMemPool_t const mine = new_pool();
  volatile int* const result = shared_word();
  int* memory = nullptr;
  CHECK(cudaMallocFromPoolAsync(&memory, sizeof(int), mine, stream));
  EXPECT_EQUAL(attribute(mine, cudaMemPoolAttrUsedMemCurrent), sizeof(int));
  EXPECT_EQUAL(attribute(default_pool(), cudaMemPoolAttrUsedMemCurrent), 0u);
  CHECK(cudaMemPoolDestroy(mine));
  store<<<1, 1, 0, stream>>>(memory, 4);
  copy_word<<<1, 1, 0, stream>>>(result, memory);
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*result, 4);
}
