// launches.cu: the size of a launch, and its arguments.
#include "conformance/gate.h"

using namespace conformance;

namespace {

__global__ void count_threads(unsigned int* count) { atomicAdd(count, 1u); }

struct many_numbers {
  int number[256];
};

__global__ void sum_up(volatile int* sum, const volatile int* gate_flag, many_numbers numbers) {
  while (*gate_flag == 0) {
  }
  int total = 0;
  for (int i = 0; i < 256; ++i) total += numbers.number[i];
  *sum = total;
}

/// Counts the objects of its kind that the host has.
struct counted {
  explicit counted(int number) : value(number) { ++alive; }
  counted(const counted& other) : value(other.value) { ++alive; }
  ~counted() {
    value = 0;
    --alive;
  }
  volatile int value;
  static int alive;
};
int counted::alive = 0;

/// The same, copied bit by bit.
struct owner {
  explicit owner(int number) : value(number) { ++alive; }
  ~owner() { --alive; }
  int value;
  static int alive;
};
int owner::alive = 0;

__global__ void store_value_of(int* where, owner object) { where[threadIdx.x] = object.value; }
__global__ void store_value_of(int* where, counted object) { where[threadIdx.x] = object.value; }

__global__ void add_to(int& sum, const int& term) { atomicAdd(&sum, term); }

/// Launches that many threads and lets each count itself; 0 when the launch was refused.
unsigned int threads_run(dim3 grid, dim3 block, std::size_t shared_memory_bytes = 0) {
  static unsigned int* const count = reinterpret_cast<unsigned int*>(untyped(device_word()));
  CHECK(cudaMemset(count, 0, sizeof(unsigned int)));
  count_threads<<<grid, block, shared_memory_bytes>>>(count);
  const cudaError_t error = cudaGetLastError();
  unsigned int result = 0;
  CHECK(cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost));
  if (error == cudaSuccess) return result;
  // The documentation names the first, CUDA 13 on an H200 gives the second.
  EXPECT(error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue);
  EXPECT_EQUAL(result, 0u);
  return 0;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

}  // namespace

RULE(L1, "a launch without blocks or without threads is refused",
     runtime_api("Data types", "cudaErrorInvalidConfiguration"), measured_on_h200) {
  EXPECT_EQUAL(threads_run(dim3(0, 1, 1), 1), 0u);
  EXPECT_EQUAL(threads_run(dim3(1, 0, 1), 1), 0u);
  EXPECT_EQUAL(threads_run(dim3(1, 1, 0), 1), 0u);
  EXPECT_EQUAL(threads_run(1, dim3(0, 1, 1)), 0u);
  EXPECT_EQUAL(threads_run(1, dim3(1, 0, 1)), 0u);
  EXPECT_EQUAL(threads_run(1, dim3(1, 1, 0)), 0u);
  EXPECT_EQUAL(threads_run(2, 3), 6u);
}

RULE(L1, "a launch with more shared memory than a block may have is refused",
     runtime_api("Data types", "cudaErrorInvalidValue"), measured_on_h200) {
  const std::size_t max_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  EXPECT_EQUAL(threads_run(1, 32, max_bytes), 32u);
  EXPECT_EQUAL(threads_run(1, 32, max_bytes + 1), 0u);
}

RULE(L2, "a block has at most 1024 threads, and at most 64 in z",
     programming_guide("compute capabilities", "technical specifications")) {
  EXPECT_EQUAL(attribute(cudaDevAttrMaxThreadsPerBlock), 1024);
  EXPECT_EQUAL(attribute(cudaDevAttrMaxBlockDimX), 1024);
  EXPECT_EQUAL(attribute(cudaDevAttrMaxBlockDimY), 1024);
  EXPECT_EQUAL(attribute(cudaDevAttrMaxBlockDimZ), 64);
  EXPECT_EQUAL(threads_run(1, 1024), 1024u);
  EXPECT_EQUAL(threads_run(1, 1025), 0u);
  EXPECT_EQUAL(threads_run(1, dim3(1, 1024, 1)), 1024u);
  EXPECT_EQUAL(threads_run(1, dim3(1, 1, 64)), 64u);
  EXPECT_EQUAL(threads_run(1, dim3(1, 1, 65)), 0u);
  EXPECT_EQUAL(threads_run(1, dim3(32, 32, 2)), 0u);
}

