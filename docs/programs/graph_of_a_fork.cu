// A fork and a join of two streams, captured once; the graph is launched three times.
#include "show.h"

int main() {
  const show::device_memory device(3);
  const show::stream one;
  const show::stream other;
  const show::event forked;
  const show::event joined;
  const long long cycles = show::cycles_of(60);

  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
  show::work<<<1, 32, 0, one>>>(device, 1, cycles);
  CHECK(cudaEventRecord(forked, one));
  CHECK(cudaStreamWaitEvent(other, forked, 0));
  show::work<<<1, 32, 0, one>>>(device + 1, 1, cycles);
  show::work<<<1, 32, 0, other>>>(device + 2, 1, cycles);
  CHECK(cudaEventRecord(joined, other));
  CHECK(cudaStreamWaitEvent(one, joined, 0));
  CHECK(cudaStreamEndCapture(one, &graph));

  cudaGraphExec_t ready = nullptr;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int round = 0; round < 3; ++round) CHECK(cudaGraphLaunch(ready, one));
  std::printf("the stream that took part: %s\n", cudaGetErrorName(cudaStreamQuery(other)));
  CHECK(cudaStreamSynchronize(one));
  CHECK(cudaGraphExecDestroy(ready));
}
