// scoped_atomics.cu: cuda::atomic and cuda::atomic_ref in kernels, in host code, and between the two.
#include <cuda/atomic>

#include "rule.h"

using namespace conformance;

namespace {

constexpr int threads = 256;
constexpr int blocks = 4;

__device__ cuda::atomic<int, cuda::thread_scope_device> counter{5};

__global__ void count(int* old) {
  old[blockIdx.x * blockDim.x + threadIdx.x] = counter.fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void store_count(int* to) { *to = counter.load(); }

struct results {
  unsigned int largest, smallest, bits;
  float sum;
  long long exchanged;
};

__global__ void update_all(results* to) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<unsigned int, cuda::thread_scope_device>(to->largest).fetch_max(i);
  cuda::atomic_ref<unsigned int, cuda::thread_scope_device>(to->smallest).fetch_min(i);
  cuda::atomic_ref<unsigned int, cuda::thread_scope_device>(to->bits).fetch_or(1u << i % 32);
  cuda::atomic_ref<float, cuda::thread_scope_device>(to->sum).fetch_add(0.5f);
  long long expected = -1;
  cuda::atomic_ref<long long, cuda::thread_scope_device>(to->exchanged).compare_exchange_strong(expected, 7);
}

using flag = cuda::atomic<int, cuda::thread_scope_system>;

__global__ void answer(flag* question, flag* reply, int* data) {
  while (question->load(cuda::memory_order_acquire) == 0) {
  }
  data[1] = data[0] + 1;
  reply->store(1, cuda::memory_order_release);
}

// The first block hands over to the last one.
__global__ void from_block_to_block(int* flag, int* data, int* to) {
  cuda::atomic_ref<int, cuda::thread_scope_device> is_there(*flag);
  if (blockIdx.x == gridDim.x - 1) {
    data[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (threadIdx.x == 0) is_there.store(1, cuda::std::memory_order_release);
  } else if (blockIdx.x == 0) {
    if (threadIdx.x == 0) is_there.wait(0, cuda::memory_order_acquire);
    __syncthreads();
    to[threadIdx.x] = data[threadIdx.x];
  }
}

}  // namespace

RULE(AT1, "an atomic object of the device counts every thread once", programming_guide("C++ language extensions", "Atomic Functions")) {
  int* old = nullptr;
  CHECK(cudaMallocManaged(&old, blocks * threads * sizeof(int)));
  int* total = nullptr;
  CHECK(cudaMallocManaged(&total, sizeof(int)));
  count<<<blocks, threads>>>(old);
  store_count<<<1, 1>>>(total);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*total, 5 + blocks * threads);
  std::vector<int> times(blocks * threads);
  for (int i = 0; i < blocks * threads; ++i) ++times[old[i] - 5];
  for (int count : times) EXPECT_EQUAL(count, 1);
}

RULE(AT1, "references update objects of the program atomically", programming_guide("C++ language extensions", "Atomic Functions")) {
  results* all = nullptr;
  CHECK(cudaMallocManaged(&all, sizeof(results)));
  *all = {0, 1000, 0, 0.0f, -1};
  update_all<<<blocks, threads>>>(all);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(all->largest, blocks * threads - 1u);
  EXPECT_EQUAL(all->smallest, 0u);
  EXPECT_EQUAL(all->bits, ~0u);
  EXPECT_EQUAL(all->sum, 0.5f * blocks * threads);
  EXPECT_EQUAL(all->exchanged, 7LL);
}

RULE(AT2, "a kernel and host code hand over data by an atomic flag in pinned memory",
     programming_guide("C++ language extensions", "Atomic Functions")) {
  void* memory = nullptr;
  CHECK(cudaHostAlloc(&memory, 64, cudaHostAllocMapped));
  auto* const question = new (memory) flag(0);
  auto* const reply = new (static_cast<char*>(memory) + 16) flag(0);
  auto* const data = reinterpret_cast<int*>(static_cast<char*>(memory) + 32);
  answer<<<1, 1>>>(question, reply, data);
  data[0] = 41;
  question->store(1, cuda::memory_order_release);
  while (reply->load(cuda::memory_order_acquire) == 0) {
  }
  EXPECT_EQUAL(data[1], 42);
  CHECK(cudaDeviceSynchronize());
}

RULE(AT2, "a block waits for a flag that another one raises", programming_guide("C++ language extensions", "Atomic Functions")) {
  int* all = nullptr;
  CHECK(cudaMallocManaged(&all, (1 + 2 * threads) * sizeof(int)));
  std::memset(all, 0, (1 + 2 * threads) * sizeof(int));
  from_block_to_block<<<2, threads>>>(all, all + 1, all + 1 + threads);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < threads; ++i) EXPECT_EQUAL(all[1 + threads + i], 3 * i);
}

RULE(AT3, "host code uses atomic objects as the standard's", cpp_standard("atomics.types.operations")) {
  cuda::std::atomic<long long> value(3);
  EXPECT_EQUAL(value.fetch_sub(1), 3LL);
  EXPECT_EQUAL(++value, 3LL);
  EXPECT_EQUAL(value.exchange(9), 3LL);
  cuda::atomic<double> number(0.25);
  number += 0.5;
  EXPECT_EQUAL(number.load(), 0.75);
  int array[3] = {};
  cuda::atomic<int*> place(array);
  EXPECT(place.fetch_add(2) == array);
  EXPECT(place.load() == array + 2);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
}
