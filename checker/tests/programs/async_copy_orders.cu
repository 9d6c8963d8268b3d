// A program as found in the wild: one array through the GPU in four ways, after the overlap experiment of
// NVIDIA's blog "How to Overlap Data Transfers in CUDA C/C++". Sequential with synchronous copies; depth
// first (each chunk: copy in, kernel, copy out); breadth first (all copies in, all kernels, all copies out);
// and the kernel alone.
//     async_copy_orders [warm repetitions, 5 by default]
// Prints milliseconds between events: a line for the cold run, one for each warm repetition, and `ok` when
// right.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECKED(call) check((call), __LINE__)

constexpr int stream_count = 4;
constexpr int block_size = 256;
#ifndef KIBIBLOCKS
#define KIBIBLOCKS 4  // thread blocks of a chunk, divided by 1024: an array of 16 MiB
#endif
constexpr int element_count = KIBIBLOCKS * 1024 * block_size * stream_count;
constexpr int chunk_elements = element_count / stream_count;
constexpr size_t chunk_bytes = chunk_elements * sizeof(float);
constexpr size_t array_bytes = element_count * sizeof(float);

// Adds one to every element, the long way: the squares of a sine and a cosine sum to one.
__global__ void add_one(float* elements, int offset) {
  const int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
  const float x = static_cast<float>(i);
  const float sine = sinf(x);
  const float cosine = cosf(x);
  elements[i] = elements[i] + sqrtf(sine * sine + cosine * cosine);
}

struct experiment {
  float* host = nullptr;
  float* device = nullptr;
  cudaStream_t streams[stream_count];
  cudaEvent_t begin, end;
};

static float elapsed(const experiment& run) {
  float milliseconds = 0;
  CHECKED(cudaEventRecord(run.end, 0));
  CHECKED(cudaEventSynchronize(run.end));
  CHECKED(cudaEventElapsedTime(&milliseconds, run.begin, run.end));
  return milliseconds;
}

static float sequential(const experiment& run) {
  std::memset(run.host, 0, array_bytes);
  CHECKED(cudaEventRecord(run.begin, 0));
  CHECKED(cudaMemcpy(run.device, run.host, array_bytes, cudaMemcpyHostToDevice));
  add_one<<<element_count / block_size, block_size>>>(run.device, 0);
  CHECKED(cudaMemcpy(run.host, run.device, array_bytes, cudaMemcpyDeviceToHost));
  return elapsed(run);
}

static void copy_in(const experiment& run, int chunk) {
  const int offset = chunk * chunk_elements;
  CHECKED(cudaMemcpyAsync(run.device + offset, run.host + offset, chunk_bytes, cudaMemcpyHostToDevice,
                          run.streams[chunk]));
}

static void compute(const experiment& run, int chunk) {
  add_one<<<chunk_elements / block_size, block_size, 0, run.streams[chunk]>>>(run.device,
                                                                              chunk * chunk_elements);
}

static void copy_out(const experiment& run, int chunk) {
  const int offset = chunk * chunk_elements;
  CHECKED(cudaMemcpyAsync(run.host + offset, run.device + offset, chunk_bytes, cudaMemcpyDeviceToHost,
                          run.streams[chunk]));
}

static float depth_first(const experiment& run) {
  std::memset(run.host, 0, array_bytes);
  CHECKED(cudaEventRecord(run.begin, 0));
  for (int chunk = 0; chunk < stream_count; ++chunk) {
    copy_in(run, chunk);
    compute(run, chunk);
    copy_out(run, chunk);
  }
  return elapsed(run);
}

static float breadth_first(const experiment& run) {
  std::memset(run.host, 0, array_bytes);
  CHECKED(cudaEventRecord(run.begin, 0));
  for (int chunk = 0; chunk < stream_count; ++chunk) copy_in(run, chunk);
  for (int chunk = 0; chunk < stream_count; ++chunk) compute(run, chunk);
  for (int chunk = 0; chunk < stream_count; ++chunk) copy_out(run, chunk);
  return elapsed(run);
}

static float kernel_alone(const experiment& run, int elements) {
  CHECKED(cudaEventRecord(run.begin, 0));
  add_one<<<elements / block_size, block_size>>>(run.device, 0);
  return elapsed(run);
}

// The largest distance of an element from one.
static float worst_error(const experiment& run) {
  float worst = 0;
  for (int i = 0; i < element_count; ++i) worst = std::fmax(worst, std::fabs(run.host[i] - 1.0f));
  return worst;
}

int main(int count, char** arguments) {
  const int warm_repetitions = count > 1 ? std::atoi(arguments[1]) : 5;
  experiment run;
  CHECKED(cudaMallocHost(&run.host, array_bytes));
  CHECKED(cudaMalloc(&run.device, array_bytes));
  CHECKED(cudaEventCreate(&run.begin));
  CHECKED(cudaEventCreate(&run.end));
  for (cudaStream_t& stream : run.streams) CHECKED(cudaStreamCreate(&stream));

  bool right = true;
  for (int repetition = 0; repetition <= warm_repetitions; ++repetition) {
    const float sequential_time = sequential(run);
    right = right && worst_error(run) < 1e-5f;
    const float depth_first_time = depth_first(run);
    right = right && worst_error(run) < 1e-5f;
    const float breadth_first_time = breadth_first(run);
    right = right && worst_error(run) < 1e-5f;
    std::printf("%s sequential %.6f V1 %.6f V2 %.6f ms\n", repetition == 0 ? "cold" : "warm", sequential_time,
                depth_first_time, breadth_first_time);
  }
  const float chunk_time = kernel_alone(run, chunk_elements);
  const float whole_time = kernel_alone(run, element_count);
  std::printf("kernel chunk %.6f whole %.6f ms\n", chunk_time, whole_time);

  for (cudaStream_t stream : run.streams) CHECKED(cudaStreamDestroy(stream));
  CHECKED(cudaEventDestroy(run.begin));
  CHECKED(cudaEventDestroy(run.end));
  CHECKED(cudaFree(run.device));
  CHECKED(cudaFreeHost(run.host));
  std::puts(right ? "ok" : "wrong result");
  return right ? 0 : 1;
}
