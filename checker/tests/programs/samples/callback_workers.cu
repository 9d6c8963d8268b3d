// After the sample simpleCallback: each workload goes through the device in a stream of its own; a callback
// in the stream wakes up a host thread, which checks the result and frees what the workload had. Callbacks
// call no CUDA.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "check.h"

constexpr int workloads = 8;
constexpr int elements = 100'000;
constexpr size_t bytes = elements * sizeof(int);

__global__ void increase(int* data, int count, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += by;
}

struct workload {
  int id = 0;
  int* host = nullptr;
  int* device = nullptr;
  cudaStream_t stream = nullptr;
  bool is_right = false;
  std::thread worker;
};

// Host threads wait here for their workload's callback.
std::mutex mutex;
std::condition_variable arrived;
bool has_arrived[workloads];
int active_callbacks;

void CUDART_CB wake_up(cudaStream_t, cudaError_t status, void* data) {
  const std::lock_guard<std::mutex> held(mutex);
  if (status == cudaSuccess) has_arrived[static_cast<workload*>(data)->id] = true;
  ++active_callbacks;
  arrived.notify_all();
}

void issue(workload& work) {
  CUDA(cudaStreamCreate(&work.stream));
  CUDA(cudaMalloc(&work.device, bytes));
  CUDA(cudaHostAlloc(&work.host, bytes, cudaHostAllocPortable));
  for (int i = 0; i < elements; ++i) work.host[i] = i;
  CUDA(cudaMemcpyAsync(work.device, work.host, bytes, cudaMemcpyHostToDevice, work.stream));
  increase<<<(elements + 255) / 256, 256, 0, work.stream>>>(work.device, elements, work.id + 1);
  CUDA(cudaMemcpyAsync(work.host, work.device, bytes, cudaMemcpyDeviceToHost, work.stream));
  CUDA(cudaStreamAddCallback(work.stream, wake_up, &work, 0));
}

void finish(workload& work) {
  {
    std::unique_lock<std::mutex> held(mutex);
    arrived.wait(held, [&] { return has_arrived[work.id]; });
  }
  work.is_right = true;
  for (int i = 0; i < elements; ++i) work.is_right = work.is_right && work.host[i] == i + work.id + 1;
  CUDA(cudaFree(work.device));
  CUDA(cudaFreeHost(work.host));
  CUDA(cudaStreamDestroy(work.stream));
}

int main() {
  std::vector<workload> all(workloads);
  for (int id = 0; id < workloads; ++id) {
    all[id].id = id;
    all[id].worker = std::thread([&all, id] {
      issue(all[id]);
      finish(all[id]);
    });
  }
  int right = 0;
  for (workload& one : all) {
    one.worker.join();
    right += one.is_right;
  }
  std::printf("%d workloads, %d callbacks, %d right results\n", workloads, active_callbacks, right);
  return claim(active_callbacks == workloads, "every callback ran once") +
         claim(right == workloads, "every host thread saw the finished result of its workload");
}
