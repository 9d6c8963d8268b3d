// blocking.cu: section block: which calls wait for a kernel of 40 ms that runs in another stream.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "ask.h"

namespace agreement {
namespace {

__global__ void attributed_kernel() {}

constexpr double kernel_us = 40'000;
constexpr std::size_t kibibyte = 1 << 10;
constexpr std::size_t mebibyte = 1 << 20;

/// What the calls work on; made before the kernel runs.
struct things {
  cudaStream_t other = nullptr;
  void *device = nullptr, *device_too = nullptr, *pinned = nullptr, *managed = nullptr;
  char *pageable = nullptr, *pageable_too = nullptr;
};

things make_things() {
  things made;
  made.other = non_blocking_stream();
  CHECK(cudaMalloc(&made.device, mebibyte));
  CHECK(cudaMalloc(&made.device_too, mebibyte));
  CHECK(cudaMallocHost(&made.pinned, mebibyte));
  if (cudaMallocManaged(&made.managed, mebibyte) != cudaSuccess) made.managed = nullptr;
  cudaGetLastError();
  for (char** memory : {&made.pageable, &made.pageable_too}) {
    *memory = static_cast<char*>(std::malloc(64 * mebibyte));
    std::memset(*memory, 1, 64 * mebibyte);
  }
  return made;
}

class asker {
 public:
  asker(std::string mode, cudaStream_t busy) : mode_(std::move(mode)), busy_(busy) {}

  /// Asks while the kernel runs; `call` returns what the CUDA call returned.
  void operator()(const std::string& question, const std::function<cudaError_t()>& call) const {
    CHECK(cudaDeviceSynchronize());
    cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    spin(kernel_us, busy_);
    CHECK(cudaEventRecord(done, busy_));
    cudaError_t returned = cudaSuccess;
    const double passed = time_us([&] { returned = call(); });
    const std::string name = mode_ + "." + question;
    answer_yes_no(name + ".kernel_done", cudaEventQuery(done) == cudaSuccess);
    answer_us(name + ".call", passed);
    answer_error(name + ".returns", returned);
    cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
  }

 private:
  std::string mode_;
  cudaStream_t busy_;
};

void ask_about_allocating(const asker& ask, const things& prepared) {
  void* memory = nullptr;
  const auto pair = [&](const std::string& make_name, const std::function<cudaError_t()>& make,
                        const std::string& free_name, const std::function<cudaError_t()>& give_back) {
    ask(make_name, make);
    ask(free_name, give_back);
  };
  const auto device = [&](const std::string& size, std::size_t bytes) {
    pair(
        "cudaMalloc_" + size, [&, bytes] { return cudaMalloc(&memory, bytes); }, "cudaFree_" + size,
        [&] { return cudaFree(memory); });
  };
  const auto pinned = [&](const std::string& size, std::size_t bytes) {
    pair(
        "cudaMallocHost_" + size, [&, bytes] { return cudaMallocHost(&memory, bytes); },
        "cudaFreeHost_" + size, [&] { return cudaFreeHost(memory); });
  };
  device("1M", mebibyte);
  device("1G", 1024 * mebibyte);
  pinned("1M", mebibyte);
  pinned("64M", 64 * mebibyte);
  pair(
      "cudaHostRegister_64M",
      [&] { return cudaHostRegister(prepared.pageable, 64 * mebibyte, cudaHostRegisterDefault); },
      "cudaHostUnregister", [&] { return cudaHostUnregister(prepared.pageable); });
  memory = nullptr;
  pair(
      "cudaMallocManaged", [&] { return cudaMallocManaged(&memory, mebibyte); }, "cudaFree_managed",
      [&] { return cudaFree(memory); });
  memory = nullptr;
  pair(
      "cudaMallocAsync_other", [&] { return cudaMallocAsync(&memory, mebibyte, prepared.other); },
      "cudaFreeAsync_other", [&] { return cudaFreeAsync(memory, prepared.other); });
}

void ask_about_small_calls(const asker& ask) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ask("cudaStreamCreate", [&] { return cudaStreamCreate(&stream); });
  ask("cudaStreamDestroy_idle", [&] { return cudaStreamDestroy(stream); });
  ask("cudaEventCreate", [&] { return cudaEventCreate(&event); });
  ask("cudaEventDestroy_idle", [&] { return cudaEventDestroy(event); });
  cudaDeviceProp properties;
  std::size_t free_bytes = 0, total_bytes = 0;
  int value = 0;
  ask("cudaGetDeviceProperties", [&] { return cudaGetDeviceProperties(&properties, 0); });
  ask("cudaMemGetInfo", [&] { return cudaMemGetInfo(&free_bytes, &total_bytes); });
  ask("cudaDeviceGetAttribute", [&] { return cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0); });
  ask("cudaSetDevice", [&] { return cudaSetDevice(0); });
  ask("cudaFuncSetAttribute", [] {
    return cudaFuncSetAttribute(attributed_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                64 * kibibyte);
  });
}

