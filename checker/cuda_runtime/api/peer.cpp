// Access of one device to the memory of another.
#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::api_call;
using cuda_runtime::runtime;

namespace {

bool can_have_access(const runtime& run, int device, int peer) {
  return run.can_be_peers(static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(peer));
}

std::uint64_t bit(int device) { return std::uint64_t{1} << device; }

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  api_call call("cudaDeviceCanAccessPeer", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (canAccessPeer == nullptr) return call.done(cudaErrorInvalidValue);
  if (!call.run().has_device(device) || !call.run().has_device(peerDevice))
    return call.done(cudaErrorInvalidDevice);
  *canAccessPeer = can_have_access(call.run(), device, peerDevice);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  api_call call("cudaDeviceEnablePeerAccess", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().has_device(peerDevice)) return call.done(cudaErrorInvalidDevice);
  if (flags != 0) return call.done(cudaErrorInvalidValue);
  const int device = static_cast<int>(call.run().current_device());
  if (!can_have_access(call.run(), device, peerDevice)) return call.done(cudaErrorPeerAccessUnsupported);
  std::uint64_t& reach = call.run().settings(call.run().current_device()).reach;
  if ((reach & bit(peerDevice)) != 0) return call.done(cudaErrorPeerAccessAlreadyEnabled);
  reach |= bit(peerDevice);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  api_call call("cudaDeviceDisablePeerAccess", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().has_device(peerDevice)) return call.done(cudaErrorInvalidDevice);
  const int device = static_cast<int>(call.run().current_device());
  std::uint64_t& reach = call.run().settings(call.run().current_device()).reach;
  if (device == peerDevice || (reach & bit(peerDevice)) == 0) return call.done(cudaErrorPeerAccessNotEnabled);
  reach &= ~bit(peerDevice);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr, int srcDevice,
                                               int dstDevice) {
  api_call call("cudaDeviceGetP2PAttribute", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (value == nullptr) return call.done(cudaErrorInvalidValue);
  if (!call.run().has_device(srcDevice) || !call.run().has_device(dstDevice) || srcDevice == dstDevice) {
    return call.done(cudaErrorInvalidDevice);
  }
  switch (attr) {
    case cudaDevP2PAttrPerformanceRank:
      *value = 0;
      return call.done(cudaSuccess);
    case cudaDevP2PAttrAccessSupported:
      *value = can_have_access(call.run(), srcDevice, dstDevice);
      return call.done(cudaSuccess);
    case cudaDevP2PAttrNativeAtomicSupported:
      return call.not_supported("atomic operations between devices are");
    case cudaDevP2PAttrCudaArrayAccessSupported:
      return call.not_supported("CUDA arrays are");
  }
  return call.done(cudaErrorInvalidValue);
}

}  // extern "C"
