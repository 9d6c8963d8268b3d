// warps.cu: operations of the threads of a warp.
#include "conformance/gate.h"

using namespace conformance;

namespace {

constexpr unsigned int all_lanes = 0xffffffff;

/// Runs one block and gives back `per_thread` results of each thread.
template <typename Value, typename... Parameters>
std::vector<Value> results_of(void (*kernel)(Value*, Parameters...), unsigned int threads,
                              unsigned int per_thread = 1) {
  Value* device = nullptr;
  CHECK(cudaMalloc(&device, threads * per_thread * sizeof(Value)));
  CHECK(cudaMemset(device, 0, threads * per_thread * sizeof(Value)));
  kernel<<<1, threads>>>(device);
  CHECK(cudaGetLastError());
  std::vector<Value> results(threads * per_thread);
  CHECK(cudaMemcpy(results.data(), device, results.size() * sizeof(Value), cudaMemcpyDeviceToHost));
  return results;
}

template <typename Value>
__global__ void shuffle_all(Value* out) {
  const int t = static_cast<int>(threadIdx.x);
  const Value own = static_cast<Value>(t * 3);
  out[5 * t] = __shfl_sync(all_lanes, own, 5);
  out[5 * t + 1] = __shfl_up_sync(all_lanes, own, 2, 8);
  out[5 * t + 2] = __shfl_down_sync(all_lanes, own, 3, 16);
  out[5 * t + 3] = __shfl_xor_sync(all_lanes, own, 1);
  out[5 * t + 4] = __shfl_sync(all_lanes, own, 9, 4);
}

/// Each third thread takes a place; one thread of the warp counts for all of them.
__global__ void take_places(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x % 3 != 0) return;
  const unsigned int here = __activemask();
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int leader = __ffs(static_cast<int>(here)) - 1;
  int first = 0;  // of the leader alone
  if (lane == leader) first = atomicAdd(&count, __popc(here));
  out[threadIdx.x] = __shfl_sync(here, first, leader) + __popc(here & ((1u << lane) - 1));
}

template <typename Value>
void expect_shuffles() {
  const auto result = results_of(shuffle_all<Value>, 64, 5);
  for (int t = 0; t < 64; ++t) {
    const int first = t / 32 * 32;
    EXPECT_EQUAL(result[5 * t], static_cast<Value>(3 * (first + 5)));
    EXPECT_EQUAL(result[5 * t + 1], static_cast<Value>(3 * (t % 8 < 2 ? t : t - 2)));
    EXPECT_EQUAL(result[5 * t + 2], static_cast<Value>(3 * (t % 16 + 3 < 16 ? t + 3 : t)));
    EXPECT_EQUAL(result[5 * t + 3], static_cast<Value>(3 * (t ^ 1)));
    EXPECT_EQUAL(result[5 * t + 4], static_cast<Value>(3 * (t / 4 * 4 + 1)));
  }
}

__global__ void vote(unsigned int* out) {
  const unsigned int t = threadIdx.x;
  out[5 * t] = __ballot_sync(all_lanes, t % 3 == 0);
  out[5 * t + 1] = __all_sync(all_lanes, t < 32) != 0;
  out[5 * t + 2] = __any_sync(all_lanes, t == 31) != 0;
  out[5 * t + 3] = __match_any_sync(all_lanes, t % 4);
  int are_equal = 5;
  out[5 * t + 4] = __match_all_sync(all_lanes, t / 32, &are_equal) + (are_equal != 0);
}

/// The instructions are there from compute capability 8.0 on.
__global__ void reduce(unsigned int* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned int t = threadIdx.x;
  out[3 * t] = __reduce_add_sync(all_lanes, t) + __reduce_max_sync(all_lanes, static_cast<int>(t) - 40);
  out[3 * t + 1] = __reduce_xor_sync(all_lanes, 1u << t % 32) + __reduce_min_sync(all_lanes, t + 7);
  out[3 * t + 2] = __reduce_and_sync(all_lanes, t | 8u) + __reduce_or_sync(all_lanes, t);
#endif
}

/// Each half of the warp works for itself, in its branch, a different number of times.
__global__ void diverge(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  int sum = t;
  if (t % 2 == 0) {
    for (int i = 0; i < 3; ++i) sum += __shfl_xor_sync(0x55555555u, sum, 2);
  } else {
    for (int i = 0; i < 5; ++i) sum += __shfl_xor_sync(0xaaaaaaaau, sum, 2);
  }
  __syncwarp();
  out[t] = __shfl_sync(all_lanes, sum, t ^ 1);
}

__global__ void leave_early(unsigned int* out) {
  const unsigned int t = threadIdx.x;
  if (t >= 20) return;
  out[4 * t] = __ballot_sync(all_lanes, 1);
  __syncwarp();
  out[4 * t + 1] = __any_sync(all_lanes, t == 25) != 0;
  out[4 * t + 2] = __all_sync(all_lanes, t < 20) != 0;
  out[4 * t + 3] = __activemask();
}

