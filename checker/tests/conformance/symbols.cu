// symbols.cu: variables that live on the device, and the calls that copy to and from them by name.
#include "conformance/gate.h"

using namespace conformance;

__device__ int counter = 7;
__device__ int values[4] = {1, 2, 3, 4};
__device__ volatile int flag;
static __device__ float2 pair;
__constant__ int factors[4];
struct number {
  int value;
  __device__ int get() { return value; }
};
__constant__ number factor_of_all = {1};
__device__ __managed__ int shared_count = 5;

namespace {

int plain[4];

__global__ void count_up() { atomicAdd(&counter, 1); }
__device__ int element(int* of, int i) { return of[i]; }
__global__ void scale_values() { values[threadIdx.x] *= element(factors, threadIdx.x) * factor_of_all.get(); }
__global__ void count_shared() { shared_count += 1; }
__global__ void read_counter(int* where) { *where = counter; }
__global__ void wait_for_flag(volatile int* done) {
  while (flag == 0) {
  }
  *done = 1;
}

}  // namespace

RULE(V1, "a device variable begins with its initial value, and kernels share it",
     programming_guide("C++ language extensions", "__device__")) {
  int result = 0;
  CHECK(cudaMemcpyFromSymbol(&result, counter, sizeof(int)));
  EXPECT_EQUAL(result, 7);
  count_up<<<2, 4>>>();
  CHECK(cudaMemcpyFromSymbol(&result, counter, sizeof(int)));
  EXPECT_EQUAL(result, 15);
  float2 both{1, 1};
  CHECK(cudaMemcpyFromSymbol(&both, pair, sizeof(pair)));
  EXPECT_EQUAL(both.y, 0.0f);
}

RULE(V2, "constant memory is written by the host and read by kernels",
     programming_guide("C++ language extensions", "__constant__")) {
  const int wanted[4] = {10, 20, 30, 40};
  int result[4] = {};
  CHECK(cudaMemcpyToSymbol(factors, wanted, sizeof(wanted)));
  scale_values<<<1, 4>>>();
  CHECK(cudaMemcpyFromSymbol(result, values, sizeof(result)));
  EXPECT_EQUAL(result[0], 10);
  EXPECT_EQUAL(result[3], 160);
}

RULE(V3, "a copy to a symbol may begin inside it, and must end inside it",
     runtime_api("Memory Management", "cudaMemcpyToSymbol"), measured_on_h200) {
  int both[2] = {8, 9};
  int result[4] = {};
  CHECK(cudaMemcpyToSymbol(values, both, sizeof(both), sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(result, values, sizeof(result)));
  EXPECT_EQUAL(result[0], 1);
  EXPECT_EQUAL(result[1], 8);
  EXPECT_EQUAL(result[2], 9);
  EXPECT_EQUAL(result[3], 4);
  EXPECT_EQUAL(cudaMemcpyToSymbol(values, both, 8, 12), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpyToSymbol(values, both, 4, 16), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpyFromSymbol(result, values, 17), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpyToSymbol(values, both, 0, 17), cudaSuccess);
}

RULE(V4, "a copy to a symbol goes to the device, and one from it comes from there",
     runtime_api("Memory Management", "cudaMemcpyToSymbol"),
     runtime_api("Memory Management", "cudaMemcpyFromSymbol")) {
  int value = 0;
  EXPECT_EQUAL(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyDeviceToHost),
               cudaErrorInvalidMemcpyDirection);
  EXPECT_EQUAL(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyHostToHost),
               cudaErrorInvalidMemcpyDirection);
  EXPECT_EQUAL(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyHostToDevice),
               cudaErrorInvalidMemcpyDirection);
  EXPECT_EQUAL(cudaMemcpyToSymbol(counter, static_cast<int*>(nullptr), 4), cudaErrorInvalidValue);
}

RULE(V5, "what is no variable of the device is no symbol",
     runtime_api("Memory Management", "cudaMemcpyToSymbol"),
     runtime_api("Data types", "cudaErrorInvalidSymbol")) {
  void* where = nullptr;
  size_t bytes = 0;
  EXPECT_EQUAL(cudaMemcpyToSymbol(plain, plain, 4), cudaErrorInvalidSymbol);
  EXPECT_EQUAL(cudaGetSymbolAddress(&where, plain), cudaErrorInvalidSymbol);
  EXPECT_EQUAL(cudaGetSymbolSize(&bytes, plain), cudaErrorInvalidSymbol);
}

RULE(V6, "the address and the size of a symbol are those of the variable on the device",
     runtime_api("Memory Management", "cudaGetSymbolAddress"),
     runtime_api("Memory Management", "cudaGetSymbolSize")) {
  int* where = nullptr;
  size_t bytes = 0;
  int result = 0;
  cudaPointerAttributes attributes{};
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&where), values));
  CHECK(cudaGetSymbolSize(&bytes, values));
  EXPECT_EQUAL(bytes, 4 * sizeof(int));
  CHECK(cudaPointerGetAttributes(&attributes, where));
  EXPECT_EQUAL(attributes.type, cudaMemoryTypeDevice);
  CHECK(cudaMemcpy(&result, where + 2, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 3);
  EXPECT_EQUAL(cudaFree(where), cudaErrorInvalidValue);
}

RULE(V7, "cudaMemcpyToSymbolAsync keeps its place in its stream",
     runtime_api("Memory Management", "cudaMemcpyToSymbolAsync")) {
  cudaStream_t const stream = non_blocking_stream();
  volatile int* const source = shared_word(3);
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold(stream);
  read_counter<<<1, 1, 0, stream>>>(static_cast<int*>(untyped(first)));
  CHECK(cudaMemcpyToSymbolAsync(counter, untyped(source), sizeof(int), 0, cudaMemcpyHostToDevice, stream));
  read_counter<<<1, 1, 0, stream>>>(static_cast<int*>(untyped(second)));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*first, 7);
  EXPECT_EQUAL(*second, 3);
}

RULE(V8, "host and kernels use a managed variable by its name",
     programming_guide("C++ language extensions", "__managed__")) {
  EXPECT_EQUAL(shared_count, 5);
  shared_count = 10;
  count_shared<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(shared_count, 11);
}

RULE(V9, "a kernel that polls a device variable sees what a copy in another stream writes",
     programming_guide("Asynchronous Execution", "asynchronous operations"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  cudaStream_t const other = non_blocking_stream();
  volatile int* const done = shared_word();
  volatile int* const one = shared_word(1);
  wait_for_flag<<<1, 1, 0, stream>>>(done);
  CHECK(cudaMemcpyToSymbolAsync(flag, untyped(one), sizeof(int), 0, cudaMemcpyHostToDevice, other));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*done, 1);
}
