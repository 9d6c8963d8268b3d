// Who touches which bytes: only common bytes need order, and only when one of the two writes them.
#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

__global__ void set_every_second(int* data, int first, int step) {
  const int i = first + step * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] = i;
}

__global__ void count_atomically(int* counter) { atomicAdd(counter, 1); }
__global__ void count_plainly(int* counter) { *counter += 1; }

__constant__ int summand[2];
__global__ void add_constant(int* data, int which) { data[threadIdx.x] += summand[which]; }

__global__ void fill_without_a_guard(int* data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

}  // namespace

TWIN(halves_that_do_not_overlap, "unordered_accesses") {
  stream one, two;
  device_buffer data;
  fill<<<blocks, threads, 0, one>>>(data, count / 2 + (is_correct ? 0 : 1), 1);
  fill<<<blocks, threads, 0, two>>>(data + count / 2, count / 2, 2);
}

TWIN(columns_that_do_not_overlap, "unordered_accesses") {
  stream one, two;
  device_buffer data;
  set_every_second<<<blocks, threads, 0, one>>>(data, 0, 2);
  set_every_second<<<blocks, threads, 0, two>>>(data, is_correct ? 1 : 0, is_correct ? 2 : 3);
}

TWIN(atomic_update_on_both_sides, "unordered_accesses") {
  stream one, two;
  device_buffer counter(1);
  cudaMemset(counter, 0, sizeof(int));
  count_atomically<<<1, threads, 0, one>>>(counter);
  if (is_correct) {
    count_atomically<<<1, threads, 0, two>>>(counter);
  } else {
    count_plainly<<<1, 1, 0, two>>>(counter);
  }
}

TWIN(output_of_its_own_for_two_readers, "unordered_accesses") {
  stream one, two;
  device_buffer input, left, right;
  add_one<<<blocks, threads, 0, one>>>(input, left, count);
  add_one<<<blocks, threads, 0, two>>>(input, is_correct ? right : left, count);
}

TWIN(guard_of_the_last_block, "unordered_accesses") {
  constexpr int odd = count / 2 + 100;  // no multiple of a block
  stream one, two;
  device_buffer data(2 * count);
  if (is_correct) {
    fill<<<(odd + threads - 1) / threads, threads, 0, one>>>(data, odd, 1);
  } else {
    fill_without_a_guard<<<(odd + threads - 1) / threads, threads, 0, one>>>(data, 1);
  }
  fill<<<blocks, threads, 0, two>>>(data + odd, count / 2, 2);
}

TWIN(length_of_the_last_chunk, "unordered_accesses") {
  constexpr int chunk = 1000;
  stream lanes[2];
  pinned_buffer source;
  device_buffer data;
  int lane = 0;
  for (int begin = 0; begin < count; begin += chunk, lane = 1 - lane) {
    const int rest = count - begin;
    const int length = rest < chunk ? rest : chunk + (is_correct || rest == chunk ? 0 : 4);
    cudaMemcpyAsync(data + begin, source + begin, (length < rest ? length : rest) * sizeof(int),
                    cudaMemcpyHostToDevice, lanes[lane]);
  }
}

TWIN(constant_of_its_own_for_each_stream, "unordered_accesses") {
  stream one, two;
  device_buffer first, second;
  pinned_buffer values;
  const std::size_t own = is_correct ? 1 : 0;
  cudaMemcpyToSymbolAsync(summand, values, sizeof(int), 0, cudaMemcpyHostToDevice, one);
  add_constant<<<1, threads, 0, one>>>(first, 0);
  cudaMemcpyToSymbolAsync(summand, values + 1, sizeof(int), own * sizeof(int), cudaMemcpyHostToDevice, two);
  add_constant<<<1, threads, 0, two>>>(second, static_cast<int>(own));
}
