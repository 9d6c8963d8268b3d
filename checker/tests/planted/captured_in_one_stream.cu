// cause: one_stream gpu: teaching
// A graph has the order in which its work was captured: here that of one stream.
#include "planted/chunks.h"

void capture(const chunked_array& work, const stream_set& streams) {
#ifdef CURED
  cudaEvent_t begun, ended;
  CHECKED(cudaEventCreate(&begun));
  CHECKED(cudaEventCreate(&ended));
  CHECKED(cudaEventRecord(begun, streams[0]));
  for (int i = 1; i < streams.count; ++i) CHECKED(cudaStreamWaitEvent(streams[i], begun, 0));
#endif
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 5'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
  }
#ifdef CURED
  for (int i = 1; i < streams.count; ++i) {
    CHECKED(cudaEventRecord(ended, streams[i]));
    CHECKED(cudaStreamWaitEvent(streams[0], ended, 0));
  }
  CHECKED(cudaEventDestroy(begun));
  CHECKED(cudaEventDestroy(ended));
#endif
}

#ifdef CURED
constexpr int streams_used = stream_count;
#else
constexpr int streams_used = 1;
#endif

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(streams_used);
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECKED(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  capture(work, streams);
  CHECKED(cudaStreamEndCapture(streams[0], &graph));
  CHECKED(cudaGraphInstantiate(&ready, graph, 0));
  for (int round = 0; round < 3; ++round) CHECKED(cudaGraphLaunch(ready, streams[0]));
  CHECKED(cudaDeviceSynchronize());
  CHECKED(cudaGraphExecDestroy(ready));
  CHECKED(cudaGraphDestroy(graph));
  work.expect_right();
}