void ask_about_copying(const asker& ask, const things& prepared) {
  ask("cudaMemset_dev", [&] { return cudaMemset(prepared.device, 0, mebibyte); });
  ask("cudaMemset_pinned", [&] { return cudaMemset(prepared.pinned, 0, mebibyte); });
  if (prepared.managed != nullptr)
    ask("cudaMemset_managed", [&] { return cudaMemset(prepared.managed, 0, mebibyte); });
  const auto copy = [&](const char* question, void* to, const void* from, std::size_t bytes,
                        cudaMemcpyKind kind) {
    ask(question, [=] { return cudaMemcpy(to, from, bytes, kind); });
  };
  copy("cudaMemcpy_D2D", prepared.device_too, prepared.device, mebibyte, cudaMemcpyDeviceToDevice);
  copy("cudaMemcpy_H2H_pageable", prepared.pageable_too, prepared.pageable, 64 * kibibyte,
       cudaMemcpyHostToHost);
  copy("cudaMemcpy_H2D_pageable_4", prepared.device, prepared.pageable, 4, cudaMemcpyHostToDevice);
  copy("cudaMemcpy_H2D_pageable_64K", prepared.device, prepared.pageable, 64 * kibibyte,
       cudaMemcpyHostToDevice);
  copy("cudaMemcpy_H2D_pageable_64K1", prepared.device, prepared.pageable, 64 * kibibyte + 1,
       cudaMemcpyHostToDevice);
  copy("cudaMemcpy_H2D_pinned_4", prepared.device, prepared.pinned, 4, cudaMemcpyHostToDevice);
  copy("cudaMemcpy_D2H_pageable_4", prepared.pageable, prepared.device, 4, cudaMemcpyDeviceToHost);
  copy("cudaMemcpy_0bytes", prepared.device, prepared.pageable, 0, cudaMemcpyHostToDevice);
}

void ask_about_default_stream(const asker& ask, const things& prepared) {
  ask("cudaStreamSynchronize_0", [] { return cudaStreamSynchronize(nullptr); });
  ask("cudaStreamSynchronize_other", [&] { return cudaStreamSynchronize(prepared.other); });
  ask("cudaStreamQuery_0", [] { return cudaStreamQuery(nullptr); });
  ask("launch_nop_legacy", [] {
    launch_nothing(nullptr);
    return cudaGetLastError();
  });
}

}  // namespace

void ask_about_blocking() {
  const things prepared = make_things();
  spin(1, nullptr);
  launch_nothing(nullptr);
  CHECK(cudaDeviceSynchronize());
  for (const asker& ask : {asker("blocking", blocking_stream()), asker("nonblocking", non_blocking_stream()),
                           asker("legacy", nullptr)}) {
    ask_about_allocating(ask, prepared);
    ask_about_small_calls(ask);
    ask_about_copying(ask, prepared);
    ask_about_default_stream(ask, prepared);
  }
}

}  // namespace agreement
