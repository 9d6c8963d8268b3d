// many_streams.cu: a chosen number of streams with an event each, whose work is put in order in one of several ways.
//     many_streams PATTERN [STREAMS, 1000 by default [ROUNDS, 3 by default]]
// PATTERN: alone     no stream waits for another
//          star      all wait for one stream in each round, and it for all
//          ring      each waits for its left neighbor
//          synced    the host waits for the event of a stream two rounds ago before it gives the stream new work
//          legacy    a kernel in the legacy default stream after each round
//          reading   all read what the host has written
//          shared    all read what all others have written, with waits for the device before and after
//          racing    all write the same bytes, and nothing orders them
//          random    each waits for two streams chosen by a fixed random sequence
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECKED(call) check((call), __LINE__)

__global__ void increment(int* data) { *data += 1; }
__global__ void add(int* data, const int* more, int count) {
  for (int i = 0; i < count; ++i) *data += more[i];
}

int main(int count, char** arguments) {
  const char* const pattern = count > 1 ? arguments[1] : "alone";
  const auto is = [&](const char* name) { return std::strcmp(pattern, name) == 0; };
  const int streams = count > 2 ? std::atoi(arguments[2]) : 1000;
  const int rounds = count > 3 ? std::atoi(arguments[3]) : 3;
  std::vector<cudaStream_t> stream(streams);
  std::vector<cudaEvent_t> done(streams);
  int *data = nullptr, *sums = nullptr;
  CHECKED(cudaMalloc(&sums, streams * sizeof(int)));
  CHECKED(cudaMalloc(&data, (streams + 1) * sizeof(int)));
  CHECKED(cudaMemset(data, 0, (streams + 1) * sizeof(int)));
  for (int i = 0; i < streams; ++i) {
    CHECKED(cudaStreamCreateWithFlags(&stream[i], is("legacy") ? cudaStreamDefault : cudaStreamNonBlocking));
    CHECKED(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
  }
  cudaStream_t hub;
  cudaEvent_t hub_done;
  CHECKED(cudaStreamCreateWithFlags(&hub, cudaStreamNonBlocking));
  CHECKED(cudaEventCreateWithFlags(&hub_done, cudaEventDisableTiming));
  CHECKED(cudaDeviceSynchronize());
  unsigned random = 1;
  const auto any_stream = [&] { return (random = random * 1664525u + 1013904223u) / 65536 % streams; };
  for (int round = 0; round < rounds; ++round) {
    if (is("star")) {
      increment<<<1, 1, 0, hub>>>(data + streams);
      CHECKED(cudaEventRecord(hub_done, hub));
    }
    for (int i = 0; i < streams; ++i) {
      if (is("star")) CHECKED(cudaStreamWaitEvent(stream[i], hub_done, 0));
      if (is("ring")) CHECKED(cudaStreamWaitEvent(stream[i], done[(i + streams - 1) % streams], 0));
      if (is("synced")) CHECKED(cudaEventSynchronize(done[i]));
      if (is("random")) {
        CHECKED(cudaStreamWaitEvent(stream[i], done[any_stream()], 0));
        CHECKED(cudaStreamWaitEvent(stream[i], done[any_stream()], 0));
      }
      if (is("reading")) add<<<1, 1, 0, stream[i]>>>(data + i, data + streams, 1);
      if (is("racing")) increment<<<1, 1, 0, stream[i]>>>(data + streams);
      if (is("shared")) add<<<1, 1, 0, stream[i]>>>(sums + i, data, streams);
      if (!is("synced") && !is("shared")) increment<<<1, 1, 0, stream[i]>>>(data + i);
      CHECKED(cudaEventRecord(done[i], stream[i]));
      if (is("synced")) increment<<<1, 1, 0, stream[i]>>>(data + i);
      if (is("star")) CHECKED(cudaStreamWaitEvent(hub, done[i], 0));
    }
    if (is("shared")) {
      CHECKED(cudaDeviceSynchronize());
      for (int i = 0; i < streams; ++i) increment<<<1, 1, 0, stream[i]>>>(data + i);
      CHECKED(cudaDeviceSynchronize());
    }
    if (is("legacy")) increment<<<1, 1>>>(data + streams);
  }
  CHECKED(cudaDeviceSynchronize());
  std::vector<int> result(streams);
  CHECKED(cudaMemcpy(result.data(), data, streams * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < streams; ++i) {
    if (result[i] != rounds) return 1;
    CHECKED(cudaEventDestroy(done[i]));
    CHECKED(cudaStreamDestroy(stream[i]));
  }
  CHECKED(cudaEventDestroy(hub_done));
  CHECKED(cudaStreamDestroy(hub));
  CHECKED(cudaFree(data));
  CHECKED(cudaFree(sums));
  return 0;
}
