// twin.h: what a chapter of this suite is made of: pairs of programs, one that keeps a rule and one that
// breaks it, which differ in one place.
//
// A twin is named by what the broken program lacks. `program list` prints a line for each: its name and the
// rule under which the broken one must be reported; the correct one must not be reported at all. One file
// holds the twins of one theme:
//
//     TWIN(event_wait, "unordered_accesses") {
//       ...
//       if (is_correct) cudaStreamWaitEvent(consumer, ready);
//       ...
//     }
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include "workload.h"

namespace twins {

struct twin {
  const char* name;
  const char* rule;
  void (*run)(bool is_correct);
};

inline std::vector<twin>& all() {
  static std::vector<twin> list;
  return list;
}

struct registration {
  explicit registration(const twin& added) { all().push_back(added); }
};

/// A stream that is destroyed at the end of its scope.
class stream {
 public:
  explicit stream(unsigned flags = cudaStreamDefault) { cudaStreamCreateWithFlags(&handle_, flags); }
  ~stream() { cudaStreamDestroy(handle_); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  operator cudaStream_t() const { return handle_; }

 private:
  cudaStream_t handle_{};
};

class event {
 public:
  event() { cudaEventCreate(&handle_); }
  ~event() { cudaEventDestroy(handle_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  operator cudaEvent_t() const { return handle_; }

 private:
  cudaEvent_t handle_{};
};

constexpr int count = 4096;
constexpr std::size_t bytes = count * sizeof(int);

/// `count` numbers; freed at the end of the scope, when the device is idle.
class device_buffer {
 public:
  explicit device_buffer(int numbers = count) { cudaMalloc(&data_, numbers * sizeof(int)); }
  ~device_buffer() {
    cudaDeviceSynchronize();
    cudaFree(data_);
  }
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  operator int*() const { return data_; }

 private:
  int* data_ = nullptr;
};

class pinned_buffer {
 public:
  explicit pinned_buffer(int numbers = count) { cudaMallocHost(&data_, numbers * sizeof(int)); }
  ~pinned_buffer() {
    cudaDeviceSynchronize();
    cudaFreeHost(data_);
  }
  pinned_buffer(const pinned_buffer&) = delete;
  pinned_buffer& operator=(const pinned_buffer&) = delete;
  operator int*() const { return data_; }

 private:
  int* data_ = nullptr;
};

/// Keeps a host read from being removed.
inline volatile int sink = 0;

inline int main_of(int argument_count, char** arguments) {
  for (const twin& listed : all()) {
    if (argument_count == 2) std::printf("%s %s\n", listed.name, listed.rule);
    if (argument_count == 3 && std::strcmp(listed.name, arguments[1]) == 0) {
      listed.run(std::strcmp(arguments[2], "correct") == 0);
      return 0;
    }
  }
  return argument_count == 2 ? 0 : 2;
}

}  // namespace twins

#define TWIN(name, rule)                                                  \
  static void name(bool is_correct);                                      \
  static const twins::registration register_##name({#name, rule, &name}); \
  static void name([[maybe_unused]] bool is_correct)

/// Writes numbers, slowly enough to be still running when the host goes on.
static __global__ void fill(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  spin_cycles(100'000);
  if (i < n) data[i] = value;
}

/// Reads numbers of one buffer and writes to another.
static __global__ void add_one(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  spin_cycles(100'000);
  if (i < n) to[i] = from[i] + 1;
}

int main(int argument_count, char** arguments) { return twins::main_of(argument_count, arguments); }