RULE(L2, "a grid has at most 65535 blocks in y and in z, and more than that in x",
     programming_guide("compute capabilities", "technical specifications")) {
  EXPECT_EQUAL(attribute(cudaDevAttrMaxGridDimX), 2147483647);
  EXPECT_EQUAL(attribute(cudaDevAttrMaxGridDimY), 65535);
  EXPECT_EQUAL(attribute(cudaDevAttrMaxGridDimZ), 65535);
  EXPECT_EQUAL(threads_run(65536, 1), 65536u);
  EXPECT_EQUAL(threads_run(dim3(1, 65535, 1), 1), 65535u);
  EXPECT_EQUAL(threads_run(dim3(1, 65536, 1), 1), 0u);
  EXPECT_EQUAL(threads_run(dim3(1, 1, 65535), 1), 65535u);
  EXPECT_EQUAL(threads_run(dim3(1, 1, 65536), 1), 0u);
}

RULE(L3, "arguments are copied at the launch: changing them afterwards changes nothing",
     runtime_api("Execution Control", "cudaLaunchKernel")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const word = shared_word();
  int value = 1;
  gate closed;
  closed.hold(stream);
  store<<<1, 1, 0, stream>>>(word, value);
  value = 2;
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 1);
}

RULE(L3, "structures are copied at the launch as a whole",
     runtime_api("Execution Control", "cudaLaunchKernel")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const sum = shared_word();
  volatile int* const gate_flag = shared_word();
  many_numbers numbers;
  for (int i = 0; i < 256; ++i) numbers.number[i] = i;
  sum_up<<<1, 1, 0, stream>>>(sum, gate_flag, numbers);
  for (int& element : numbers.number) element = 0;
  *gate_flag = 1;
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*sum, 255 * 256 / 2);
}

RULE(L3, "objects reach the threads as bytes: their destructors run on the host when the launch returns",
     programming_guide("C++ language support", "__global__ function parameters")) {
  cudaStream_t const stream = blocking_stream();
  int* words = nullptr;
  CHECK(cudaMallocHost(&words, 2 * sizeof(int)));
  gate closed;
  closed.hold(stream);
  {
    const counted object(7);
    store_value_of<<<1, 2, 0, stream>>>(words, object);
    CHECK(cudaGetLastError());
    EXPECT_EQUAL(counted::alive, 1);
  }
  EXPECT_EQUAL(counted::alive, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(counted::alive, 0);
  EXPECT_EQUAL(words[0], 7);
  EXPECT_EQUAL(words[1], 7);
}

RULE(L3, "an owner that is copied bit by bit is destroyed at the launch, and once more at home",
     programming_guide("C++ language support", "__global__ function parameters")) {
  int* words = nullptr;
  CHECK(cudaMallocHost(&words, 2 * sizeof(int)));
  {
    const owner object(7);
    store_value_of<<<1, 2>>>(words, object);
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(words[1], 7);
    EXPECT(owner::alive <= 0);
  }
  EXPECT(owner::alive < 0);
}

RULE(L3, "a reference refers to the object of the launch, which is in memory that the device may use",
     programming_guide("C++ language support", "__global__ function parameters")) {
  int* words = nullptr;
  CHECK(cudaMallocHost(&words, 2 * sizeof(int)));
  words[0] = 1;
  words[1] = 2;
  add_to<<<1, 3>>>(words[0], words[1]);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(words[0], 7);
}

RULE(L3, "what a pointer points at is read when the kernel runs",
     programming_guide("Asynchronous Execution", "asynchronous operations"), measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const source = shared_word(1);
  volatile int* const found = shared_word();
  gate closed;
  closed.hold(stream);
  copy_word<<<1, 1, 0, stream>>>(found, source);
  *source = 2;
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*found, 2);
}
