// The last wait is for a promise that a host function behind the copy sets.
#include <future>

#include "pinned_memory.h"

static void CUDART_CB tell(void* p) { static_cast<std::promise<void>*>(p)->set_value(); }

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  float* landing = nullptr;
  cudaMallocHost(&landing, bytes);
  cudaHostRegister(data.result, bytes, cudaHostRegisterDefault);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();
    cudaStreamSynchronize(data.stream);
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  std::promise<void> there;
  cudaLaunchHostFunc(data.stream, tell, &there);
  data.host_task();
  there.get_future().wait();

  cudaHostUnregister(data.result);
  cudaFreeHost(landing);
}
