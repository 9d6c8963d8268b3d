// devices.cu: several devices: what belongs to one of them, what crosses. The rules need two devices of one
// kind with peer access; with fewer they say so and prove nothing.
#include <thread>

#include "conformance/gate.h"

using namespace conformance;

namespace {

constexpr std::size_t bytes = 4096;

__device__ int counter = 5;
__constant__ int factor = 1;
__global__ void count_up(int* result) {
  counter += factor;
  *result = counter;
}

/// Two devices, a stream and memory on each. The first is current.
struct pair {
  cudaStream_t streams[2];
  int* memory[2];
  pair() {
    for (int device : {1, 0}) {
      CHECK(cudaSetDevice(device));
      streams[device] = blocking_stream();
      CHECK(cudaMalloc(&memory[device], bytes));
      CHECK(cudaMemset(memory[device], 0, bytes));
      CHECK(cudaDeviceSynchronize());
    }
  }
};

/// Ends the rule where there are no two devices with peer access.
void require_two_devices() {
  int count = 0;
  int has_access = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count >= 2) CHECK(cudaDeviceCanAccessPeer(&has_access, 0, 1));
  if (has_access == 0) not_observable("there are no two devices with peer access");
}

int word_of(const int* memory) {
  int word = -1;
  CHECK(cudaMemcpy(&word, memory, sizeof word, cudaMemcpyDefault));
  return word;
}

__global__ void increase(int* where, int by) { *where += by; }

__global__ void wait_then_increase(const volatile int* gate, int* where, int by) {
  while (*gate == 0) {
  }
  *where += by;
}

}  // namespace

RULE(S12, "each host thread has a current device, at first device 0",
     runtime_api("Device Management", "cudaSetDevice")) {
  require_two_devices();
  CHECK(cudaSetDevice(1));
  int in_thread = -1;
  std::thread([&] { CHECK(cudaGetDevice(&in_thread)); }).join();
  int here = -1;
  CHECK(cudaGetDevice(&here));
  EXPECT_EQUAL(in_thread, 0);
  EXPECT_EQUAL(here, 1);
}

RULE(S12, "there is no device of a negative number or beyond the last",
     runtime_api("Device Management", "cudaSetDevice")) {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT_EQUAL(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQUAL(cudaSetDevice(count), cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  EXPECT_EQUAL(cudaGetDeviceProperties(&properties, count), cudaErrorInvalidDevice);
  int value = 0;
  EXPECT_EQUAL(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count), cudaErrorInvalidDevice);
}

RULE(S11, "synchronizing with a device does not wait for the other one",
     runtime_api("Device Management", "cudaDeviceSynchronize")) {
  require_two_devices();
  pair both;
  gate closed;
  closed.hold(both.streams[0]);
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(cudaStreamQuery(both.streams[0]), cudaErrorNotReady);
  closed.release();
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(cudaStreamQuery(both.streams[0]), cudaSuccess);
}

RULE(D10, "the default streams of two devices do not order each other",
     programming_guide("Multi-Device System", "stream and event behavior")) {
  require_two_devices();
  pair both;
  gate closed;
  closed.hold(nullptr);
  CHECK(cudaSetDevice(1));
  increase<<<1, 1>>>(both.memory[1], 1);
  CHECK(cudaStreamSynchronize(nullptr));
  EXPECT_EQUAL(word_of(both.memory[1]), 1);
  CHECK(cudaSetDevice(0));
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaErrorNotReady);
  closed.release();
}

#if CUDART_VERSION >= 12080  // has cudaStreamGetDevice
RULE(S3, "a stream belongs to the device that was current when it was made",
     runtime_api("Device Management", "cudaSetDevice"),
     runtime_api("Stream Management", "cudaStreamCreate")) {
  require_two_devices();
  pair both;
  int device = -1;
  CHECK(cudaStreamGetDevice(both.streams[1], &device));
  EXPECT_EQUAL(device, 1);
}
#endif

