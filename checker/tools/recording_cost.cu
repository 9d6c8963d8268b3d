// The solution of lesson 04 on arrays so large that one call takes 20 ms and more, timed by the host's clock:
// prints the median of some calls in milliseconds. Linked with the recorder and without, by
// recording_cost.sh; on smaller arrays by explain_cost.sh.
//     recording_cost [ELEMENTS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "multi_stream.h"

int main(int count, char** arguments) {
  const int elements = count > 1 ? std::atoi(arguments[1]) : 120'000'001;
  constexpr int calls = 15;
  const std::size_t bytes = elements * sizeof(float);
  vectors work{};
  work.elements = elements;
  float *left, *right;
  for (float** memory : {&left, &right, &work.sum}) {
    if (cudaMallocHost(memory, bytes) != cudaSuccess) return 1;
  }
  work.left = left;
  work.right = right;
  for (float** memory : {&work.device_left, &work.device_right, &work.device_sum}) {
    if (cudaMalloc(memory, bytes) != cudaSuccess) return 1;
  }
  for (cudaStream_t& stream : work.streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  work.cycles = 100;
  plan chosen = make_plan(0);
  chosen.chunks = 64;  // more calls than a sensible plan has: the cost is in them
  std::vector<double> times;
  for (int call = 0; call < calls; ++call) {
    const auto begin = std::chrono::steady_clock::now();
    add_in_chunks(work, chosen);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%.4f\n", times[calls / 2]);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
