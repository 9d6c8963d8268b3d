// A copy of pageable memory is a node that reads its source at each launch, however it came into its graph:
// the capture stages nothing, and a captured node takes as long as one that was added by hand.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

int failures = 0;

void expect(const char* claim, bool is_so) {
  std::printf("%-60s %s\n", claim, is_so ? "" : "FAILED");
  failures += !is_so;
}

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// The host's time for capturing the copy, and the graph.
std::chrono::nanoseconds capture(void* to, const void* from, std::size_t bytes, cudaGraph_t* graph) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  const std::chrono::nanoseconds begin = now();
  cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
  const std::chrono::nanoseconds end = now();
  cudaStreamEndCapture(stream, graph);
  return end - begin;
}

float ms_of(cudaGraph_t graph) {
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, stream);
  cudaGraphLaunch(executable, stream);
  cudaEventRecord(end, stream);
  cudaStreamSynchronize(stream);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  return ms;
}

void compare(std::size_t bytes) {
  std::printf("%zu bytes\n", bytes);
  std::vector<char> pageable(bytes);
  char *pinned, *device;
  cudaMallocHost(&pinned, bytes);
  cudaMalloc(&device, bytes);
  cudaGraph_t captured, of_pinned, added;
  const auto for_pageable = capture(device, pageable.data(), bytes, &captured);
  const auto for_pinned = capture(device, pinned, bytes, &of_pinned);
  expect("capturing it takes the host as long as with pinned memory", for_pageable == for_pinned);
  cudaGraphCreate(&added, 0);
  cudaGraphNode_t node;
  cudaGraphAddMemcpyNode1D(&node, added, nullptr, 0, device, pageable.data(), bytes, cudaMemcpyHostToDevice);
  const float as_captured = ms_of(captured), as_added = ms_of(added);
  std::printf("captured %.4f ms, added %.4f ms, pinned %.4f ms\n", as_captured, as_added, ms_of(of_pinned));
  expect("the captured node takes as long as the added one", as_captured == as_added);
}

}  // namespace

int main() {
  compare(16 << 10);  // fits into the staging buffer
  compare(8 << 20);
  return failures;
}
