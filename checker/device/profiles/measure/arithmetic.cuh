// File: arithmetic.cuh. What code costs on a multiprocessor, in its own clock cycles: math functions, a loop
// iteration, a memory access. Throughput is cycles of one multiprocessor a warp at full occupancy; latency is
// cycles of a dependent chain in one warp. An otherwise equal loop without the operation is subtracted. Not
// here: anything between operations. Example: measure::arithmetic();
#pragma once

#include <map>

#include "gate.cuh"

namespace measure {

struct block_span {
  unsigned multiprocessor;
  long long begin, end;  ///< clock64 of that multiprocessor
};

__device__ inline void note_span(block_span* spans, long long begin) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned multiprocessor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  spans[blockIdx.x] = {multiprocessor, begin, clock64()};
}

/// Evaluates Function on many arguments spread over [low, low + width).
template <class Function, class Real>
__global__ void evaluate(Real low, Real width, Real second, int count, Real* sink, block_span* spans) {
  const long long begin = clock64();
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  Real x = low + width * (Real((index * 2654435761u) >> 8) / Real(1 << 24));
  const Real step = width / Real(4096);
  Real sum = 0;
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    sum += Function::of(x, second);
    x += step;
  }
  sink[index] = sum;
  note_span(spans, begin);
}

/// A dependent chain: each argument is `at` again, but only once the value before is known.
template <class Function, class Real>
__global__ void chain(Real at, Real second, Real zero, int count, Real* sink, long long* cycles) {
  Real x = at;
  const long long begin = clock64();
#pragma unroll 4
  for (int i = 0; i < count; ++i) x = Function::of(x, second) * zero + at;
  *static_cast<volatile Real*>(sink + threadIdx.x) = x;
  *cycles = clock64() - begin;
}

/// A small loop body, never unrolled: what generic code looks like.
__global__ void loop_body(int count, unsigned salt, float scale, float* sink, block_span* spans) {
  const long long begin = clock64();
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bits = index;
  float value = static_cast<float>(index);
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    bits = (bits + i) ^ salt;
    value = value * scale + 0.5f;
  }
  sink[index] = value + static_cast<float>(bits);
  note_span(spans, begin);
}

enum class access { none, load_l1, load_l2, store };

/// Coalesced accesses of one word a thread. Loads from the first-level cache stay in 16 KiB, others in 16
/// MiB.
template <access Kind>
__global__ void touch(int count, float* data, float* sink, block_span* spans) {
  const long long begin = clock64();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr unsigned mask = Kind == access::load_l1 ? (1u << 12) - 1 : (1u << 22) - 1;
  unsigned index = thread;
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    float* place = data + (index & mask);
    if constexpr (Kind == access::none) sum += __uint_as_float(index & mask);
    if constexpr (Kind == access::load_l1) sum += __ldca(place);
    if constexpr (Kind == access::load_l2) sum += __ldcg(place);
    if constexpr (Kind == access::store) *place = __uint_as_float(index);
    index += 4096 + 32;
  }
  sink[thread] = sum;
  note_span(spans, begin);
}

/// One thread follows indices; each load needs the one before. Lines lie 128 bytes apart in an order of full
/// period.
template <bool FirstLevel>
__global__ void follow(const unsigned* next, int count, unsigned* sink, long long* cycles) {
  unsigned at = *sink;
  for (int i = 0; i < (FirstLevel ? 256 : 0); ++i) at = __ldca(next + at);
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < count; ++i) at = FirstLevel ? __ldca(next + at) : __ldcg(next + at);
  *static_cast<volatile unsigned*>(sink) = at;
  *cycles = clock64() - begin;
}

__global__ void link_lines(unsigned* next, unsigned lines) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
    next[i * 32] = ((i * 1664525u + 1013904223u) & (lines - 1)) * 32;
}

