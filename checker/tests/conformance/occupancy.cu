// Kernels as functions: launches by address, dynamic shared memory, occupancy. Rules LO: the Runtime API's
// pages on execution control and occupancy; errors are those of an H200, CUDA 13.0, driver 580.
#include "conformance/gate.h"

using namespace conformance;

namespace {

__global__ void nothing() {}

template <typename Value>
__global__ void store_value(Value* where, Value value) {
  *where = value;
}

void no_kernel() {}
/// The error for an address that is no kernel: CUDA 12.4 and 13.0 return different ones (measured on an H200).
constexpr cudaError_t error_for_no_kernel =
    CUDART_VERSION < 13000 ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;

int attribute(cudaDeviceAttr which) {
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

const void* address_of(void (*kernel)()) { return reinterpret_cast<const void*>(kernel); }

int blocks_of(int threads, std::size_t shared_memory_bytes = 0) {
  int blocks = -1;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, threads, shared_memory_bytes));
  return blocks;
}

template <typename Value, int Factor>
__global__ void scale_in_shared_memory(Value* values) {
  extern __shared__ unsigned char memory[];
  Value* const copies = reinterpret_cast<Value*>(memory);
  copies[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = copies[blockDim.x - 1 - threadIdx.x] * Factor;
}

}  // namespace

RULE(LO1, "cudaLaunchKernel takes the arguments that its pointers point at",
     runtime_api("Execution Control", "cudaLaunchKernel")) {
  volatile int* word = shared_word();
  int value = 5;
  void* arguments[] = {&word, &value};
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(&conformance::store), dim3(1), dim3(1), arguments, 0,
                         stream));
  value = 6;
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 5);
}

#if CUDART_VERSION >= 13000  // its cudaLaunchKernel takes functions, not only their addresses
RULE(LO1, "cudaLaunchKernel takes an instance of a template by its type",
     runtime_api("Execution Control", "cudaLaunchKernel")) {
  volatile int* const word = shared_word();
  int* where = const_cast<int*>(word);
  int value = 9;
  void* arguments[] = {&where, &value};
  CHECK(cudaLaunchKernel(store_value<int>, dim3(1), dim3(1), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 9);
}

RULE(LO1, "so does cudaLaunchCooperativeKernel, which needs no shared memory and no stream",
     runtime_api("Execution Control", "cudaLaunchCooperativeKernel")) {
  volatile int* const word = shared_word();
  int* where = const_cast<int*>(word);
  int value = 9;
  void* arguments[] = {&where, &value};
  CHECK(cudaLaunchCooperativeKernel(store_value<int>, dim3(1), dim3(1), arguments));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 9);
}
#endif

RULE(LO1, "what is no kernel cannot be launched",
     runtime_api("Data types", "cudaErrorInvalidDeviceFunction")) {
  EXPECT_EQUAL(cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), nullptr, 0, nullptr),
               cudaErrorInvalidDeviceFunction);
  EXPECT_EQUAL(cudaLaunchKernel(address_of(no_kernel), dim3(1), dim3(1), nullptr, 0, nullptr),
               error_for_no_kernel);
}

RULE(LO2, "more dynamic shared memory than usual has to be asked for",
     runtime_api("Execution Control", "cudaFuncSetAttribute")) {
  const int usual = attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  const std::size_t more = static_cast<std::size_t>(usual) + 1;
  EXPECT_EQUAL(cudaLaunchKernel(address_of(nothing), dim3(1), dim3(1), nullptr, more, nullptr),
               cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
  if (attribute(cudaDevAttrComputeCapabilityMajor) < 7) return;
  CHECK(cudaFuncSetAttribute(address_of(nothing), cudaFuncAttributeMaxDynamicSharedMemorySize, usual + 1024));
  CHECK(cudaLaunchKernel(address_of(nothing), dim3(1), dim3(1), nullptr, more, nullptr));
  nothing<<<1, 1, more>>>();
  CHECK(cudaGetLastError());
  EXPECT_EQUAL(cudaLaunchKernel(address_of(nothing), dim3(1), dim3(1), nullptr, more + 1024, nullptr),
               cudaErrorInvalidValue);
}

RULE(LO2, "no more can be asked for than the device has",
     runtime_api("Execution Control", "cudaFuncSetAttribute"),
     programming_guide("compute capabilities", "technical specifications")) {
  const int max_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  EXPECT_EQUAL(
      cudaFuncSetAttribute(address_of(nothing), cudaFuncAttributeMaxDynamicSharedMemorySize, max_bytes),
      cudaSuccess);
  EXPECT_EQUAL(
      cudaFuncSetAttribute(address_of(nothing), cudaFuncAttributeMaxDynamicSharedMemorySize, max_bytes + 1),
      cudaErrorInvalidValue);
  EXPECT_EQUAL(
      cudaFuncSetAttribute(address_of(nothing), cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
      cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFuncSetAttribute(address_of(nothing), cudaFuncAttributeMaxDynamicSharedMemorySize, -1),
               cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFuncSetAttribute(address_of(no_kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, 1),
               error_for_no_kernel);
}

namespace {
/// Writes into the first and the last of both kinds of shared memory, and gives their sum.
__global__ void add_up_shared(int* sum, int elements) {
  __shared__ int fixed[1024];
  extern __shared__ int asked_for[];
  asked_for[0] = 1;
  asked_for[elements - 1] = 2;
  fixed[0] = 4;
  fixed[1023] = 8;
  *sum = asked_for[0] + asked_for[elements - 1] + fixed[0] + fixed[1023];
}
}  // namespace

RULE(LO2, "what was asked for comes beside the static shared memory of the kernel",
     programming_guide("compute capabilities", "technical specifications")) {
  const int bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024 * static_cast<int>(sizeof(int));
  if (bytes <= attribute(cudaDevAttrMaxSharedMemoryPerBlock)) return;
  CHECK(cudaFuncSetAttribute(add_up_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  int* sum = nullptr;
  CHECK(cudaMallocHost(&sum, sizeof(int)));
  add_up_shared<<<1, 1, bytes>>>(sum, bytes / static_cast<int>(sizeof(int)));
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*sum, 15);
}

RULE(LO3, "occupancy follows from the threads and blocks that a multiprocessor holds",
     runtime_api("Occupancy", "cudaOccupancyMaxActiveBlocksPerMultiprocessor"),
     programming_guide("compute capabilities", "technical specifications")) {
  const int threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  const int blocks = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  EXPECT_EQUAL(blocks_of(32), blocks < threads / 32 ? blocks : threads / 32);
  EXPECT_EQUAL(blocks_of(512), threads / 512);
  EXPECT_EQUAL(blocks_of(500), threads / 512);  // whole warps
}

RULE(LO3, "a block that does not fit has an occupancy of 0",
     runtime_api("Occupancy", "cudaOccupancyMaxActiveBlocksPerMultiprocessor"), measured_on_h200) {
  EXPECT_EQUAL(blocks_of(attribute(cudaDevAttrMaxThreadsPerBlock) + 1), 0);
  EXPECT_EQUAL(blocks_of(128, std::size_t{1} << 20), 0);
  int blocks = 0;
  EXPECT_EQUAL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0), cudaErrorInvalidValue);
}

RULE(LO3, "the block size for most occupancy fills the device",
     runtime_api("Occupancy", "cudaOccupancyMaxPotentialBlockSize")) {
  int grid = 0, block = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 0));
  EXPECT_EQUAL(grid, blocks_of(block) * attribute(cudaDevAttrMultiProcessorCount));
  EXPECT_EQUAL(blocks_of(block) * block, attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / block * block);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 100));
  EXPECT(block <= 100);
}