RULE(S10, "copies go into a stream of another device",
     programming_guide("Multi-Device System", "stream and event behavior")) {
  require_two_devices();
  pair both;
  int* host = nullptr;
  CHECK(cudaMallocHost(&host, bytes));
  *host = 7;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMemcpyAsync(both.memory[0], host, bytes, cudaMemcpyHostToDevice, both.streams[0]));
  CHECK(cudaStreamSynchronize(both.streams[0]));
  EXPECT_EQUAL(word_of(both.memory[0]), 7);
}

RULE(E2, "an event is recorded only in streams of its own device",
     programming_guide("Multi-Device System", "stream and event behavior"), measured_on_h200) {
  require_two_devices();
  pair both;
  cudaEvent_t const of_first = new_event();
  CHECK(cudaSetDevice(1));
  EXPECT_EQUAL(cudaEventRecord(of_first, both.streams[1]), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaEventRecord(of_first, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaEventRecord(of_first, both.streams[0]), cudaSuccess);
}

RULE(E8, "there is no time between events of two devices",
     programming_guide("Multi-Device System", "stream and event behavior"), measured_on_h200) {
  require_two_devices();
  pair both;
  cudaEvent_t const first = new_event();
  CHECK(cudaEventRecord(first, both.streams[0]));
  CHECK(cudaSetDevice(1));
  cudaEvent_t const second = new_event();
  CHECK(cudaEventRecord(second, both.streams[1]));
  CHECK(cudaEventSynchronize(first));
  CHECK(cudaEventSynchronize(second));
  float milliseconds = 0;
  EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, first, second), cudaErrorInvalidResourceHandle);
}

RULE(E12, "a stream can wait for an event of another device",
     runtime_api("Stream Management", "cudaStreamWaitEvent")) {
  require_two_devices();
  pair both;
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  cudaEvent_t const event = new_event();
  gate closed;
  closed.hold_then_store(both.streams[0], first, 1);
  CHECK(cudaEventRecord(event, both.streams[0]));
  CHECK(cudaStreamWaitEvent(both.streams[1], event, 0));
  CHECK(cudaSetDevice(1));
  copy_word<<<1, 1, 0, both.streams[1]>>>(second, first);
  let_device_run();
  EXPECT_EQUAL(*second, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(both.streams[1]));
  EXPECT_EQUAL(*second, 1);
}

