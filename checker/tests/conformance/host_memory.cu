// host_memory.cu: pinned memory, allocated and registered, and what pointers tell.
#include "conformance/gate.h"

using namespace conformance;

namespace {

constexpr std::size_t page = 4096;

/// Pageable memory that shares no page with other data.
char* pageable_pages(std::size_t count) { return static_cast<char*>(std::aligned_alloc(page, count * page)); }

unsigned int flags_of(void* pinned) {
  unsigned int flags = 0;
  CHECK(cudaHostGetFlags(&flags, pinned));
  return flags;
}

__global__ void increase_each(int* values) { ++values[blockIdx.x * blockDim.x + threadIdx.x]; }

/// Milliseconds of the second of two kernels that go over `count` numbers.
float time_of_increases(int* values, int count) {
  constexpr int threads = 256;
  cudaEvent_t const begin = new_event();
  cudaEvent_t const end = new_event();
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaEventRecord(begin));
    increase_each<<<count / threads, threads>>>(values);
    CHECK(cudaEventRecord(end));
  }
  CHECK(cudaDeviceSynchronize());
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds;
}

}  // namespace

RULE(K3, "pinned memory is mapped whatever its flags, and keeps the write-combined one",
     runtime_api("Memory Management", "cudaHostAlloc"), runtime_api("Memory Management", "cudaHostGetFlags"),
     measured_on_h200) {
  for (const unsigned int flags : {0u, 1u, 2u, 4u, 7u}) {
    void* memory = nullptr;
    CHECK(cudaHostAlloc(&memory, 64, flags));
    EXPECT_EQUAL(flags_of(memory), cudaHostAllocMapped | (flags & cudaHostAllocWriteCombined));
  }
  void* memory = nullptr;
  EXPECT_EQUAL(cudaHostAlloc(&memory, 64, 8), cudaErrorInvalidValue);
}

RULE(K3, "kernels use pinned memory through its host address, which is its device address",
     runtime_api("Unified Addressing", "Overview"),
     runtime_api("Memory Management", "cudaHostGetDevicePointer")) {
  int* pinned = nullptr;
  int* on_device = nullptr;
  CHECK(cudaHostAlloc(&pinned, 2 * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&on_device, pinned + 1, 0));
  EXPECT(on_device == pinned + 1);
  store<<<1, 1>>>(on_device, 7);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(pinned[1], 7);
}

RULE(K3, "a kernel gets pinned memory over the link, which takes many times as long as memory of its device",
     programming_guide("Page-Locked Host Memory", "Mapped Memory")) {
  constexpr int count = 4 << 20;
  int* pinned = nullptr;
  int* on_device = nullptr;
  CHECK(cudaMallocHost(&pinned, count * sizeof(int)));
  CHECK(cudaMalloc(&on_device, count * sizeof(int)));
  EXPECT(time_of_increases(pinned, count) > 4 * time_of_increases(on_device, count));
}

RULE(K4, "kernels use registered memory", runtime_api("Memory Management", "cudaHostRegister")) {
  int* const memory = reinterpret_cast<int*>(pageable_pages(2));
  int* on_device = nullptr;
  CHECK(cudaHostRegister(memory, 2 * page, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&on_device, memory, 0));
  for (int i = 0; i < 4; ++i) store<<<1, 1>>>(on_device + 500 * i, i + 1);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(memory[0], 1);
  EXPECT_EQUAL(memory[1500], 4);
  CHECK(cudaHostUnregister(memory));
  EXPECT_EQUAL(memory[500], 2);
}