/// Runs a kernel on exactly all resident blocks; returns cycles of a multiprocessor for each of its warps.
template <class Kernel, class Launch>
double cycles_per_warp(Kernel kernel, Launch launch) {
  constexpr int block = 256;
  static block_span* const spans = noted_by_device<block_span>(resident_threads() / block);
  int resident = 0;
  CHECKED(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block, 0));
  const int blocks = multiprocessors() * resident;
  std::vector<double> samples;
  for (int sample = -1; sample < 9; ++sample) {
    launch(blocks, block, spans);
    CHECKED(cudaDeviceSynchronize());
    struct busy {
      long long begin, end;
      int warps;
    };
    std::map<unsigned, busy> seen;
    for (int i = 0; i < blocks; ++i) {
      const block_span& one = spans[i];
      busy& all = seen.try_emplace(one.multiprocessor, busy{one.begin, one.end, 0}).first->second;
      all = {std::min(all.begin, one.begin), std::max(all.end, one.end), all.warps + block / 32};
    }
    if (sample < 0) continue;
    for (const auto& [id, all] : seen) samples.push_back(double(all.end - all.begin) / all.warps);
  }
  return middle(samples);
}

template <class Real>
Real* scratch() {
  static Real* const memory = on_device<Real>(resident_threads());
  return memory;
}

template <class Function, class Real>
double evaluation_cycles(Real low, Real width, Real second) {
  constexpr int count = 512;
  return cycles_per_warp(evaluate<Function, Real>,
                         [&](int blocks, int block, block_span* spans) {
                           evaluate<Function, Real>
                               <<<blocks, block>>>(low, width, second, count, scratch<Real>(), spans);
                         }) /
         count;
}

/// What launch(cycles) writes, as the middle of nine runs.
template <class Launch>
double noted_cycles(Launch launch) {
  static long long* const cycles = noted_by_device<long long>(1);
  std::vector<double> samples;
  for (int sample = -1; sample < 9; ++sample) {
    launch(cycles);
    CHECKED(cudaDeviceSynchronize());
    if (sample >= 0) samples.push_back(double(*cycles));
  }
  return middle(samples);
}

template <class Function, class Real>
double chain_cycles(Real at, Real second) {
  constexpr int count = 512;
  return noted_cycles([&](long long* cycles) {
           chain<Function, Real><<<1, 32>>>(at, second, Real(0), count, scratch<Real>(), cycles);
         }) /
         count;
}

template <class Real>
struct identity {
  __device__ static Real of(Real x, Real) { return x; }
};

template <class Function, class Real>
void function_cost(const char* name, Real low, Real width, Real second) {
  const double throughput =
      evaluation_cycles<Function>(low, width, second) - evaluation_cycles<identity<Real>>(low, width, second);
  const Real at = low + width / 3;
  const double latency = chain_cycles<Function>(at, second) - chain_cycles<identity<Real>>(at, second);
  report(std::string("math.") + name + ".throughput", throughput, "cycles/warp", 9);
  report(std::string("math.") + name + ".latency", latency, "cycles", 9);
}

// name, type, expression, and the arguments: low, width, second.
#define MATH_FUNCTIONS(each)                              \
  each(sinf, float, sinf(x), -100.f, 200.f, 0.f);         \
  each(cosf, float, cosf(x), -100.f, 200.f, 0.f);         \
  each(tanf, float, tanf(x), -100.f, 200.f, 0.f);         \
  each(sinf_large, float, sinf(x), 2e5f, 3.4e6f, 0.f);    \
  each(cosf_large, float, cosf(x), 2e5f, 3.4e6f, 0.f);    \
  each(sqrtf, float, sqrtf(x), 0.1f, 100.f, 0.f);         \
  each(rsqrtf, float, rsqrtf(x), 0.1f, 100.f, 0.f);       \
  each(expf, float, expf(x), -10.f, 20.f, 0.f);           \
  each(exp2f, float, exp2f(x), -10.f, 20.f, 0.f);         \
  each(logf, float, logf(x), 0.1f, 100.f, 0.f);           \
  each(log2f, float, log2f(x), 0.1f, 100.f, 0.f);         \
  each(powf, float, powf(x, y), 0.1f, 10.f, 1.37f);       \
  each(tanhf, float, tanhf(x), -4.f, 8.f, 0.f);           \
  each(erff, float, erff(x), -3.f, 6.f, 0.f);             \
  each(fmodf, float, fmodf(x, y), 1.f, 100.f, 1.7f);      \
  each(__sinf, float, __sinf(x), -3.f, 6.f, 0.f);         \
  each(__cosf, float, __cosf(x), -3.f, 6.f, 0.f);         \
  each(__expf, float, __expf(x), -10.f, 20.f, 0.f);       \
  each(__logf, float, __logf(x), 0.1f, 100.f, 0.f);       \
  each(float_division, float, y / x, 0.1f, 100.f, 1.37f); \
  each(sin, double, sin(x), -100., 200., 0.);             \
  each(cos, double, cos(x), -100., 200., 0.);             \
  each(exp, double, exp(x), -10., 20., 0.);               \
  each(log, double, log(x), 0.1, 100., 0.);               \
  each(sqrt, double, sqrt(x), 0.1, 100., 0.);             \
  each(pow, double, pow(x, y), 0.1, 10., 1.37);           \
  each(double_division, double, y / x, 0.1, 100., 1.37)

