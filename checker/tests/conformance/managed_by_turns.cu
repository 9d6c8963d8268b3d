// managed_by_turns.cu: managed memory on devices that cannot share it with the host while they work (compute
// capability 3.0 to 5.3). Run with such a GPU.
#include <csignal>

#include "conformance/gate.h"
#include "conformance/process_end.h"

using namespace conformance;

namespace {

int* managed_word(unsigned int flags = cudaMemAttachGlobal) {
  int* word = nullptr;
  CHECK(cudaMallocManaged(&word, sizeof(int), flags));
  return word;
}

/// Asked in a process of its own: a rule that ends processes must not have used CUDA.
bool shares_at_any_time() {
  return ends_process([] {
    int is_shared = 0;
    CHECK(cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, 0));
    if (is_shared != 0) std::raise(SIGUSR1);
  });
}

/// Ends the rule on a device that shares managed memory with the host at any time.
void require_turns() {
  if (shares_at_any_time()) not_observable("the device shares managed memory with the host at any time");
}

}  // namespace

RULE(U1, "the host uses managed memory after it has synchronized",
     programming_guide("Unified Memory", "devices without concurrent access")) {
  int* const word = managed_word();
  *word = 1;
  store<<<1, 1>>>(word, 2);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 2);
}

RULE(U1,
     "host code that uses managed memory while a kernel may run ends the process, whatever the kernel uses",
     programming_guide("Unified Memory", "devices without concurrent access")) {
  require_turns();
  EXPECT(ends_process([] {
    volatile int* const word = managed_word();
    store<<<1, 1>>>(device_word(), 2);
    *word = 1;
  }));
}

RULE(U1, "a query that finds the stream idle is a synchronization",
     runtime_api("Stream Management", "cudaStreamQuery")) {
  volatile int* const word = managed_word();
  cudaStream_t const stream = blocking_stream();
  store<<<1, 1, 0, stream>>>(device_word(), 2);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  *word = 1;
  EXPECT_EQUAL(*word, 1);
}

RULE(U2, "memory attached to the host is the host's while kernels run",
     runtime_api("Stream Management", "cudaStreamAttachMemAsync")) {
  volatile int* const word = managed_word(cudaMemAttachHost);
  gate closed;
  closed.hold(nullptr);
  *word = 1;
  EXPECT_EQUAL(*word, 1);
  closed.release();
  CHECK(cudaDeviceSynchronize());
}

RULE(U2, "memory attached to one stream is the host's while only other streams work",
     runtime_api("Stream Management", "cudaStreamAttachMemAsync")) {
  int* const word = managed_word();
  cudaStream_t const own = blocking_stream();
  cudaStream_t const other = blocking_stream();
  CHECK(cudaStreamAttachMemAsync(own, word));
  CHECK(cudaStreamSynchronize(own));
  gate closed;
  closed.hold(other);
  *word = 1;
  EXPECT_EQUAL(*word, 1);
  closed.release();
  CHECK(cudaDeviceSynchronize());
}

RULE(U2, "host code that uses memory attached to a stream at work ends the process",
     runtime_api("Stream Management", "cudaStreamAttachMemAsync")) {
  require_turns();
  EXPECT(ends_process([] {
    int* const word = managed_word();
    cudaStream_t const own = blocking_stream();
    CHECK(cudaStreamAttachMemAsync(own, word));
    CHECK(cudaStreamSynchronize(own));
    store<<<1, 1, 0, own>>>(word, 2);
    *word = 1;
  }));
}

RULE(U4, "managed memory cannot be prefetched to such a device",
     runtime_api("Memory Management", "cudaMemPrefetchAsync")) {
  require_turns();
  int* const word = managed_word();
  EXPECT_EQUAL(cudaMemPrefetchAsync(word, sizeof(int), {cudaMemLocationTypeDevice, 0}, 0, nullptr),
               cudaErrorInvalidDevice);
}
