// managed.cu: managed memory on devices that share it with the host at any time (compute capability 6.0 and
// later).
#include "conformance/gate.h"

using namespace conformance;

namespace {

int* managed_words(std::size_t count, unsigned int flags = cudaMemAttachGlobal) {
  int* words = nullptr;
  CHECK(cudaMallocManaged(&words, count * sizeof(int), flags));
  return words;
}

__global__ void increment(int* word) { *word += 1; }

}  // namespace

RULE(U1, "host and kernels use managed memory through one pointer",
     programming_guide("Unified Memory", "introduction")) {
  int* const word = managed_words(1);
  *word = 4;
  increment<<<1, 1>>>(word);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 5);
  CHECK(cudaFree(word));
}

RULE(U1, "the host may use managed memory while kernels run",
     programming_guide("Unified Memory", "concurrent access"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  int* const words = managed_words(2);
  words[1] = 0;
  gate closed;
  closed.hold_then_store(stream, words, 1);
  words[1] = 2;
  EXPECT_EQUAL(words[1], 2);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(words[0], 1);
}

RULE(U1, "the device says that it manages memory",
     runtime_api("Device Management", "cudaDeviceGetAttribute")) {
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrManagedMemory, 0));
  EXPECT_EQUAL(value, 1);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, 0));
  EXPECT_EQUAL(value, 1);
}

RULE(U2, "managed memory is attached to all streams or to the host when it is made",
     runtime_api("Memory Management", "cudaMallocManaged")) {
  int* words = nullptr;
  EXPECT_EQUAL(cudaMallocManaged(&words, 64, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMallocManaged(&words, 64, cudaMemAttachSingle), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMallocManaged(&words, 64, cudaMemAttachHost), cudaSuccess);
  EXPECT_EQUAL(cudaMallocManaged(static_cast<void**>(nullptr), 64), cudaErrorInvalidValue);
}

RULE(U2, "an attachment names the whole of a managed allocation, and one stream of the program's own",
     runtime_api("Stream Management", "cudaStreamAttachMemAsync"), measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  int* const words = managed_words(16);
  EXPECT_EQUAL(cudaStreamAttachMemAsync(stream, words), cudaSuccess);
  EXPECT_EQUAL(cudaStreamAttachMemAsync(stream, words, 64, cudaMemAttachSingle), cudaSuccess);
  EXPECT_EQUAL(cudaStreamAttachMemAsync(stream, words, 32, cudaMemAttachSingle), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamAttachMemAsync(stream, words + 1, 0, cudaMemAttachSingle), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamAttachMemAsync(nullptr, words, 0, cudaMemAttachSingle), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamAttachMemAsync(nullptr, words, 0, cudaMemAttachHost), cudaSuccess);
}

RULE(U2, "an attachment keeps its place in its stream",
     runtime_api("Stream Management", "cudaStreamAttachMemAsync")) {
  cudaStream_t const stream = non_blocking_stream();
  int* const words = managed_words(1);
  gate closed;
  closed.hold(stream);
  CHECK(cudaStreamAttachMemAsync(stream, words));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
}

RULE(U4, "a prefetch keeps its place in its stream and changes no data",
     runtime_api("Memory Management", "cudaMemPrefetchAsync")) {
  cudaStream_t const stream = non_blocking_stream();
  int* const word = managed_words(1);
  *word = 4;
  CHECK(cudaMemPrefetchAsync(word, sizeof(int), {cudaMemLocationTypeDevice, 0}, 0, stream));
  increment<<<1, 1, 0, stream>>>(word);
  CHECK(cudaMemPrefetchAsync(word, sizeof(int), {cudaMemLocationTypeHost, 0}, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 5);
}

RULE(U4, "only managed memory can be prefetched, and only to a device that exists",
     runtime_api("Memory Management", "cudaMemPrefetchAsync"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  int* const word = managed_words(1);
  void* device = nullptr;
  CHECK(cudaMalloc(&device, 64));
  EXPECT_EQUAL(cudaMemPrefetchAsync(device, 64, {cudaMemLocationTypeDevice, 0}, 0, stream),
               cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemPrefetchAsync(word, 4, {cudaMemLocationTypeDevice, 7777}, 0, stream),
               cudaErrorInvalidDevice);
  EXPECT_EQUAL(cudaMemPrefetchAsync(word, 4, {cudaMemLocationTypeDevice, 0}, 1, stream),
               cudaErrorInvalidValue);
}

RULE(U5, "advice about managed memory is taken, about other memory refused",
     runtime_api("Memory Management", "cudaMemAdvise"), measured_on_h200) {
  int* const word = managed_words(1);
  void* device = nullptr;
  CHECK(cudaMalloc(&device, 64));
  EXPECT_EQUAL(cudaMemAdvise(word, 4, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}),
               cudaSuccess);
  EXPECT_EQUAL(cudaMemAdvise(word, 4, cudaMemAdviseSetPreferredLocation, {cudaMemLocationTypeHost, 0}),
               cudaSuccess);
  EXPECT_EQUAL(cudaMemAdvise(device, 4, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}),
               cudaErrorInvalidValue);
}

RULE(M13, "a copy from managed memory to the device waits for its stream before it reads", measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  int* const source = managed_words(1);
  volatile int* const on_device = device_word();
  int result = 0;
  *source = 0;
  store_late<<<1, 1, 0, stream>>>(source, 1, late_cycles);
  CHECK(cudaMemcpyAsync(untyped(on_device), source, sizeof(int), cudaMemcpyHostToDevice, stream));
  *source = 2;
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&result, untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 1);
}

RULE(M13, "a copy from the device to managed memory is complete when the call returns", measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  int* const destination = managed_words(1);
  volatile int* const on_device = device_word();
  *destination = 0;
  store_late<<<1, 1, 0, stream>>>(on_device, 1, late_cycles);
  CHECK(cudaMemcpyAsync(destination, untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost, stream));
  EXPECT_EQUAL(*destination, 1);
}

RULE(M12, "cudaMemset of managed memory is complete when it returns", measured_on_h200) {
  cudaStream_t const busy = blocking_stream();
  int* const word = managed_words(1);
  store_late<<<1, 1, 0, busy>>>(word, 1, late_cycles);
  CHECK(cudaMemset(word, 0x11, sizeof(int)));
  EXPECT_EQUAL(*word, 0x11111111);
}
