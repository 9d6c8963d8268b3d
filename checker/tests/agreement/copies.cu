// copies.cu: section copy: how long an asynchronous copy holds the host, and when it reads its source.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ask.h"

namespace agreement {
namespace {

constexpr double kernel_us = 30'000;
constexpr std::size_t mebibyte = 1 << 20;

enum class memory { pageable, pinned, managed };

/// Host memory of that kind, all pages in use; nullptr: this GPU has none.
char* host_memory(memory kind, std::size_t bytes) {
  void* result = nullptr;
  if (kind == memory::pageable) {
    result = std::malloc(bytes);
  } else if (kind == memory::pinned) {
    CHECK(cudaMallocHost(&result, bytes));
  } else if (cudaMallocManaged(&result, bytes) != cudaSuccess) {
    return nullptr;
  }
  std::memset(result, 1, bytes);
  return static_cast<char*>(result);
}

void give_back(memory kind, char* host) {
  if (kind == memory::pageable) {
    std::free(host);
  } else if (kind == memory::pinned) {
    CHECK(cudaFreeHost(host));
  } else {
    CHECK(cudaFree(host));
  }
}

void ask_about_a_copy(const std::string& question, memory kind, std::size_t bytes, cudaMemcpyKind direction,
                      cudaStream_t stream) {
  const bool is_in = direction == cudaMemcpyHostToDevice;
  char* const host = host_memory(kind, bytes);
  if (host == nullptr) return;
  void* device = nullptr;
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMemset(device, 0, bytes));
  const auto copy = [&] {
    CHECK(cudaMemcpyAsync(is_in ? device : host, is_in ? host : device, bytes, direction, stream));
  };
  copy();
  CHECK(cudaDeviceSynchronize());
  host[0] = 1;
  spin(kernel_us, stream);
  const double call_us = time_us(copy);
  answer_yes_no(question + ".waits_for_kernel", call_us > kernel_us / 2);
  answer_us(question + ".call_behind_kernel", call_us);
  answer_yes_no(question + ".stream_busy_at_return", cudaStreamQuery(stream) == cudaErrorNotReady);
  if (is_in) host[0] = 2;
  CHECK(cudaStreamSynchronize(stream));
  if (is_in) {
    char found = 0;
    CHECK(cudaMemcpy(&found, device, 1, cudaMemcpyDeviceToHost));
    answer_count(question + ".value_seen", found);
  }
  const double begin = now_us();
  copy();
  answer_us(question + ".idle_call", now_us() - begin);
  CHECK(cudaStreamSynchronize(stream));
  answer_us(question + ".idle_total", now_us() - begin);
  CHECK(cudaFree(device));
  give_back(kind, host);
}

void ask_about_host_copies(const std::string& question, memory kind, cudaStream_t stream) {
  char* const from = host_memory(kind, mebibyte);
  char* const to = host_memory(kind, mebibyte);
  to[0] = 0;
  spin(kernel_us, stream);
  const double call_us =
      time_us([&] { CHECK(cudaMemcpyAsync(to, from, mebibyte, cudaMemcpyHostToHost, stream)); });
  answer_yes_no("H2H." + question + ".done_at_return", to[0] == 1);
  answer_yes_no("H2H." + question + ".waits_for_kernel", call_us > kernel_us / 2);
  answer_us("H2H." + question + ".call_behind_kernel", call_us);
  CHECK(cudaStreamSynchronize(stream));
  give_back(kind, from);
  give_back(kind, to);
}

}  // namespace

void ask_about_copies() {
  cudaStream_t const stream = blocking_stream();
  spin(1, stream);
  CHECK(cudaDeviceSynchronize());
  const struct {
    const char* name;
    memory kind;
    std::size_t max_bytes;
  } memories[] = {{"pageable", memory::pageable, 64 * mebibyte},
                  {"pinned", memory::pinned, 64 * mebibyte},
                  {"managed", memory::managed, 4 * mebibyte}};
  for (const auto& source : memories) {
    for (const std::size_t bytes :
         {std::size_t{4}, std::size_t{1024}, std::size_t{32768}, std::size_t{65536}, std::size_t{65540},
          std::size_t{131072}, mebibyte, 4 * mebibyte, 16 * mebibyte, 64 * mebibyte}) {
      if (bytes > source.max_bytes) break;
      const std::string suffix = std::string(".") + source.name + "." + std::to_string(bytes);
      ask_about_a_copy("H2D" + suffix, source.kind, bytes, cudaMemcpyHostToDevice, stream);
      ask_about_a_copy("D2H" + suffix, source.kind, bytes, cudaMemcpyDeviceToHost, stream);
    }
  }
  ask_about_host_copies("pageable", memory::pageable, stream);
  ask_about_host_copies("pinned", memory::pinned, stream);
}

}  // namespace agreement
