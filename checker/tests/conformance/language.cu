// language.cu: what kernels may say: parameters, shared memory, barriers, atomic updates, arithmetic,
// assertions. The headers are those that programs name, although nvcc includes what is in them by itself.
#include <builtin_types.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include <unistd.h>
#include <vector_functions.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <string>

#include "conformance/gate.h"

using namespace conformance;

namespace {

/// Runs a kernel of one block over an array of results and gives them back.
template <typename Value, typename Body>
std::vector<Value> results_of(unsigned int threads, Body launch, std::size_t count = 0) {
  if (count == 0) count = threads;
  Value* device = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(Value)));
  CHECK(cudaMemset(device, 0, count * sizeof(Value)));
  launch(device);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<Value> results(count);
  CHECK(cudaMemcpy(results.data(), device, count * sizeof(Value), cudaMemcpyDeviceToHost));
  return results;
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__host__ __device__ constexpr int squared(int x) { return x * x; }

template <typename Value, int Rows>
__global__ void __launch_bounds__(64) transpose(Value* __restrict__ out) {
  __shared__ Value tile[Rows][Rows + 1];
  extern __shared__ unsigned char rest[];
  Value* const shifted = reinterpret_cast<Value*>(rest);
  const int x = threadIdx.x % Rows;
  const int y = threadIdx.x / Rows;
  tile[y][x] = static_cast<Value>(threadIdx.x);
  shifted[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[x][y] + shifted[Rows * Rows - 1 - threadIdx.x];
}

template <typename Function>
__global__ void apply(int* out, Function function) {
  out[threadIdx.x] = function(static_cast<int>(threadIdx.x));
}

template <typename... Values>
__global__ void add_all(int* out, Values... values) {
  *out = (0 + ... + static_cast<int>(values));
}

__global__ void count_barriers(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  out[3 * t] = __syncthreads_count(t < 5);
  out[3 * t + 1] = __syncthreads_and(t < 40);
  out[3 * t + 2] = __syncthreads_or(t == 39);
}

__global__ void leave_before_barrier(int* out) {
  __shared__ int stage;
  if (threadIdx.x == 0) stage = 7;
  if (threadIdx.x >= 32) return;
  __syncthreads();
  out[threadIdx.x] = stage;
}

struct atomic_results {
  int sum, difference, least, greatest, exchanged, compared, bits_and, bits_or, bits_xor;
  unsigned int up, down;
  unsigned long long wide_sum, wide_greatest;
  float real_sum;
  double double_sum;
};

__global__ void update(atomic_results* to, bool in_shared_memory) {
  __shared__ atomic_results own;
  atomic_results* const target = in_shared_memory ? &own : to;
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) *target = {0, 0, 100, -100, -1, 5, -1, 0, 0, 0, 3, 0, 0, 0, 0};
  __syncthreads();
  atomicAdd(&target->sum, t);
  atomicSub(&target->difference, 1);
  atomicMin(&target->least, t - 10);
  atomicMax_block(&target->greatest, t);
  atomicExch(&target->exchanged, 9);
  atomicCAS(&target->compared, 5, 6);
  atomicAnd(&target->bits_and, ~(1 << t % 4));
  atomicOr_system(&target->bits_or, 1 << t % 8);
  atomicXor(&target->bits_xor, 1 << t % 2);
  atomicInc(&target->up, 9u);
  atomicDec(&target->down, 9u);
  atomicAdd(&target->wide_sum, 1ull << 40);
  atomicMax(&target->wide_greatest, static_cast<unsigned long long>(t) << 33);
  atomicAdd(&target->real_sum, 0.5f);
  atomicAdd(&target->double_sum, 0.25);
  __syncthreads();
  if (t == 0) *to = *target;
}

__global__ void take_turns(int* lock, int* count) {
  bool is_done = false;
  while (!is_done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      const int result = *static_cast<volatile int*>(count);
      __threadfence();
      *static_cast<volatile int*>(count) = result + 1;
      __threadfence();
      atomicExch(lock, 0);
      is_done = true;
    }
  }
}

__global__ void announce(int* number, int* flag) {
  *number = 5;
  __threadfence_system();
  atomicExch_system(flag, 1);
}

__global__ void forward(int* flag, const volatile int* number, int* to) {
  while (atomicAdd(flag, 0) == 0) {
  }
  __threadfence();
  *to = *number;
}

__global__ void wait_for_last_block(volatile int* flag, int* out) {
  if (blockIdx.x == gridDim.x - 1) {
    *flag = 5;
  } else {
    while (*flag == 0) {
    }
    out[blockIdx.x] = *flag;
  }
}

