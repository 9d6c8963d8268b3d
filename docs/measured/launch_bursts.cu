// What a launch costs the host in a row of launches, by how long the kernels are, in how many streams they
// are, and whether they can begin; and what instantiating a graph costs, by its nodes. Medians; run by
// measure.sh.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using clock_type = std::chrono::steady_clock;

constexpr int rounds = 61;
constexpr int graph_rounds = 15;
constexpr int max_streams = 8;

__global__ void nothing() {}
__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

struct row {
  const char* name;
  long long gate;    ///< cycles of a kernel before all others; 0: there is none
  long long cycles;  ///< of each kernel; 0: an empty one
  int streams;       ///< 1, or 8 in turns; 2: the gate is in another stream
  int count;
};

static double microseconds(clock_type::time_point begin, clock_type::time_point end) {
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

static void launch(const row& what, int index, const std::vector<cudaStream_t>& streams) {
  cudaStream_t const stream = streams[what.streams == 2 ? 0 : static_cast<std::size_t>(index % what.streams)];
  if (what.cycles == 0) {
    nothing<<<1, 1, 0, stream>>>();
  } else {
    spin<<<1, 1, 0, stream>>>(what.cycles);
  }
}

static void measure(const row& what, const std::vector<cudaStream_t>& streams) {
  std::vector<double> each, first, last;
  std::vector<clock_type::time_point> at(static_cast<std::size_t>(what.count) + 1);
  for (int round = 0; round < rounds; ++round) {
    if (what.gate > 0) spin<<<1, 1, 0, streams[what.streams == 2 ? 7 : 0]>>>(what.gate);
    for (int i = 0; i < what.count; ++i) {
      at[static_cast<std::size_t>(i)] = clock_type::now();
      launch(what, i, streams);
    }
    at.back() = clock_type::now();
    cudaDeviceSynchronize();
    each.push_back(microseconds(at.front(), at.back()) / what.count);
    first.push_back(microseconds(at[0], at[1]));
    last.push_back(microseconds(at[at.size() - 2], at.back()));
  }
  std::printf("%-38s per launch %6.2f us  first %6.2f  last %6.2f\n", what.name, median(each), median(first),
              median(last));
}

static double instantiation(int nodes, int branches, const std::vector<cudaStream_t>& streams) {
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, streams[0]);
  for (int i = 1; i < branches; ++i) cudaStreamWaitEvent(streams[static_cast<std::size_t>(i)], fork);
  for (int i = 0; i < nodes; ++i) spin<<<1, 1, 0, streams[static_cast<std::size_t>(i % branches)]>>>(9000);
  for (int i = 1; i < branches; ++i) {
    cudaEventRecord(join, streams[static_cast<std::size_t>(i)]);
    cudaStreamWaitEvent(streams[0], join);
  }
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamEndCapture(streams[0], &graph);
  const clock_type::time_point begin = clock_type::now();
  cudaGraphInstantiate(&ready, graph, 0);
  const double took = microseconds(begin, clock_type::now());
  cudaGraphLaunch(ready, streams[0]);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  return took;
}

int main() {
  std::vector<cudaStream_t> streams(max_streams);
  for (cudaStream_t& each : streams) cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
  nothing<<<1, 1>>>();
  spin<<<1, 1>>>(1);
  cudaDeviceSynchronize();
  const row rows[] = {{"nop, queue empty each time", 0, 0, 1, 1},
                      {"nop burst", 0, 0, 1, 80},
                      {"nop burst 8 streams", 0, 0, 8, 80},
                      {"spin(1) burst", 0, 1, 1, 80},
                      {"1 us burst", 0, 1800, 1, 80},
                      {"5 us burst", 0, 9000, 1, 80},
                      {"5 us burst 8 streams", 0, 9000, 8, 80},
                      {"20 us burst", 0, 36000, 1, 80},
                      {"100 us burst", 0, 180000, 1, 80},
                      {"5 us behind a 2 ms kernel", 3600000, 9000, 1, 80},
                      {"nop behind a 2 ms kernel", 3600000, 0, 1, 80},
                      {"5 us behind a 2 ms kernel elsewhere", 3600000, 9000, 2, 80},
                      {"5 us burst of 10", 0, 9000, 1, 10},
                      {"5 us burst of 20", 0, 9000, 1, 20},
                      {"5 us burst of 500", 0, 9000, 1, 500},
                      {"5 us burst of 900 behind 8 ms", 14400000, 9000, 1, 900}};
  for (const row& each : rows) measure(each, streams);
  for (const int nodes : {1, 10, 20, 40, 80, 160}) {
    for (const int branches : {1, 8}) {
      std::vector<double> took;
      for (int round = 0; round < graph_rounds; ++round)
        took.push_back(instantiation(nodes, branches, streams));
      std::printf("instantiate %3d nodes %d branches  median %7.1f us  first %7.1f us\n", nodes, branches,
                  median(took), took.front());
    }
  }
}
