// Streams in a class, more blocks than tiles (the rest return at once), long copies in pieces, cudalaunchkernel, every call checked.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "priorities.h"

namespace {

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::abort();
}

class stream {
 public:
  explicit stream(int priority) {
    require(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking, priority));
    int became = 0;
    require(cudaStreamGetPriority(handle_, &became));
    if (became != priority) std::abort();
  }
  ~stream() { require(cudaStreamDestroy(handle_)); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  operator cudaStream_t() const { return handle_; }
  void wait() const { require(cudaStreamSynchronize(handle_)); }

 private:
  cudaStream_t handle_ = nullptr;
};

/// A copy in pieces, so that an urgent copy has a short one in front of it.
void copy_in_pieces(float* to, const float* from, std::size_t elements, cudaMemcpyKind kind, cudaStream_t in) {
  const std::size_t piece = elements / 4 + 1;
  for (std::size_t begin = 0; begin < elements; begin += piece) {
    const std::size_t length = std::min(piece, elements - begin);
    require(cudaMemcpyAsync(to + begin, from + begin, length * sizeof(float), kind, in));
  }
}

}  // namespace

void serve(const service& work) {
  int least = 0;
  int greatest = 0;
  require(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  const stream background(least);
  const stream urgent(greatest);
  const std::size_t all = static_cast<std::size_t>(work.elements);

  copy_in_pieces(work.device_input, work.input, all, cudaMemcpyHostToDevice, background);
  const int waves = (work.tiles + work.resident_blocks - 1) / work.resident_blocks;
  const float* input = work.device_input;
  float* output = work.device_output;
  int elements = work.elements;
  int tile_elements = work.tile_elements;
  int first_tile = 0;
  int end_tile = work.tiles;
  long long cycles = work.tile_cycles;
  void* arguments[] = {&input, &output, &elements, &tile_elements, &first_tile, &end_tile, &cycles};
  require(cudaLaunchKernel(reinterpret_cast<const void*>(process_tiles), dim3(waves * work.resident_blocks),
                           dim3(tile_threads), arguments, 0, background));
  copy_in_pieces(work.output, work.device_output, all, cudaMemcpyDeviceToHost, background);

  const std::size_t length = static_cast<std::size_t>(work.request_elements);
  for (int r = 0; r < work.requests; ++r) {
    work.next_request(r);
    require(cudaMemcpyAsync(work.device_question, work.questions + r * length, length * sizeof(float),
                            cudaMemcpyDefault, urgent));
    answer<<<answer_blocks, answer_threads, 0, urgent>>>(work.device_question, work.device_reply,
                                                         work.request_elements, work.answer_cycles);
    require(cudaGetLastError());
    require(cudaMemcpyAsync(work.replies + r * length, work.device_reply, length * sizeof(float),
                            cudaMemcpyDefault, urgent));
    urgent.wait();
    work.send_reply(r);
  }
  background.wait();
}
