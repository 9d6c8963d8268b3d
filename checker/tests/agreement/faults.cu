// faults.cu: section sticky: what every call returns once a kernel has failed.
#include <ctime>

#include "ask.h"

namespace agreement {
namespace {

__global__ void use_illegal_address(int* nowhere) { *nowhere = 1; }
__global__ void trap(int*) { __trap(); }
__global__ void use_misaligned_address(int* word) {
  *reinterpret_cast<int*>(reinterpret_cast<char*>(word) + 1) = 1;
}

/// The status that the callback of cudaStreamAddCallback got.
cudaError_t callback_status = cudaSuccess;
volatile bool is_told = false;

void be_told(cudaStream_t, cudaError_t status, void*) {
  callback_status = status;
  is_told = true;
}

void ask_after(void (*fault)(int*), int* argument, cudaStream_t stream) {
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  fault<<<1, 1, 0, stream>>>(argument);
  answer_error("launch.lasterror", cudaGetLastError());
  answer_error("cudaEventRecord", cudaEventRecord(event, stream));
  CHECK(cudaStreamAddCallback(stream, be_told, nullptr, 0));
  answer_error("cudaStreamSynchronize", cudaStreamSynchronize(stream));
  answer_error("cudaPeekAtLastError", cudaPeekAtLastError());
  answer_error("cudaGetLastError.first", cudaGetLastError());
  answer_error("cudaGetLastError.second", cudaGetLastError());
  answer_error("cudaStreamQuery", cudaStreamQuery(stream));
  answer_error("cudaEventQuery", cudaEventQuery(event));
  void* memory = nullptr;
  int value = 0;
  answer_error("cudaMalloc", cudaMalloc(&memory, 64));
  answer_error("cudaGetLastError.after_cudaMalloc", cudaGetLastError());
  answer_error("cudaDeviceSynchronize", cudaDeviceSynchronize());
  answer_error("cudaStreamCreate", cudaStreamCreate(&stream));
  answer_error("cudaGetDeviceCount", cudaGetDeviceCount(&value));
  answer_error("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  answer_error("cudaFree", cudaFree(argument));
  const timespec a_moment{0, 1'000'000};
  for (int i = 0; i < 1000 && !is_told; ++i) nanosleep(&a_moment, nullptr);
  answer_yes_no("addcallback_ran", is_told);
  answer_error("addcallback_status", callback_status);
  answer_error("cudaDeviceReset", cudaDeviceReset());
  answer_error("cudaGetLastError.after_cudaDeviceReset", cudaGetLastError());
  answer_error("cudaMalloc.after_cudaDeviceReset", cudaMalloc(&memory, 64));
  answer_error("cudaDeviceSynchronize.after_cudaDeviceReset", cudaDeviceSynchronize());
}

int* device_words() {
  int* words = nullptr;
  CHECK(cudaMalloc(&words, 64));
  return words;
}

}  // namespace

void ask_about_illegal_addresses() { ask_after(use_illegal_address, nullptr, blocking_stream()); }
void ask_about_traps() { ask_after(trap, device_words(), blocking_stream()); }
void ask_about_misaligned_addresses() {
  ask_after(use_misaligned_address, device_words(), blocking_stream());
}

}  // namespace agreement
