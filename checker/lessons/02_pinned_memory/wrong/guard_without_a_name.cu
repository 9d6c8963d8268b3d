// fails: CopiesComeFromPinnedMemory
// where: 14 cause: pageable_copy
// The object that pins the result has no name, and is destroyed at the end of its line.
#include <vector>

#include "pinned_memory.h"

// Pins memory that exists for as long as the guard lives.
class pin_guard {
 public:
  pin_guard(void* memory, std::size_t bytes) : memory_(memory) {
    cudaHostRegister(memory_, bytes, cudaHostRegisterDefault);
  }
  ~pin_guard() { cudaHostUnregister(memory_); }
  pin_guard(const pin_guard&) = delete;
  pin_guard& operator=(const pin_guard&) = delete;

 private:
  void* memory_;
};

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  std::vector<float> landing(data.elements);
  const pin_guard landing_pinned(landing.data(), bytes);
  pin_guard(data.result, bytes);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing.data());
    cudaMemcpyAsync(data.device_chunk, landing.data(), bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();
    cudaStreamSynchronize(data.stream);
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);
}