__global__ void compute(float* out) {
  const float x = 0.375f;
  float sine = 0;
  float cosine = 0;
  sincospif(x, &sine, &cosine);
  out[0] = sine * sine + cosine * cosine;
  out[1] = rsqrtf(16.0f * x / 6.0f);
  out[2] = erfinvf(erff(x));
  out[3] = normcdf(0.0f);
  out[4] = __fdividef(x, 2.0f);
  out[5] = sqrt(x * 24.0f);
  out[6] = fmaf(x, 8.0f, 1.0f);
  out[7] = __expf(0.0f) + __logf(1.0f) + __powf(2.0f, 3.0f);
  out[8] = norm3df(2.0f, 3.0f, 6.0f);
  out[9] = max(min(x, 2.0f), -1.0f);
  out[10] = __saturatef(3.0f * x + 1.0f);
  out[11] = cospif(1.0f);
  out[12] = exp10f(2.0f);
  out[13] = __fadd_ru(1.0f, 0x1p-40f) - 1.0f;
  out[14] = __fadd_rd(1.0f, 0x1p-40f) - 1.0f;
}

__global__ void compute_bits(unsigned int* out) {
  out[0] = __popc(0xf0f0u) + __popcll(~0ull);
  out[1] = __clz(1) + __clzll(1) + __clz(0);
  out[2] = __ffs(0x10) + __ffsll(1ll << 40) + __ffs(0);
  out[3] = __brev(1u);
  out[4] = __byte_perm(0x33221100u, 0x77665544u, 0x7250u);
  out[5] = __umul24(0xff000003u, 5u) + __umulhi(0x80000000u, 6u);
  out[6] = __float_as_uint(-1.0f);
  out[7] = __float2int_rd(-2.5f) + 10 * __float2int_rn(2.5f) + 100 * __float2int_rz(-2.9f);
  out[8] = __funnelshift_l(0x80000000u, 1u, 1);
  out[9] = __sad(3, -4, 10u);
  out[10] = __double2hiint(1.0) + __double2loint(1.0);
  out[11] = __float2uint_rn(-5.0f) + __float2int_rn(1e20f);
  out[12] = max(-1, 5u);
}

}  // namespace

RULE(C1, "templates with arrays in static and in dynamic shared memory",
     programming_guide("C++ language extensions", "__shared__")) {
  const auto result =
      results_of<float>(64, [](float* out) { transpose<float, 8><<<1, 64, 64 * sizeof(float)>>>(out); });
  for (int t = 0; t < 64; ++t) EXPECT_EQUAL(result[t], t % 8 * 8 + t / 8 + 1);
}

RULE(C1, "a lambda is a kernel's argument, with what it captured at the launch",
     programming_guide("C++ language extensions", "extended lambdas")) {
  int offset = 100;
  const auto result = results_of<int>(8, [&](int* out) {
    apply<<<1, 8>>>(out, [offset] __device__(int i) { return twice(i) + squared(i) + offset; });
    offset = 0;
  });
  for (int t = 0; t < 8; ++t) EXPECT_EQUAL(result[t], 2 * t + t * t + 100);
}

RULE(C1, "a kernel may have a parameter pack",
     programming_guide("C++ language extensions", "kernel execution configuration")) {
  const auto result = results_of<int>(1, [](int* out) { add_all<<<1, 1>>>(out, 1, 2.0f, 'a', 4ll); });
  EXPECT_EQUAL(result[0], 1 + 2 + 'a' + 4);
}

RULE(C2, "barriers count predicates, and combine them",
     programming_guide("C++ language extensions", "synchronization functions")) {
  const auto result = results_of<int>(
      40, [](int* out) { count_barriers<<<1, 40>>>(out); }, 120);
  for (int t = 0; t < 40; ++t) {
    EXPECT_EQUAL(result[3 * t], 5);
    EXPECT(result[3 * t + 1] != 0);
    EXPECT(result[3 * t + 2] != 0);
  }
}

RULE(C2, "threads that have ended are not waited for", measured_on_h200) {
  const auto result = results_of<int>(64, [](int* out) { leave_before_barrier<<<1, 64>>>(out); });
  for (int t = 0; t < 32; ++t) EXPECT_EQUAL(result[t], 7);
}

