// small_copies.cu: small copies from pinned memory, as an H200 does them; the documentation promises none of
// it.
#include "conformance/gate.h"

using namespace conformance;

namespace {

/// Copies, overwrites the source right after the call, and says what arrived: 1 the old, 2 the new bytes.
int arrived(std::size_t bytes, cudaStream_t stream, gate* ahead) {
  const std::size_t words = bytes / sizeof(int);
  int* source = nullptr;
  int* on_device = nullptr;
  int result = 0;
  CHECK(cudaMallocHost(&source, bytes));
  CHECK(cudaMalloc(&on_device, bytes));
  for (std::size_t i = 0; i < words; ++i) source[i] = 1;
  CHECK(cudaStreamSynchronize(stream));
  if (ahead != nullptr) ahead->hold(stream);
  CHECK(cudaMemcpyAsync(on_device, source, bytes, cudaMemcpyHostToDevice, stream));
  static_cast<volatile int*>(source)[words - 1] = 2;
  if (ahead != nullptr) ahead->release();
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&result, on_device + words - 1, sizeof(int), cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace

RULE(M7, "a copy of up to 24 KiB takes its source along with the call when its stream is idle",
     measured_on_h200) {
  for (const std::size_t bytes : {4, 1024, 24 << 10})
    EXPECT_EQUAL(arrived(bytes, non_blocking_stream(), nullptr), 1);
}

RULE(M7, "a larger copy reads its source when it runs", measured_on_h200) {
  for (const std::size_t bytes : {32 << 10, 1 << 20})
    EXPECT_EQUAL(arrived(bytes, non_blocking_stream(), nullptr), 2);
}

RULE(M7, "behind other work of its stream a small copy reads its source when it runs", measured_on_h200) {
  for (const std::size_t bytes : {4, 1024}) {
    gate closed;
    EXPECT_EQUAL(arrived(bytes, non_blocking_stream(), &closed), 2);
  }
}

RULE(M7, "work of other streams makes no difference", measured_on_h200) {
  cudaStream_t const other = non_blocking_stream();
  gate closed;
  int* source = nullptr;
  int* on_device = nullptr;
  int result = 0;
  CHECK(cudaMallocHost(&source, sizeof(int)));
  CHECK(cudaMalloc(&on_device, sizeof(int)));
  cudaStream_t const stream = non_blocking_stream();
  *source = 1;
  closed.hold(other);
  CHECK(cudaMemcpyAsync(on_device, source, sizeof(int), cudaMemcpyHostToDevice, stream));
  static_cast<volatile int*>(source)[0] = 2;
  CHECK(cudaMemcpyAsync(&result, on_device, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  closed.release();
  EXPECT_EQUAL(result, 1);
}