RULE(K4, "memory is registered once, and unregistered by its beginning",
     runtime_api("Memory Management", "cudaHostRegister"),
     runtime_api("Memory Management", "cudaHostUnregister")) {
  char* const memory = pageable_pages(2);
  CHECK(cudaHostRegister(memory, page, cudaHostRegisterPortable));
  EXPECT_EQUAL(flags_of(memory), cudaHostRegisterPortable | cudaHostRegisterMapped);
  EXPECT_EQUAL(cudaHostRegister(memory, page, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQUAL(cudaHostRegister(memory + page / 2, page, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQUAL(cudaHostRegister(memory + page, page, 0), cudaSuccess);
  EXPECT_EQUAL(cudaHostUnregister(memory + 8), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaHostUnregister(memory), cudaSuccess);
  EXPECT_EQUAL(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQUAL(cudaHostRegister(memory, page, 0), cudaSuccess);
  EXPECT_EQUAL(cudaHostRegister(nullptr, page, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaHostRegister(memory, page, 16), cudaErrorInvalidValue);
}

RULE(K4, "a copy of memory whose registration is over is staged again",
     runtime_api("Memory Management", "cudaHostUnregister"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  char* const memory = pageable_pages(1);
  char* on_device = nullptr;
  char result = 0;
  CHECK(cudaMalloc(&on_device, page));
  CHECK(cudaHostRegister(memory, page, 0));
  CHECK(cudaMemcpyAsync(on_device, memory, page, cudaMemcpyHostToDevice, stream));
  CHECK(cudaHostUnregister(memory));
  memory[0] = 3;
  CHECK(cudaMemcpyAsync(on_device, memory, page, cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&result, on_device, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 3);
}

RULE(K1, "a pointer tells which kind of memory it points into",
     runtime_api("Unified Addressing", "cudaPointerGetAttributes")) {
  cudaPointerAttributes is{};
  int local = 0;
  void* pinned = nullptr;
  char* device = nullptr;
  void* managed = nullptr;
  char* const registered = pageable_pages(1);
  CHECK(cudaMallocHost(&pinned, 64));
  CHECK(cudaMalloc(&device, 64));
  CHECK(cudaMallocManaged(&managed, 64));
  CHECK(cudaHostRegister(registered, page, 0));
  CHECK(cudaPointerGetAttributes(&is, &local));
  EXPECT_EQUAL(is.type, cudaMemoryTypeUnregistered);
  CHECK(cudaPointerGetAttributes(&is, pinned));
  EXPECT_EQUAL(is.type, cudaMemoryTypeHost);
  EXPECT(is.devicePointer == pinned);
  CHECK(cudaPointerGetAttributes(&is, registered + 8));
  EXPECT_EQUAL(is.type, cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&is, device + 8));
  EXPECT_EQUAL(is.type, cudaMemoryTypeDevice);
  EXPECT_EQUAL(is.device, 0);
  CHECK(cudaPointerGetAttributes(&is, managed));
  EXPECT_EQUAL(is.type, cudaMemoryTypeManaged);
  EXPECT(is.devicePointer == managed && is.hostPointer == managed);
}

RULE(K1, "only pinned memory has flags and a device pointer",
     runtime_api("Memory Management", "cudaHostGetFlags"),
     runtime_api("Memory Management", "cudaHostGetDevicePointer")) {
  unsigned int flags = 0;
  int local = 0;
  void* device = nullptr;
  void* found = nullptr;
  CHECK(cudaMalloc(&device, 64));
  EXPECT_EQUAL(cudaHostGetFlags(&flags, &local), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaHostGetFlags(&flags, device), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaHostGetDevicePointer(&found, &local, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaHostGetDevicePointer(&found, device, 0), cudaErrorInvalidValue);
}

RULE(K1, "with cudaMemcpyDefault the pointers alone decide", runtime_api("Memory Management", "cudaMemcpy")) {
  int* pinned = nullptr;
  int* device = nullptr;
  int local = 5;
  CHECK(cudaMallocHost(&pinned, sizeof(int)));
  CHECK(cudaMalloc(&device, sizeof(int)));
  CHECK(cudaMemcpy(device, &local, sizeof(int), cudaMemcpyDefault));
  CHECK(cudaMemcpy(pinned, device, sizeof(int), cudaMemcpyDefault));
  EXPECT_EQUAL(*pinned, 5);
}

RULE(K2, "memory that is allocated is no longer free", runtime_api("Memory Management", "cudaMemGetInfo")) {
  std::size_t before = 0, after = 0, total = 0;
  void* device = nullptr;
  CHECK(cudaMemGetInfo(&before, &total));
  CHECK(cudaMalloc(&device, 256 << 20));
  CHECK(cudaMemGetInfo(&after, &total));
  EXPECT(before <= total && after + (256u << 20) <= before);
}