RULE(C3, "atomic updates of global and of shared memory",
     programming_guide("C++ language extensions", "atomic functions")) {
  for (const bool in_shared_memory : {false, true}) {
    const auto result = results_of<atomic_results>(
        1, [=](atomic_results* out) { update<<<1, 64>>>(out, in_shared_memory); })[0];
    EXPECT_EQUAL(result.sum, 63 * 64 / 2);
    EXPECT_EQUAL(result.difference, -64);
    EXPECT_EQUAL(result.least, -10);
    EXPECT_EQUAL(result.greatest, 63);
    EXPECT_EQUAL(result.exchanged, 9);
    EXPECT_EQUAL(result.compared, 6);
    EXPECT_EQUAL(result.bits_and, ~15);
    EXPECT_EQUAL(result.bits_or, 255);
    EXPECT_EQUAL(result.bits_xor, 0);
    EXPECT_EQUAL(result.up, 64u % 10u);
    EXPECT_EQUAL(result.down, (10u + 3u - 64u % 10u) % 10u);
    EXPECT_EQUAL(result.wide_sum, 64ull << 40);
    EXPECT_EQUAL(result.wide_greatest, 63ull << 33);
    EXPECT_EQUAL(result.real_sum, 32.0f);
    EXPECT_EQUAL(result.double_sum, 16.0);
  }
}

RULE(C3, "a lock made of atomic updates lets every thread of every block have its turn",
     programming_guide("C++ language extensions", "atomic functions"), measured_on_h200) {
  const auto result = results_of<int>(2, [](int* out) { take_turns<<<4, 64>>>(out, out + 1); });
  EXPECT_EQUAL(result[1], 256);
}

RULE(C3, "a block may wait for a flag that a later block sets",
     programming_guide("C++ language extensions", "memory fence functions"), measured_on_h200) {
  const auto result = results_of<int>(4, [](int* out) { wait_for_last_block<<<4, 1>>>(out + 3, out); });
  for (int block = 0; block < 3; ++block) EXPECT_EQUAL(result[block], 5);
}

RULE(C3, "who sees the flag that was set behind a fence sees what was written before it",
     programming_guide("C++ language extensions", "memory fence functions")) {
  int* words = nullptr;
  CHECK(cudaMallocHost(&words, 3 * sizeof(int)));
  for (int i = 0; i < 3; ++i) words[i] = 0;
  announce<<<1, 1>>>(&words[0], &words[1]);
  while (__atomic_load_n(&words[1], __ATOMIC_ACQUIRE) == 0) {
  }
  EXPECT_EQUAL(words[0], 5);

  CHECK(cudaDeviceSynchronize());
  words[0] = words[1] = 0;
  announce<<<1, 1, 0, non_blocking_stream()>>>(&words[0], &words[1]);
  forward<<<1, 1, 0, non_blocking_stream()>>>(&words[1], &words[0], &words[2]);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(words[2], 5);
}

RULE(C4, "functions of real numbers",
     programming_guide("C++ language extensions", "mathematical functions")) {
  const auto result = results_of<float>(15, [](float* out) { compute<<<1, 1>>>(out); });
  const float expected[] = {1, 1, 0.375f, 0.5f, 0.1875f, 3, 4, 9, 7, 0.375f, 1, -1, 100, 0x1p-23f, 0};
  for (int i = 0; i < 15; ++i)
    EXPECT(std::abs(result[i] - expected[i]) <= 2e-6f * (1 + std::abs(expected[i])));
  EXPECT_EQUAL(result[13], 0x1p-23f);
}

RULE(C4, "functions of bits", programming_guide("C++ language extensions", "mathematical functions")) {
  const auto result = results_of<unsigned int>(13, [](unsigned int* out) { compute_bits<<<1, 1>>>(out); });
  const unsigned int expected[] = {
      8 + 64,      31 + 63 + 32, 5 + 41,      0x80000000u,
      0x77225500u, 15 + 3,       0xbf800000u, static_cast<unsigned int>(-3 + 20 - 200),
      3,           17,           0x3ff00000u, 0x7fffffffu,
      0xffffffffu};
  for (int i = 0; i < 13; ++i) EXPECT_EQUAL(result[i], expected[i]);
}

namespace {
__global__ void require_less_than(int limit) { assert(threadIdx.x < limit); }
}  // namespace

RULE(C5,
     "an assertion that holds costs nothing, one that fails makes all further work return cudaErrorAssert",
     programming_guide("C++ language extensions", "assertion"),
     runtime_api("Data types", "cudaErrorAssert")) {
  require_less_than<<<1, 4>>>(4);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
  require_less_than<<<1, 4>>>(3);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorAssert);
  void* memory = nullptr;
  EXPECT_EQUAL(cudaMalloc(&memory, 4), cudaErrorAssert);
}

