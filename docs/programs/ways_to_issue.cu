// Many short chains of kernels, issued in four ways: all in one stream, in eight streams, by a graph made of
// those, and by eight host threads with a stream each. Prints what the host spent on issuing, and the whole
// time.
#include <chrono>
#include <thread>
#include <vector>

#include "show.h"

constexpr int chains = 8;
constexpr int length = 10;

using clock_type = std::chrono::steady_clock;

static double microseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

static void issue_chain(float* data, cudaStream_t into, long long cycles) {
  for (int i = 0; i < length; ++i) show::work<<<1, 32, 0, into>>>(data, 1, cycles);
}

int main() {
  const show::device_memory device(chains);
  const long long cycles = show::cycles_of(5);
  const show::stream streams[chains];
  issue_chain(device, streams[0], cycles);  // the first launch of a kernel costs more
  CHECK(cudaDeviceSynchronize());

  const auto measure = [&](const char* way, auto issue) {
    const clock_type::time_point begin = clock_type::now();
    issue();
    const double issued = microseconds_since(begin);
    CHECK(cudaDeviceSynchronize());
    std::printf("%-14s issued after %6.1f us, done after %6.1f us\n", way, issued, microseconds_since(begin));
  };

  measure("one stream", [&] {
    for (int i = 0; i < chains; ++i) issue_chain(device + i, streams[0], cycles);
  });
  measure("eight streams", [&] {
    for (int i = 0; i < chains; ++i) issue_chain(device + i, streams[i], cycles);
  });

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  const show::event forked;
  const show::event joined[chains];
  CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(forked, streams[0]));
  for (int i = 0; i < chains; ++i) {
    if (i > 0) CHECK(cudaStreamWaitEvent(streams[i], forked, 0));
    issue_chain(device + i, streams[i], cycles);
    if (i == 0) continue;
    CHECK(cudaEventRecord(joined[i], streams[i]));
    CHECK(cudaStreamWaitEvent(streams[0], joined[i], 0));
  }
  CHECK(cudaStreamEndCapture(streams[0], &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  measure("a graph", [&] { CHECK(cudaGraphLaunch(ready, streams[0])); });

  measure("eight threads", [&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < chains; ++i)
      threads.emplace_back([&, i] { issue_chain(device + i, streams[i], cycles); });
    for (std::thread& each : threads) each.join();
  });
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
}
