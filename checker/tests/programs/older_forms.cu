// The forms that functions had in CUDA 11 and 12, and that CUDA 13 dropped, do what the forms of today do.
// The headers that programs name beside cuda_runtime.h are there.
#include <crt/host_defines.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <host_defines.h>
#include <sm_20_atomic_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_32_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_35_intrinsics.h>
#include <sm_60_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <vector_functions.h>

#include <cstdio>

namespace {

__global__ void nothing() {}

int failures = 0;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::printf("not so: %s\n", claim);
  ++failures;
}

#define EXPECT(condition) expect((condition), #condition)

}  // namespace

int main() {
  cudaStream_t stream = nullptr;
  EXPECT(cudaProfilerStart() == cudaSuccess && cudaProfilerStop() == cudaSuccess);
  EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  nothing<<<1, 1, 0, stream>>>();

  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long ids[4] = {};
  const cudaGraphNode_t* ends[3] = {};
  std::size_t counts[3] = {};
  cudaGraph_t graph = nullptr;
  EXPECT(cudaStreamGetCaptureInfo(stream, &status, &ids[0]) == cudaSuccess);
  EXPECT(cudaStreamGetCaptureInfo(stream, &status, &ids[1], &graph, &ends[0], &counts[0]) == cudaSuccess);
  EXPECT(cudaStreamGetCaptureInfo_v2(stream, &status, &ids[2], &graph, &ends[1], &counts[1]) == cudaSuccess);
  EXPECT(cudaStreamGetCaptureInfo_v3(stream, &status, &ids[3], &graph, &ends[2], nullptr, &counts[2]) ==
         cudaSuccess);
  EXPECT(status == cudaStreamCaptureStatusActive);
  for (int i = 0; i < 3; ++i) EXPECT(ids[i + 1] == ids[0] && ends[i][0] == ends[0][0] && counts[i] == 1);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);

  cudaGraphNode_t first = nullptr, second = nullptr, from = nullptr, to = nullptr;
  std::size_t edges = 1, behind = 1, before = 1;
  EXPECT(cudaGraphGetNodes(graph, &first, &edges) == cudaSuccess);
  EXPECT(cudaGraphAddEmptyNode(&second, graph, nullptr, 0) == cudaSuccess);
  EXPECT(cudaGraphAddDependencies(graph, &first, &second, 1) == cudaSuccess);
  EXPECT(cudaGraphGetEdges(graph, &from, &to, &edges) == cudaSuccess);
  EXPECT(edges == 1 && from == first && to == second);
  EXPECT(cudaGraphNodeGetDependentNodes(first, &to, &behind) == cudaSuccess);
  EXPECT(cudaGraphNodeGetDependencies(second, &from, &before) == cudaSuccess);
  EXPECT(behind == 1 && before == 1 && from == first && to == second);
  EXPECT(cudaGraphRemoveDependencies(graph, &first, &second, 1) == cudaSuccess);
  EXPECT(cudaGraphGetEdges(graph, nullptr, nullptr, &edges) == cudaSuccess);
  EXPECT(edges == 0);

  cudaGraphExec_t ready = nullptr;
  char log[8] = "unread";
  EXPECT(cudaGraphInstantiate(&ready, graph, nullptr, log, sizeof log) == cudaSuccess);
  EXPECT(cudaGraphInstantiateWithFlags(&ready, graph) == cudaSuccess);
  EXPECT(log[0] == 0);

  void* managed = nullptr;
  EXPECT(cudaMallocManaged(&managed, 4096) == cudaSuccess);
  EXPECT(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, 0) == cudaSuccess);
  EXPECT(cudaMemPrefetchAsync(managed, 4096, 0, stream) == cudaSuccess);
  EXPECT(cudaMemPrefetchAsync(managed, 4096, cudaCpuDeviceId, stream) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return failures == 0 ? 0 : 1;
}