// Types of kernel template arguments may not be local, so they are made here.
#define MATH_TYPE(name, real, expression, low, width, second)                         \
  struct name##_type {                                                                \
    __device__ static real of(real x, [[maybe_unused]] real y) { return expression; } \
  }
MATH_FUNCTIONS(MATH_TYPE);

inline void generic_code() {
  constexpr int count = 4096;
  report("basic_block_throughput",
         cycles_per_warp(loop_body,
                         [](int blocks, int block, block_span* spans) {
                           loop_body<<<blocks, block>>>(count, 12345u, 0.999f, scratch<float>(), spans);
                         }) /
             count,
         "cycles/warp", 9);
  static block_span* const span = noted_by_device<block_span>(1);
  report("basic_block_latency", noted_cycles([](long long* cycles) {
                                  loop_body<<<1, 1>>>(count, 12345u, 0.999f, scratch<float>(), span);
                                  CHECKED(cudaDeviceSynchronize());
                                  *cycles = span->end - span->begin;
                                }) / count,
         "cycles", 9);
}

template <access Kind>
double access_cycles(float* data) {
  constexpr int count = 1024;
  return cycles_per_warp(touch<Kind>,
                         [&](int blocks, int block, block_span* spans) {
                           touch<Kind><<<blocks, block>>>(count, data, scratch<float>(), spans);
                         }) /
         count;
}

template <bool FirstLevel>
double follow_cycles(unsigned lines) {
  constexpr int count = 8192;
  unsigned* const next = on_device<unsigned>(std::size_t(lines) * 32);
  link_lines<<<1024, 256>>>(next, lines);
  CHECKED(cudaMemset(scratch<unsigned>(), 0, sizeof(unsigned)));
  const double cycles = noted_cycles(
      [&](long long* noted) { follow<FirstLevel><<<1, 1>>>(next, count, scratch<unsigned>(), noted); });
  CHECKED(cudaFree(next));
  return cycles / count;
}

inline void accesses() {
  float* const data = on_device<float>(1u << 22);
  CHECKED(cudaMemset(data, 0, (1u << 22) * sizeof(float)));
  const double bare = access_cycles<access::none>(data);
  report("access_throughput.load_l1", access_cycles<access::load_l1>(data) - bare, "cycles/warp", 9);
  report("access_throughput.load_l2", access_cycles<access::load_l2>(data) - bare, "cycles/warp", 9);
  report("access_throughput.store", access_cycles<access::store>(data) - bare, "cycles/warp", 9);
  CHECKED(cudaFree(data));
  report("access_latency.l1", follow_cycles<true>(1u << 7), "cycles", 9);
  report("access_latency.l2", follow_cycles<false>(1u << 16), "cycles", 9);
  report("access_latency.memory", follow_cycles<false>(1u << 23), "cycles", 9);
}

/// Prints what math functions, generic code and memory accesses cost.
inline void arithmetic() {
#define MATH_COST(name, real, expression, low, width, second) \
  function_cost<name##_type, real>(#name, low, width, second)
  MATH_FUNCTIONS(MATH_COST);
  generic_code();
  accesses();
}

}  // namespace measure
