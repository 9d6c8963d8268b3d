// Access of one device to the memory of another.
#include <string>

#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::runtime;
using trace::api_function;

namespace {

bool can_have_access(runtime& run, int device, int peer) {
  return run.devices().can_be_peers(static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(peer));
}

std::uint64_t bit(int device) { return std::uint64_t{1} << device; }

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return api(api_function::cudaDeviceCanAccessPeer, [&](api_call& call) {
    if (canAccessPeer == nullptr) return cudaErrorInvalidValue;
    if (!call.run().devices().has(device) || !call.run().devices().has(peerDevice))
      return cudaErrorInvalidDevice;
    *canAccessPeer = can_have_access(call.run(), device, peerDevice);
    call.run().devices().settings(static_cast<std::uint32_t>(device)).asked_about[peerDevice] = call.id();
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  return api(api_function::cudaDeviceEnablePeerAccess, [&](api_call& call) {
    if (!call.run().devices().has(peerDevice)) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    const int device = static_cast<int>(call.run().current_device());
    if (!can_have_access(call.run(), device, peerDevice)) {
      const std::string mine = std::to_string(device);
      const auto& asked = call.run().devices().settings(call.run().current_device()).asked_about;
      const auto question = asked.find(peerDevice);
      call.explain_by_call(
          device == peerDevice
              ? "Device " + mine +
                    " is current, so the call asks for its access to its own memory: cudaSetDevice "
                    "chooses whose access it is."
              : "Device " + mine + " cannot use the memory of device " + std::to_string(peerDevice) +
                    ", and cudaDeviceCanAccessPeer says so.",
          device == peerDevice || question == asked.end() ? 0 : question->second);
      return cudaErrorPeerAccessUnsupported;
    }
    std::uint64_t& reach = call.run().devices().settings(call.run().current_device()).reach;
    if ((reach & bit(peerDevice)) != 0) return cudaErrorPeerAccessAlreadyEnabled;
    reach |= bit(peerDevice);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return api(api_function::cudaDeviceDisablePeerAccess, [&](api_call& call) {
    if (!call.run().devices().has(peerDevice)) return cudaErrorInvalidDevice;
    const int device = static_cast<int>(call.run().current_device());
    std::uint64_t& reach = call.run().devices().settings(call.run().current_device()).reach;
    if (device == peerDevice || (reach & bit(peerDevice)) == 0) return cudaErrorPeerAccessNotEnabled;
    reach &= ~bit(peerDevice);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr, int srcDevice,
                                               int dstDevice) {
  return api(api_function::cudaDeviceGetP2PAttribute, [&](api_call& call) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!call.run().devices().has(srcDevice) || !call.run().devices().has(dstDevice) ||
        srcDevice == dstDevice) {
      return cudaErrorInvalidDevice;
    }
    switch (attr) {
      case cudaDevP2PAttrPerformanceRank:
        *value = 0;
        return cudaSuccess;
      case cudaDevP2PAttrAccessSupported:
        *value = can_have_access(call.run(), srcDevice, dstDevice);
        return cudaSuccess;
      case cudaDevP2PAttrNativeAtomicSupported:
        return call.not_supported("atomic operations between devices are");
      case cudaDevP2PAttrCudaArrayAccessSupported:
        return call.not_supported("CUDA arrays are");
    }
    return cudaErrorInvalidValue;
  });
}

}  // extern "C"
