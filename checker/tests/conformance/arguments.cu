// arguments.cu: what the functions about devices, streams and events answer to arguments that make no sense,
// and the settings of a device that are rounded. The answers are those of an H200 (CUDA 13.0, driver 580).
#include "conformance/gate.h"

using namespace conformance;

namespace {

unsigned int flags_after(unsigned int set) {
  CHECK(cudaSetDeviceFlags(set));
  unsigned int flags = 0;
  CHECK(cudaGetDeviceFlags(&flags));
  return flags;
}

std::size_t limit_after(cudaLimit limit, std::size_t set) {
  CHECK(cudaDeviceSetLimit(limit, set));
  std::size_t value = 0;
  CHECK(cudaDeviceGetLimit(&value, limit));
  return value;
}

}  // namespace

RULE(Arguments, "results need a place to go to", measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const event = new_event();
  int number = 0;
  EXPECT_EQUAL(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGetDevice(nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGetDeviceProperties(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGetDeviceFlags(nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceGetLimit(nullptr, cudaLimitStackSize), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceCanAccessPeer(nullptr, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaRuntimeGetVersion(nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDriverGetVersion(nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaChooseDevice(&number, nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamGetFlags(stream, nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamGetPriority(stream, nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamGetId(stream, nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaEventCreate(static_cast<cudaEvent_t*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaEventElapsedTime(nullptr, event, event), cudaErrorInvalidValue);
}

RULE(Arguments, "who asks for less is told less",
     runtime_api("Device Management", "cudaDeviceGetStreamPriorityRange"), measured_on_h200) {
  EXPECT_EQUAL(cudaDeviceGetStreamPriorityRange(nullptr, nullptr), cudaSuccess);
  EXPECT_EQUAL(cudaMemGetInfo(nullptr, nullptr), cudaSuccess);
}

RULE(Arguments, "attributes have numbers", runtime_api("Device Management", "cudaDeviceGetAttribute"),
     measured_on_h200) {
  int value = 0;
  EXPECT_EQUAL(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(0), 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
}

RULE(Arguments, "properties and attributes agree",
     runtime_api("Device Management", "cudaGetDeviceProperties")) {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
  };
  EXPECT_EQUAL(attribute(cudaDevAttrMultiProcessorCount), properties.multiProcessorCount);
  EXPECT_EQUAL(attribute(cudaDevAttrAsyncEngineCount), properties.asyncEngineCount);
  EXPECT_EQUAL(attribute(cudaDevAttrGpuOverlap), properties.asyncEngineCount > 0 ? 1 : 0);
  EXPECT_EQUAL(attribute(cudaDevAttrComputeCapabilityMajor), properties.major);
  EXPECT_EQUAL(attribute(cudaDevAttrMaxThreadsPerBlock), properties.maxThreadsPerBlock);
  EXPECT_EQUAL(attribute(cudaDevAttrMaxRegistersPerBlock), properties.regsPerBlock);
  EXPECT_EQUAL(attribute(cudaDevAttrConcurrentKernels), properties.concurrentKernels);
  EXPECT_EQUAL(attribute(cudaDevAttrPciBusId), properties.pciBusID);
  EXPECT(attribute(cudaDevAttrClockRate) > 0);
}

RULE(Arguments, "a device has an address on the bus, by which it is found",
     runtime_api("Device Management", "cudaDeviceGetByPCIBusId")) {
  char text[64] = "";
  int device = -1;
  CHECK(cudaDeviceGetPCIBusId(text, sizeof text, 0));
  EXPECT_EQUAL(std::strlen(text), std::size_t{12});
  CHECK(cudaDeviceGetByPCIBusId(&device, text));
  EXPECT_EQUAL(device, 0);
  EXPECT_EQUAL(cudaDeviceGetPCIBusId(text, 12, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceGetPCIBusId(nullptr, 64, 0), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceGetByPCIBusId(&device, "0000:ff:ff.0"), cudaErrorInvalidDevice);
  EXPECT_EQUAL(cudaDeviceGetByPCIBusId(&device, "nonsense"), cudaErrorInvalidValue);
}

RULE(Arguments, "device flags: one way of waiting, and always mapped memory",
     runtime_api("Device Management", "cudaSetDeviceFlags"), measured_on_h200) {
  EXPECT_EQUAL(flags_after(cudaDeviceScheduleAuto), 8u);
  EXPECT_EQUAL(flags_after(cudaDeviceScheduleSpin), 9u);
  EXPECT_EQUAL(flags_after(cudaDeviceScheduleYield), 10u);
  EXPECT_EQUAL(flags_after(cudaDeviceScheduleBlockingSync), 12u);
  EXPECT_EQUAL(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaSetDeviceFlags(0x100), cudaErrorInvalidValue);
}

RULE(M16, "with cudaDeviceSyncMemops a copy inside the device returns when it is done",
     runtime_api("Device Management", "cudaSetDeviceFlags")) {
  volatile int* const from = device_word();
  volatile int* const to = device_word();
  CHECK(cudaSetDeviceFlags(cudaDeviceSyncMemops));
  store_late<<<1, 1>>>(from, 1, late_cycles);
  CHECK(cudaMemcpy(untyped(to), untyped(from), sizeof(int), cudaMemcpyDeviceToDevice));
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaSuccess);
}

RULE(Arguments, "limits are rounded, or refused", runtime_api("Device Management", "cudaDeviceSetLimit"),
     measured_on_h200) {
  std::size_t value = 0;
  EXPECT_EQUAL(limit_after(cudaLimitStackSize, 1000), std::size_t{1008});
  EXPECT_EQUAL(limit_after(cudaLimitStackSize, 4096), std::size_t{4096});
  EXPECT_EQUAL(cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{1} << 20), cudaErrorInvalidValue);
  EXPECT_EQUAL(limit_after(cudaLimitPrintfFifoSize, 1 << 20), std::size_t{1 << 20});
  EXPECT_EQUAL(limit_after(cudaLimitPrintfFifoSize, 1), std::size_t{512 << 10});
  EXPECT_EQUAL(limit_after(cudaLimitMallocHeapSize, 1), std::size_t{4 << 20});
  EXPECT_EQUAL(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth), cudaErrorUnsupportedLimit);
}

RULE(Arguments, "a preference for caches is one of four",
     runtime_api("Device Management", "cudaDeviceSetCacheConfig")) {
  cudaFuncCache result = cudaFuncCachePreferEqual;
  CHECK(cudaDeviceGetCacheConfig(&result));
  EXPECT_EQUAL(static_cast<int>(result), static_cast<int>(cudaFuncCachePreferNone));
  CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  CHECK(cudaDeviceGetCacheConfig(&result));
  EXPECT_EQUAL(static_cast<int>(result), static_cast<int>(cudaFuncCachePreferL1));
  EXPECT_EQUAL(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(77)), cudaErrorInvalidValue);
}

RULE(S3, "default streams have flags, a priority, an id and a device as well",
     runtime_api("Stream Management", "cudaStreamGetFlags"), measured_on_h200) {
  for (cudaStream_t stream : {static_cast<cudaStream_t>(nullptr), cudaStreamLegacy, cudaStreamPerThread}) {
    unsigned int flags = 9;
    int priority = 9;
    CHECK(cudaStreamGetFlags(stream, &flags));
    CHECK(cudaStreamGetPriority(stream, &priority));
    EXPECT_EQUAL(flags, 0u);
    EXPECT_EQUAL(priority, 0);
#if CUDART_VERSION >= 12080  // has cudaStreamGetDevice
    int device = 9;
    CHECK(cudaStreamGetDevice(stream, &device));
    EXPECT_EQUAL(device, 0);
#endif
  }
}
