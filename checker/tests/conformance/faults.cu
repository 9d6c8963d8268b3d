// faults.cu: memory that is used where it may not be, by kernels, by copies and by the host.
#include "conformance/gate.h"
#include "conformance/process_end.h"

using namespace conformance;

namespace {

constexpr std::size_t large = 64 << 20;

struct colour {
  unsigned char red, green, blue;
};

struct packed_word {
  unsigned char bytes[4];
};

__global__ void store_at(char* begin, long long offset) { *reinterpret_cast<int*>(begin + offset) = 1; }
__global__ void load_from(const int* where, int* result) { *result = *where; }
__global__ void store_bytes(colour* colours, packed_word* words) {
  colours[1] = {1, 2, 3};
  reinterpret_cast<packed_word*>(reinterpret_cast<unsigned char*>(words) + 1)[0] = {{4, 5, 6, 7}};
}
__global__ void store_in_shared_memory(int offset) {
  __shared__ char room[64];
  *reinterpret_cast<volatile int*>(room + offset) = offset;
}

char* device_bytes(std::size_t bytes) {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, bytes));
  return static_cast<char*>(memory);
}

}  // namespace

RULE(F1, "a kernel that uses pageable host memory fails with an illegal address",
     runtime_api("Data types", "cudaErrorIllegalAddress"), measured_on_h200) {
  static int pageable = 1;
  int* const result = reinterpret_cast<int*>(device_bytes(sizeof(int)));
  std::vector<int> heap(1000);
  load_from<<<1, 1>>>(heap.data(), result);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQUAL(cudaMemcpy(&pageable, result, sizeof(int), cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
}

RULE(F2, "a kernel that writes far behind all memory fails with an illegal address",
     runtime_api("Data types", "cudaErrorIllegalAddress")) {
  char* const memory = device_bytes(large);
  store_at<<<1, 1>>>(memory, 1LL << 38);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

RULE(F3, "a kernel that uses memory after cudaFree fails with an illegal address",
     runtime_api("Data types", "cudaErrorIllegalAddress"), measured_on_h200) {
  char* const memory = device_bytes(large);
  store_at<<<1, 1>>>(memory, 0);
  CHECK(cudaFree(memory));
  store_at<<<1, 1>>>(memory, 0);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

RULE(F4,
     "a kernel that uses a word at an address that is no multiple of its size fails with a misaligned "
     "address",
     runtime_api("Data types", "cudaErrorMisalignedAddress")) {
  char* const memory = device_bytes(64);
  cudaStream_t stream = nullptr;
  store_at<<<1, 1>>>(memory, 2);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  EXPECT_EQUAL(cudaStreamCreate(&stream), cudaErrorMisalignedAddress);
}

RULE(F4, "a misaligned word of shared memory fails in the same way",
     runtime_api("Data types", "cudaErrorMisalignedAddress"), measured_on_h200) {
  store_in_shared_memory<<<1, 1>>>(8);
  CHECK(cudaDeviceSynchronize());
  store_in_shared_memory<<<1, 1>>>(9);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
}

RULE(F4, "structs of bytes may lie at any address",
     programming_guide("C++ language extensions", "built-in vector types"), measured_on_h200) {
  unsigned char found[16] = {};
  char* const memory = device_bytes(64);
  store_bytes<<<1, 1>>>(reinterpret_cast<colour*>(memory), reinterpret_cast<packed_word*>(memory + 8));
  CHECK(cudaMemcpy(found, memory, sizeof(found), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(found[3], 1);
  EXPECT_EQUAL(found[5], 3);
  EXPECT_EQUAL(found[9], 4);
  EXPECT_EQUAL(found[12], 7);
}

RULE(F5, "host code that reads device memory ends the process", measured_on_h200) {
  EXPECT(ends_process([] {
    volatile const char* const memory = device_bytes(64);
    const char found = memory[0];
    static_cast<void>(found);
  }));
}

RULE(F5, "host code that writes device memory ends the process", measured_on_h200) {
  EXPECT(ends_process([] {
    volatile char* const memory = device_bytes(64);
    memory[0] = 1;
  }));
}

RULE(F6, "a copy that ends behind its memory is refused, and later calls work",
     runtime_api("Data types", "cudaErrorInvalidValue"), measured_on_h200) {
  char* const memory = device_bytes(large);
  std::vector<char> host(large + 1);
  EXPECT_EQUAL(cudaMemcpy(memory, host.data(), large + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemset(memory, 0, large + 1), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpy(memory, host.data(), large, cudaMemcpyHostToDevice), cudaSuccess);
}

RULE(F7, "a copy inside the device from memory that was freed is refused", measured_on_h200) {
  char* const memory = device_bytes(large);
  char* const other = device_bytes(large);
  CHECK(cudaFree(memory));
  EXPECT_EQUAL(cudaMemcpy(other, memory, 64, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
}

RULE(K5, "memory is freed once, as what it is, at its beginning",
     runtime_api("Memory Management", "cudaFree"), measured_on_h200) {
  char* const memory = device_bytes(4096);
  void* pinned = nullptr;
  int local = 0;
  CHECK(cudaMallocHost(&pinned, 4096));
  EXPECT_EQUAL(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQUAL(cudaFree(memory + 256), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFree(&local), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFreeHost(memory), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFree(memory), cudaSuccess);
  EXPECT_EQUAL(cudaFree(memory), cudaErrorInvalidValue);
}