RULE(C5, "each thread says on the standard error which assertion failed in it",
     programming_guide("C++ language extensions", "assertion")) {
  std::FILE* const file = std::tmpfile();
  const int before = dup(2);
  dup2(fileno(file), 2);
  require_less_than<<<1, 4>>>(2);
  const cudaError_t error = cudaDeviceSynchronize();
  dup2(before, 2);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(pread(fileno(file), text.data(), text.size(), 0)));
  std::fclose(file);
  EXPECT_EQUAL(error, cudaErrorAssert);
  for (const char* thread : {"thread: [2,0,0]", "thread: [3,0,0]"}) EXPECT(text.find(thread) != text.npos);
  EXPECT(text.find("thread: [1,0,0]") == text.npos);
}

namespace {

struct node {
  int value;
  node* next;
};
__device__ node* head;

__global__ void push(int count) {
  for (int i = 0; i < count; ++i) head = new node{i, head};
}
__global__ void pop_all(int* sum) {
  while (head != nullptr) {
    node* const first = head;
    head = first->next;
    *sum += first->value;
    delete first;
  }
}
__global__ void allocate(std::size_t bytes, int* was_given) {
  void* const memory = malloc(bytes);
  *was_given = memory != nullptr;
  free(memory);
}

}  // namespace

RULE(C7, "kernels allocate memory from a heap of the device, which outlives them",
     programming_guide("C++ language extensions", "dynamic global memory allocation and operations")) {
  const auto sum = results_of<int>(1, [](int* out) {
    CHECK(cudaMemset(out, 0, sizeof(int)));
    push<<<1, 1>>>(10);
    pop_all<<<1, 1>>>(out);
  });
  EXPECT_EQUAL(sum[0], 45);
}

RULE(C7, "a heap that has no more memory gives a null pointer",
     programming_guide("C++ language extensions", "dynamic global memory allocation and operations")) {
  std::size_t bytes = 0;
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  const auto is_too_large = results_of<int>(1, [&](int* out) { allocate<<<1, 1>>>(bytes + 1, out); });
  EXPECT_EQUAL(is_too_large[0], 0);
  const auto is_small = results_of<int>(1, [](int* out) { allocate<<<1, 1>>>(64, out); });
  EXPECT_EQUAL(is_small[0], 1);
}

RULE(C7, "calls of the host cannot use memory that kernels allocated",
     programming_guide("C++ language extensions", "dynamic global memory allocation and operations")) {
  push<<<1, 1>>>(1);
  node* allocated = nullptr;
  CHECK(cudaMemcpyFromSymbol(&allocated, head, sizeof allocated));
  node copied{};
  EXPECT_EQUAL(cudaMemcpy(&copied, allocated, sizeof copied, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

namespace {
/// Waits for the clock in the ways that programs do; what each found when it ended.
__global__ void wait_for_clock(long long cycles, long long* found) {
  long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  found[0] = clock64() - begin;
  begin = clock64();
  clock_t waited = 0;
  while (waited < cycles) waited = clock64() - begin;
  found[1] = waited;
  long long sum = 0, before = clock64();
  do {
    const long long now = clock64();
    sum += now - before;
    before = now;
  } while (sum < cycles);
  found[2] = sum;
}

/// Counts the rounds of such a loop, and writes a word in each.
__global__ void count_rounds(long long cycles, long long* found) {
  const long long begin = clock64();
  long long rounds = 0, waited = 0, sum = 0;
  while (waited < cycles) {
    ++rounds;
    waited = clock64() - begin;
  }
  found[0] = rounds;
  for (waited = 0; waited < 2 * cycles;) {
    waited = clock64() - begin;
    sum += waited > cycles ? 1 : 0;
  }
  found[1] = sum;
}
}  // namespace

RULE(C6, "a loop that waits for the clock ends soon after its cycles are over, however it is written",
     programming_guide("C++ language extensions", "time function")) {
  for (const long long cycles : {100'000, 1'000'000, 1'100'000}) {
    const auto found = results_of<long long>(3, [=](long long* out) { wait_for_clock<<<1, 1>>>(cycles, out); });
    for (const long long waited : found) EXPECT(cycles <= waited && waited < cycles + 2'000);
  }
}

RULE(C6, "a loop that waits for the clock and counts its rounds has all of them",
     programming_guide("C++ language extensions", "time function")) {
  const auto found = results_of<long long>(2, [](long long* out) { count_rounds<<<1, 1>>>(100'000, out); });
  EXPECT(found[0] > 10);
  EXPECT(found[1] > 10);
}
