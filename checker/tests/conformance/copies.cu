// copies.cu: kinds of memory, and what copies and memsets do to the host that calls them.
#include "conformance/gate.h"

using namespace conformance;

namespace {

/// Sizes on both sides of what drivers treat differently.
constexpr std::size_t sizes[] = {4, 1024, 65536, 65540, 1 << 20, 8 << 20};

/// Position-dependent numbers.
void fill(int* numbers, std::size_t bytes, int seed) {
  for (std::size_t i = 0; i < bytes / sizeof(int); ++i) numbers[i] = static_cast<int>(i) * 7 + seed;
}

bool is_filled(const int* numbers, std::size_t bytes, int seed) {
  for (std::size_t i = 0; i < bytes / sizeof(int); ++i) {
    if (numbers[i] != static_cast<int>(i) * 7 + seed) return false;
  }
  return true;
}

int* pinned_memory(std::size_t bytes) {
  int* memory = nullptr;
  CHECK(cudaMallocHost(&memory, bytes));
  std::memset(memory, 0, bytes);
  return memory;
}

int* device_memory(std::size_t bytes) {
  int* memory = nullptr;
  CHECK(cudaMalloc(&memory, bytes));
  return memory;
}

cudaMemoryType type_of(const void* pointer) {
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type;
}

}  // namespace

RULE(K1, "pointers tell the kind of their memory",
     runtime_api("Unified Addressing", "cudaPointerGetAttributes")) {
  std::vector<int> pageable(1 << 16);
  EXPECT_EQUAL(type_of(pageable.data()), cudaMemoryTypeUnregistered);
  EXPECT_EQUAL(type_of(pinned_memory(64)), cudaMemoryTypeHost);
  EXPECT_EQUAL(type_of(pinned_memory(64) + 15), cudaMemoryTypeHost);
  EXPECT_EQUAL(type_of(device_memory(64)), cudaMemoryTypeDevice);
  EXPECT_EQUAL(type_of(device_memory(64) + 15), cudaMemoryTypeDevice);
  CHECK(cudaHostRegister(pageable.data(), pageable.size() * sizeof(int), cudaHostRegisterDefault));
  EXPECT_EQUAL(type_of(pageable.data()), cudaMemoryTypeHost);
  EXPECT_EQUAL(type_of(pageable.data() + 100), cudaMemoryTypeHost);
  CHECK(cudaHostUnregister(pageable.data()));
  EXPECT_EQUAL(type_of(pageable.data()), cudaMemoryTypeUnregistered);
}

RULE(K1, "cudaMemcpyDefault takes the direction from the pointers",
     runtime_api("Memory Management", "cudaMemcpy")) {
  int source = 5;
  int result = 0;
  int* const one = device_memory(sizeof(int));
  int* const other = device_memory(sizeof(int));
  CHECK(cudaMemcpy(one, &source, sizeof(int), cudaMemcpyDefault));
  CHECK(cudaMemcpy(other, one, sizeof(int), cudaMemcpyDefault));
  CHECK(cudaMemcpy(&result, other, sizeof(int), cudaMemcpyDefault));
  EXPECT_EQUAL(result, 5);
}