RULE(LO4, "cudaLaunchKernelEx launches into its stream, with arguments of other types converted",
     runtime_api("Execution Control", "cudaLaunchKernelExC")) {
  volatile int* const word = shared_word();
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = blocking_stream();
  gate closed;
  closed.hold(config.stream);
  CHECK(cudaLaunchKernelEx(&config, conformance::store, word, short{7}));
  let_device_run();
  EXPECT_EQUAL(*word, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(config.stream));
  EXPECT_EQUAL(*word, 7);
}

RULE(LO4, "cudaLaunchKernelEx takes an instance of a template, and as much shared memory as there is",
     runtime_api("Execution Control", "cudaLaunchKernelExC")) {
  volatile int* const word = shared_word();
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.dynamicSmemBytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  CHECK(cudaLaunchKernelEx(&config, store_value<int>, const_cast<int*>(word), 8));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 8);
  ++config.dynamicSmemBytes;
  EXPECT(cudaLaunchKernelEx(&config, store_value<int>, const_cast<int*>(word), 9) != cudaSuccess);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 8);
}

RULE(LO4, "a launch may have a priority of its own, and be cooperative",
     runtime_api("Execution Control", "cudaLaunchKernelExC"),
     runtime_api("Data types", "cudaLaunchAttributePriority")) {
  volatile int* const word = shared_word();
  cudaLaunchAttribute attributes[3] = {};
  attributes[0].id = cudaLaunchAttributePriority;
  CHECK(cudaDeviceGetStreamPriorityRange(nullptr, &attributes[0].val.priority));
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  attributes[2].id = cudaLaunchAttributeIgnore;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = attributes;
  config.numAttrs = 3;
  int value = 3;
  void* arguments[] = {const_cast<volatile int**>(&word), &value};
  CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&conformance::store), arguments));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 3);
  config.gridDim = dim3(1 << 20);
  EXPECT_EQUAL(cudaLaunchKernelEx(&config, nothing), cudaErrorCooperativeLaunchTooLarge);
}

RULE(LO5, "cudaFuncGetAttributes tells what was set for the kernel",
     runtime_api("Execution Control", "cudaFuncGetAttributes")) {
  const int max_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  cudaFuncAttributes actual{};
  CHECK(cudaFuncGetAttributes(&actual, nothing));
  EXPECT_EQUAL(actual.maxThreadsPerBlock, attribute(cudaDevAttrMaxThreadsPerBlock));
  EXPECT_EQUAL(actual.maxDynamicSharedSizeBytes, max_bytes);
  EXPECT_EQUAL(actual.binaryVersion, 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                                         attribute(cudaDevAttrComputeCapabilityMinor));
  CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, max_bytes));
  CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 40));
  CHECK(cudaFuncGetAttributes(&actual, nothing));
  EXPECT_EQUAL(actual.maxDynamicSharedSizeBytes, max_bytes);
  EXPECT_EQUAL(actual.preferredShmemCarveout, 40);
}

RULE(LO6, "an instance of a template is launched by its address, with more shared memory when it was asked for",
     runtime_api("Execution Control", "cudaFuncSetAttribute"), runtime_api("Execution Control", "cudaLaunchKernel")) {
  constexpr int count = 256;
  double* values = nullptr;
  CHECK(cudaMallocManaged(&values, count * sizeof(double)));
  for (int i = 0; i < count; ++i) values[i] = i;
  void* arguments[] = {&values};
  const int bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);  // more than a launch may have that nobody asked for
  const void* const kernel = (const void*)scale_in_shared_memory<double, (3 > 2) ? 3 : 2>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK(cudaFuncSetAttribute(scale_in_shared_memory<double, 3>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(count), arguments, bytes, nullptr));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(values[i], 3.0 * (count - 1 - i));
}