/// Counts with one atomic update for all threads that are there together.
__global__ void count_together(unsigned int* out) {
  if (threadIdx.x % 4 != 1) return;
  const unsigned int active = __activemask();
  const int leader = __ffs(active) - 1;
  unsigned int first = 0;
  if (static_cast<int>(threadIdx.x % 32) == leader)
    first = atomicAdd(out, static_cast<unsigned int>(__popc(active)));
  first = __shfl_sync(active, first, leader);
  const unsigned int place = first + __popc(active & ((1u << threadIdx.x % 32) - 1));
  out[1 + place] = 1;
}

__global__ void sum_block(int* out) {
  __shared__ int of_warp[32];
  int sum = static_cast<int>(threadIdx.x);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(all_lanes, sum, offset);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

}  // namespace

RULE(W1, "shuffles of every type that CUDA has them for, and of segments",
     programming_guide("C++ language extensions", "warp shuffle functions")) {
  expect_shuffles<int>();
  expect_shuffles<unsigned int>();
  expect_shuffles<long long>();
  expect_shuffles<unsigned long long>();
  expect_shuffles<float>();
  expect_shuffles<double>();
}

RULE(W1, "only the lane whose value is asked for needs one",
     programming_guide("C++ language extensions", "warp shuffle functions")) {
  const auto result = results_of(take_places, 64);
  int sum = 0;
  for (int t = 0; t < 64; t += 3) sum += result[t];
  EXPECT_EQUAL(sum, 21 * 22 / 2);  // the places 0 to 21, whichever warp came first
}

RULE(W2, "votes and matches", programming_guide("C++ language extensions", "warp vote functions"),
     programming_guide("C++ language extensions", "warp match functions")) {
  const auto result = results_of(vote, 64, 5);
  for (unsigned int t = 0; t < 64; ++t) {
    const unsigned int first = t / 32 * 32;
    unsigned int thirds = 0;
    for (unsigned int lane = 0; lane < 32; ++lane) thirds |= ((first + lane) % 3 == 0 ? 1u : 0u) << lane;
    EXPECT_EQUAL(result[5 * t], thirds);
    EXPECT_EQUAL(result[5 * t + 1], first == 0 ? 1u : 0u);
    EXPECT_EQUAL(result[5 * t + 2], first == 0 ? 1u : 0u);
    EXPECT_EQUAL(result[5 * t + 3], 0x11111111u << t % 4);
    EXPECT_EQUAL(result[5 * t + 4], all_lanes + 1u);
  }
}

RULE(W2, "reductions", programming_guide("C++ language extensions", "warp reduce functions")) {
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  if (device.major < 8) not_observable("the device has compute capability below 8.0");
  const auto result = results_of(reduce, 64, 3);
  for (unsigned int t = 0; t < 64; ++t) {
    const unsigned int first = t / 32 * 32;
    EXPECT_EQUAL(result[3 * t], 32 * first + 31 * 16 + first + 31 - 40);
    EXPECT_EQUAL(result[3 * t + 1], all_lanes + first + 7);
    EXPECT_EQUAL(result[3 * t + 2], first + 8 + first + 31);
  }
}

RULE(W3, "threads of a warp meet in different branches with different masks",
     programming_guide("C++ language extensions", "synchronization functions")) {
  const auto result = results_of(diverge, 32);
  for (int t = 0; t < 32; ++t) {
    const int from = t ^ 1;
    const int rounds = from % 2 == 0 ? 3 : 5;
    EXPECT_EQUAL(result[t], (from + (from ^ 2)) << (rounds - 1));
  }
}

RULE(W3, "lanes that have ended are not waited for", measured_on_h200) {
  const auto result = results_of(leave_early, 32, 4);
  for (int t = 0; t < 20; ++t) {
    EXPECT_EQUAL(result[4 * t], 0xfffffu);
    EXPECT_EQUAL(result[4 * t + 1], 0u);
    EXPECT_EQUAL(result[4 * t + 2], 1u);
    EXPECT_EQUAL(result[4 * t + 3], 0xfffffu);
  }
}

RULE(W4, "the active threads of a warp count together",
     programming_guide("C++ language extensions", "warp vote functions")) {
  const auto result = results_of(count_together, 64);
  EXPECT_EQUAL(result[0], 16u);
  for (int place = 0; place < 16; ++place) EXPECT_EQUAL(result[1 + place], 1u);
}

RULE(W5, "a sum over a block of warps",
     programming_guide("C++ language extensions", "warp shuffle functions")) {
  const auto result = results_of(sum_block, 256);
  EXPECT_EQUAL(result[0], 255 * 128);
}