RULE(K4, "memory is registered once, and unregistered by its beginning",
     runtime_api("Memory Management", "cudaHostRegister"),
     runtime_api("Memory Management", "cudaHostUnregister")) {
  std::vector<int> memory(1 << 16);
  const std::size_t bytes = memory.size() * sizeof(int);
  CHECK(cudaHostRegister(memory.data(), bytes, cudaHostRegisterDefault));
  EXPECT_EQUAL(cudaHostRegister(memory.data(), bytes, cudaHostRegisterDefault),
               cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQUAL(cudaHostUnregister(memory.data() + 1024), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaHostUnregister(memory.data()), cudaSuccess);
  EXPECT_EQUAL(cudaHostUnregister(memory.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQUAL(cudaHostUnregister(pinned_memory(4096)), cudaErrorInvalidValue);
}

RULE(K5, "freeing nothing succeeds", runtime_api("Memory Management", "cudaFree")) {
  EXPECT_EQUAL(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQUAL(cudaFreeHost(nullptr), cudaSuccess);
}

RULE(K5, "memory is freed once, by its beginning, and by the function of its kind",
     runtime_api("Memory Management", "cudaFree"), measured_on_h200) {
  int on_stack = 0;
  int* const on_device = device_memory(4096);
  int* const pinned = pinned_memory(4096);
  EXPECT_EQUAL(cudaFree(on_device + 1), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFree(&on_stack), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFreeHost(on_device), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFreeHost(&on_stack), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFree(on_device), cudaSuccess);
  EXPECT_EQUAL(cudaFree(on_device), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFreeHost(pinned), cudaSuccess);
}

RULE(M1, "after cudaMemcpy from pageable memory the source may be changed, and later work sees the copy",
     runtime_api("API synchronization behavior", "Memcpy, synchronous")) {
  for (const std::size_t bytes : sizes) {
    std::vector<int> source(bytes / sizeof(int));
    std::vector<int> result(bytes / sizeof(int));
    int* const on_device = device_memory(bytes);
    fill(source.data(), bytes, 1);
    CHECK(cudaMemcpy(on_device, source.data(), bytes, cudaMemcpyHostToDevice));
    fill(source.data(), bytes, 2);
    CHECK(cudaMemcpy(result.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    EXPECT(is_filled(result.data(), bytes, 1));
  }
}

RULE(M2,
     "cudaMemcpy from pinned memory returns when the copy is complete, for streams that are ordered with "
     "nothing too",
     runtime_api("API synchronization behavior", "Memcpy, synchronous")) {
  cudaStream_t const unordered = non_blocking_stream();
  for (const std::size_t bytes : sizes) {
    const std::size_t last = bytes / sizeof(int) - 1;
    int* const source = pinned_memory(bytes);
    int* const on_device = device_memory(bytes);
    volatile int* const found = shared_word();
    fill(source, bytes, 1);
    CHECK(cudaMemcpy(on_device, source, bytes, cudaMemcpyHostToDevice));
    fill(source, bytes, 2);
    copy_word<<<1, 1, 0, unordered>>>(found, on_device + last);
    CHECK(cudaStreamSynchronize(unordered));
    EXPECT_EQUAL(*found, static_cast<int>(last) * 7 + 1);
  }
}

RULE(M3, "cudaMemcpy from the device returns when the copy is complete",
     runtime_api("API synchronization behavior", "Memcpy, synchronous")) {
  for (const std::size_t bytes : sizes) {
    std::vector<int> pageable(bytes / sizeof(int));
    int* const pinned = pinned_memory(bytes);
    int* const on_device = device_memory(bytes);
    fill(pinned, bytes, 1);
    CHECK(cudaMemcpy(on_device, pinned, bytes, cudaMemcpyHostToDevice));
    std::memset(pinned, 0, bytes);
    CHECK(cudaMemcpy(pinned, on_device, bytes, cudaMemcpyDeviceToHost));
    EXPECT(is_filled(pinned, bytes, 1));
    CHECK(cudaMemcpy(pageable.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    EXPECT(is_filled(pageable.data(), bytes, 1));
  }
}

RULE(M3, "cudaMemcpy from the device waits for the kernel before it",
     runtime_api("API synchronization behavior", "Memcpy, synchronous")) {
  volatile int* const on_device = device_word();
  volatile int* const pinned = shared_word();
  int pageable = 0;
  store_late<<<1, 1>>>(on_device, 1, late_cycles);
  CHECK(cudaMemcpy(untyped(pinned), untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(*pinned, 1);
  store_late<<<1, 1>>>(on_device, 2, late_cycles);
  CHECK(cudaMemcpy(&pageable, untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(pageable, 2);
}

RULE(M4, "cudaMemcpy inside the device does not wait for the device",
     runtime_api("API synchronization behavior", "Memcpy, synchronous")) {
  cudaStream_t const held = blocking_stream();
  volatile int* const source = device_word();
  volatile int* const destination = device_word();
  int result = 0;
  gate closed;
  closed.hold_then_store(held, source, 1);
  CHECK(cudaMemcpy(untyped(destination), untyped(source), sizeof(int), cudaMemcpyDeviceToDevice));
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  let_device_run();
  closed.release();
  CHECK(cudaMemcpy(&result, untyped(destination), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 1);
}

RULE(M5, "cudaMemcpy from host to host waits for blocking streams, and is complete when it returns",
     runtime_api("API synchronization behavior", "Memcpy, synchronous"),
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const busy = blocking_stream();
  volatile int* const source = shared_word();
  int pageable = 0;
  volatile int* const pinned = shared_word();
  store_late<<<1, 1, 0, busy>>>(source, 1, late_cycles);
  CHECK(cudaMemcpy(&pageable, untyped(source), sizeof(int), cudaMemcpyHostToHost));
  EXPECT_EQUAL(pageable, 1);
  store_late<<<1, 1, 0, busy>>>(source, 2, late_cycles);
  CHECK(cudaMemcpy(untyped(pinned), untyped(source), sizeof(int), cudaMemcpyHostToHost));
  EXPECT_EQUAL(*pinned, 2);
}

RULE(M5, "cudaMemcpy from host to host does not wait for non-blocking streams",
     runtime_api("API synchronization behavior", "Memcpy, synchronous"),
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const held = non_blocking_stream();
  int source = 1;
  int destination = 0;
  gate closed;
  closed.hold(held);
  CHECK(cudaMemcpy(&destination, &source, sizeof(int), cudaMemcpyHostToHost));
  EXPECT_EQUAL(destination, 1);
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(held));
}

RULE(M7, "cudaMemcpyAsync from pinned memory returns at once and reads the source when it runs",
     runtime_api("API synchronization behavior", "Memcpy, asynchronous"),
     runtime_api("Memory Management", "cudaMemcpyAsync"), measured_on_h200) {
  for (const std::size_t bytes : sizes) {
    cudaStream_t const stream = blocking_stream();
    std::vector<int> result(bytes / sizeof(int));
    int* const source = pinned_memory(bytes);
    int* const on_device = device_memory(bytes);
    gate closed;
    fill(source, bytes, 1);
    closed.hold(stream);
    CHECK(cudaMemcpyAsync(on_device, source, bytes, cudaMemcpyHostToDevice, stream));
    EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
    fill(source, bytes, 2);
    closed.release();
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(result.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    EXPECT(is_filled(result.data(), bytes, 2));
  }
}

RULE(M7, "cudaMemcpyAsync to pinned memory returns at once; until it has run, the old bytes are there",
     runtime_api("API synchronization behavior", "Memcpy, asynchronous")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const on_device = device_word();
  volatile int* const destination = shared_word(5);
  store<<<1, 1>>>(on_device, 1);
  gate closed;
  closed.hold(stream);
  CHECK(
      cudaMemcpyAsync(untyped(destination), untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost, stream));
  let_device_run();
  EXPECT_EQUAL(*destination, 5);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*destination, 1);
}

RULE(M7, "registered memory is as good as allocated pinned memory",
     runtime_api("Memory Management", "cudaHostRegister")) {
  cudaStream_t const stream = blocking_stream();
  std::vector<int> memory(1 << 16);
  const std::size_t bytes = memory.size() * sizeof(int);
  int* const on_device = device_memory(bytes);
  CHECK(cudaHostRegister(memory.data(), bytes, cudaHostRegisterDefault));
  gate closed;
  closed.hold(stream);
  CHECK(cudaMemcpyAsync(on_device, memory.data(), bytes, cudaMemcpyHostToDevice, stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  fill(memory.data(), bytes, 2);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  std::memset(memory.data(), 0, bytes);
  CHECK(cudaMemcpy(memory.data(), on_device, bytes, cudaMemcpyDeviceToHost));
  EXPECT(is_filled(memory.data(), bytes, 2));
  CHECK(cudaHostUnregister(memory.data()));
}

// Whether such a copy blocks the host, and when it reads its source, is left open: a program may rely on
// neither.
RULE(M8, "cudaMemcpyAsync with pageable memory keeps its place in the stream",
     runtime_api("API synchronization behavior", "Memcpy, asynchronous")) {
  for (const std::size_t bytes : sizes) {
    cudaStream_t const stream = blocking_stream();
    std::vector<int> source(bytes / sizeof(int));
    std::vector<int> result(bytes / sizeof(int));
    int* const on_device = device_memory(bytes);
    fill(source.data(), bytes, 1);
    store_late<<<1, 1, 0, stream>>>(on_device, 9, late_cycles);
    CHECK(cudaMemcpyAsync(on_device, source.data(), bytes, cudaMemcpyHostToDevice, stream));
    store_late<<<1, 1, 0, stream>>>(on_device, 3, late_cycles);
    CHECK(cudaMemcpyAsync(result.data(), on_device, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQUAL(result[0], 3);
    result[0] = 1;
    EXPECT(is_filled(result.data(), bytes, 1));
  }
}

RULE(M10, "cudaMemcpyAsync from host to host is complete when it returns",
     runtime_api("API synchronization behavior", "Memcpy, asynchronous")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const source = shared_word();
  volatile int* const pinned = shared_word();
  int pageable = 0;
  store_late<<<1, 1, 0, stream>>>(source, 1, late_cycles);
  CHECK(cudaMemcpyAsync(&pageable, untyped(source), sizeof(int), cudaMemcpyHostToHost, stream));
  EXPECT_EQUAL(pageable, 1);
  store_late<<<1, 1, 0, stream>>>(source, 2, late_cycles);
  CHECK(cudaMemcpyAsync(untyped(pinned), untyped(source), sizeof(int), cudaMemcpyHostToHost, stream));
  EXPECT_EQUAL(*pinned, 2);
}

RULE(M11, "cudaMemcpyAsync inside the device returns at once",
     runtime_api("API synchronization behavior", "Memcpy, asynchronous")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const source = device_word();
  volatile int* const destination = device_word();
  int result = 0;
  gate closed;
  closed.hold_then_store(stream, source, 1);
  CHECK(
      cudaMemcpyAsync(untyped(destination), untyped(source), sizeof(int), cudaMemcpyDeviceToDevice, stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&result, untyped(destination), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 1);
}

RULE(M12, "cudaMemset of device memory does not wait for the device",
     runtime_api("Memory Management", "cudaMemset"), runtime_api("API synchronization behavior", "Memset")) {
  cudaStream_t const held = blocking_stream();
  volatile int* const word = device_word();
  int result = 0;
  gate closed;
  closed.hold_then_store(held, word, 1);
  CHECK(cudaMemset(untyped(word), 0x11, sizeof(int)));
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  let_device_run();
  closed.release();
  CHECK(cudaMemcpy(&result, untyped(word), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 0x11111111);
}

RULE(M12, "cudaMemset of pinned memory is complete when it returns",
     runtime_api("Memory Management", "cudaMemset"), runtime_api("API synchronization behavior", "Memset")) {
  cudaStream_t const busy = blocking_stream();
  volatile int* const word = shared_word();
  store_late<<<1, 1, 0, busy>>>(word, 1, late_cycles);
  CHECK(cudaMemset(untyped(word), 0x11, sizeof(int)));
  EXPECT_EQUAL(*word, 0x11111111);
}

RULE(M12, "cudaMemsetAsync keeps its place in the stream and returns at once",
     runtime_api("API synchronization behavior", "Memset")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const before = device_word();
  volatile int* const between = shared_word();
  int after = 0;
  gate closed;
  closed.hold_then_store(stream, before, 1);
  copy_word<<<1, 1, 0, stream>>>(between, before);
  CHECK(cudaMemsetAsync(untyped(before), 0x22, sizeof(int), stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  let_device_run();
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&after, untyped(before), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(*between, 1);
  EXPECT_EQUAL(after, 0x22222222);
}

RULE(M14, "a direction that does not exist is refused, and copying nothing succeeds",
     runtime_api("Memory Management", "cudaMemcpy"), measured_on_h200) {
  int value = 0;
  int* const on_device = device_memory(sizeof(int));
  EXPECT_EQUAL(cudaMemcpy(on_device, &value, sizeof(int), static_cast<cudaMemcpyKind>(99)),
               cudaErrorInvalidMemcpyDirection);
  EXPECT_EQUAL(
      cudaMemcpyAsync(on_device, &value, sizeof(int), static_cast<cudaMemcpyKind>(99), blocking_stream()),
      cudaErrorInvalidMemcpyDirection);
  EXPECT_EQUAL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
}

RULE(M14, "a copy needs both pointers, and room behind them", runtime_api("Memory Management", "cudaMemcpy"),
     measured_on_h200) {
  int value = 0;
  std::vector<int> large(1 << 20);
  int* const on_device = device_memory(4096);
  EXPECT_EQUAL(cudaMemcpy(nullptr, &value, sizeof(int), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpy(on_device, large.data(), large.size() * sizeof(int), cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
}