RULE(Peer, "a kernel may not use memory of another device without peer access",
     runtime_api("Peer Device Memory Access", "cudaDeviceEnablePeerAccess"), measured_on_h200) {
  require_two_devices();
  pair both;
  increase<<<1, 1>>>(both.memory[1], 1);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

RULE(Peer, "a fault of one device stops the work of the process on all devices", measured_on_h200) {
  require_two_devices();
  pair both;
  increase<<<1, 1>>>(static_cast<int*>(nullptr), 1);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  CHECK(cudaSetDevice(1));
  void* memory = nullptr;
  EXPECT_EQUAL(cudaMalloc(&memory, bytes), cudaErrorIllegalAddress);
}

RULE(Peer, "with peer access a kernel uses memory of another device, in the direction that was enabled",
     runtime_api("Peer Device Memory Access", "cudaDeviceEnablePeerAccess")) {
  require_two_devices();
  pair both;
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  increase<<<1, 1>>>(both.memory[1], 3);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(word_of(both.memory[1]), 3);
  CHECK(cudaSetDevice(1));
  increase<<<1, 1>>>(both.memory[0], 3);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

RULE(Peer, "peer access is enabled once, disabled once, and never with oneself",
     runtime_api("Peer Device Memory Access", "cudaDeviceEnablePeerAccess"),
     runtime_api("Peer Device Memory Access", "cudaDeviceDisablePeerAccess")) {
  require_two_devices();
  int to_itself = -1;
  CHECK(cudaDeviceCanAccessPeer(&to_itself, 0, 0));
  EXPECT_EQUAL(to_itself, 0);
  EXPECT_EQUAL(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  EXPECT_EQUAL(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQUAL(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQUAL(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQUAL(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQUAL(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

/// Memory of device 1 from its default pool, and whether device 0 may use that pool's memory from now on.
int* pool_memory_of_second_device(cudaMemAccessFlags access_of_first) {
  cudaMemPool_t pool = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 1));
  CHECK(cudaSetDevice(1));
  int* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, bytes, cudaStreamPerThread));
  CHECK(cudaMemsetAsync(memory, 0, bytes, cudaStreamPerThread));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  cudaMemAccessDesc access{};
  access.location = {cudaMemLocationTypeDevice, 0};
  access.flags = access_of_first;
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  cudaMemAccessFlags actual = cudaMemAccessFlagsProtRead;
  CHECK(cudaMemPoolGetAccess(&actual, pool, &access.location));
  EXPECT_EQUAL(actual, access_of_first);
  return memory;
}

RULE(Peer, "memory of a pool is open to the devices that the pool names",
     runtime_api("Stream Ordered Memory Allocator", "cudaMemPoolSetAccess"),
     programming_guide("Stream-Ordered Memory Allocator", "multi-GPU support")) {
  require_two_devices();
  int* const memory = pool_memory_of_second_device(cudaMemAccessFlagsProtReadWrite);
  increase<<<1, 1>>>(memory, 3);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(word_of(memory), 3);
}

RULE(O2, "the current pool of a device is one of its own",
     runtime_api("Stream Ordered Memory Allocator", "cudaDeviceSetMemPool")) {
  require_two_devices();
  cudaMemPool_t of_second = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&of_second, 1));
  EXPECT_EQUAL(cudaDeviceSetMemPool(0, of_second), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceSetMemPool(1, of_second), cudaSuccess);
}

RULE(Peer, "peer access does not open the memory of pools",
     programming_guide("Stream-Ordered Memory Allocator", "multi-GPU support")) {
  require_two_devices();
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  int* const memory = pool_memory_of_second_device(cudaMemAccessFlagsProtNone);
  increase<<<1, 1>>>(memory, 1);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

RULE(Peer, "memory of another device cannot be set without peer access", measured_on_h200) {
  require_two_devices();
  pair both;
  EXPECT_EQUAL(cudaMemset(both.memory[1], 0, bytes), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemsetAsync(both.memory[1], 0, bytes, both.streams[0]), cudaErrorInvalidValue);
}

RULE(Peer, "copies between devices bring the bytes over, whichever way they are asked for",
     runtime_api("Memory Management", "cudaMemcpyPeer")) {
  require_two_devices();
  pair both;
  increase<<<1, 1>>>(both.memory[0], 5);
  CHECK(cudaMemcpyPeer(both.memory[1], 1, both.memory[0], 0, bytes));
  EXPECT_EQUAL(word_of(both.memory[1]), 5);
  increase<<<1, 1>>>(both.memory[0], 1);
  CHECK(cudaMemcpy(both.memory[1], both.memory[0], bytes, cudaMemcpyDefault));
  EXPECT_EQUAL(word_of(both.memory[1]), 6);
  increase<<<1, 1, 0, both.streams[0]>>>(both.memory[0], 1);
  CHECK(cudaMemcpyPeerAsync(both.memory[1], 1, both.memory[0], 0, bytes, both.streams[0]));
  CHECK(cudaStreamSynchronize(both.streams[0]));
  EXPECT_EQUAL(word_of(both.memory[1]), 7);
}

RULE(Peer, "a synchronous copy between devices comes after earlier and before later work of both",
     runtime_api("Memory Management", "cudaMemcpyPeer"), measured_on_h200) {
  require_two_devices();
  pair both;
  int* flag = const_cast<int*>(shared_word());
  wait_then_increase<<<1, 1, 0, both.streams[0]>>>(flag, both.memory[0], 1);
  CHECK(cudaMemcpyPeer(both.memory[1], 1, both.memory[0], 0, bytes));
  CHECK(cudaSetDevice(1));
  increase<<<1, 1, 0, both.streams[1]>>>(both.memory[1], 10);
  let_device_run();
  EXPECT_EQUAL(cudaStreamQuery(both.streams[1]), cudaErrorNotReady);
  *static_cast<volatile int*>(flag) = 1;
  CHECK(cudaStreamSynchronize(both.streams[1]));
  EXPECT_EQUAL(word_of(both.memory[1]), 11);
}

RULE(Peer, "a copy between devices does not hold up the host",
     runtime_api("Memory Management", "cudaMemcpyPeer"), measured_on_h200) {
  require_two_devices();
  pair both;
  gate closed;
  closed.hold(both.streams[0]);
  CHECK(cudaMemcpyPeerAsync(both.memory[1], 1, both.memory[0], 0, bytes, both.streams[0]));
  EXPECT_EQUAL(cudaStreamQuery(both.streams[0]), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(both.streams[0]));
}

RULE(Peer, "copies between devices need two devices, and memory that both sides know",
     runtime_api("Memory Management", "cudaMemcpyPeer"), measured_on_h200) {
  require_two_devices();
  pair both;
  int pageable[4] = {};
  EXPECT_EQUAL(cudaMemcpyPeer(both.memory[1], 7, both.memory[0], 0, 16), cudaErrorInvalidDevice);
  EXPECT_EQUAL(cudaMemcpyPeer(both.memory[1], 1, both.memory[0], -1, 16), cudaErrorInvalidDevice);
  EXPECT_EQUAL(cudaMemcpyPeer(nullptr, 1, both.memory[0], 0, 16), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpyPeer(pageable, 1, both.memory[0], 0, 16), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpyPeer(both.memory[1], 1, both.memory[0], 0, 0), cudaSuccess);
}

RULE(I5, "freeing memory waits for its own device only", runtime_api("Memory Management", "cudaFree"),
     measured_on_h200) {
  require_two_devices();
  pair both;
  gate closed;
  closed.hold(both.streams[0]);
  CHECK(cudaSetDevice(1));
  CHECK(cudaFree(both.memory[1]));
  EXPECT_EQUAL(cudaStreamQuery(both.streams[0]), cudaErrorNotReady);
  closed.release();
}

RULE(C6, "host functions of two devices run beside each other", measured_on_h200) {
  require_two_devices();
  pair both;
  static volatile int goes_on = 0;
  const auto wait = [](void*) {
    while (goes_on == 0) {
    }
  };
  const auto let_go = [](void*) { goes_on = 1; };
  CHECK(cudaLaunchHostFunc(both.streams[0], wait, nullptr));
  CHECK(cudaLaunchHostFunc(both.streams[1], let_go, nullptr));
  CHECK(cudaStreamSynchronize(both.streams[0]));
  EXPECT_EQUAL(goes_on, 1);
}

RULE(S13, "a reset ends the life of what was made on the device, and lets the other one alone",
     runtime_api("Device Management", "cudaDeviceReset")) {
  require_two_devices();
  pair both;
  CHECK(cudaDeviceReset());
  EXPECT_EQUAL(cudaFree(both.memory[0]), cudaErrorInvalidValue);
  int* fresh = nullptr;
  CHECK(cudaMalloc(&fresh, bytes));
  CHECK(cudaSetDevice(1));
  increase<<<1, 1, 0, both.streams[1]>>>(both.memory[1], 2);
  CHECK(cudaStreamSynchronize(both.streams[1]));
  EXPECT_EQUAL(word_of(both.memory[1]), 2);
}

RULE(V10, "a variable of the device exists once on each, and its name leads to that of the current one",
     programming_guide("C++ language extensions", "__device__")) {
  require_two_devices();
  const pair both;
  for (int device : {0, 1}) {
    CHECK(cudaSetDevice(device));
    const int by = 10 * (device + 1);
    CHECK(cudaMemcpyToSymbol(factor, &by, sizeof by));
  }
  for (int device : {1, 0}) {
    CHECK(cudaSetDevice(device));
    count_up<<<1, 1, 0, both.streams[device]>>>(both.memory[device]);
  }
  for (int device : {0, 1}) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceSynchronize());
    int counted = 0;
    CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
    EXPECT_EQUAL(counted, 5 + 10 * (device + 1));
    EXPECT_EQUAL(word_of(both.memory[device]), counted);
    void* address = nullptr;
    CHECK(cudaGetSymbolAddress(&address, counter));
    cudaPointerAttributes attributes{};
    CHECK(cudaPointerGetAttributes(&attributes, address));
    EXPECT_EQUAL(attributes.device, device);
  }
}
