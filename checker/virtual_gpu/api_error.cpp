// The error variable and the names of errors.
#include "virtual_gpu/api_call.h"
#include "virtual_gpu/exported.h"
#include "virtual_gpu/include/not_modelled.h"

using virtual_gpu::api_call;

namespace {

struct error_text {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr error_text texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "an argument is out of range"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "the runtime could not be initialised"},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "the runtime is being unloaded"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "the launch configuration is not valid"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "a pitch is out of range"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "no such device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "not a device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "no such copy direction"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "the driver is too old"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", "no device is available"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "not a kernel of this device"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "there is no CUDA device"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "no such device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "not a valid stream or event"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the object is in the wrong state"},
    {cudaErrorNotReady, "cudaErrorNotReady", "the work is not complete yet"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "a kernel used an address that it may not use"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "the launch needs more resources than there are"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the kernel ran too long"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is enabled already"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access is not enabled"},
    {cudaErrorContextIsDestroyed, "cudaErrorContextIsDestroyed", "the context is destroyed"},
    {cudaErrorAssert, "cudaErrorAssert", "an assert in a kernel failed"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered", "the memory is pinned already"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered", "the memory was not registered"},
    {cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "stack error in a kernel"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "illegal instruction in a kernel"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "a kernel used a misaligned address"},
    {cudaErrorInvalidAddressSpace, "cudaErrorInvalidAddressSpace", "a kernel used the wrong address space"},
    {cudaErrorInvalidPc, "cudaErrorInvalidPc", "invalid program counter in a kernel"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "the kernel failed"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "the operation is not permitted here"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "the operation is not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const error_text* find(cudaError_t error) {
  for (const error_text& each : texts) {
    if (each.error == error) return &each;
  }
  return nullptr;
}

/// Closes a call that reports another call's error: it did not fail itself.
cudaError_t report(api_call& call, cudaError_t error) {
  call.done_regardless(cudaSuccess);
  return error;
}

}  // namespace

extern "C" {

EXPORTED const char* cudaGetErrorName(cudaError_t error) {
  const error_text* const found = find(error);
  return found != nullptr ? found->name : "unrecognized error code";
}

EXPORTED const char* cudaGetErrorString(cudaError_t error) {
  const error_text* const found = find(error);
  return found != nullptr ? found->text : "unrecognized error code";
}

EXPORTED cudaError_t cudaGetLastError() {
  api_call call("cudaGetLastError", __builtin_return_address(0));
  const cudaError_t error = call.run().last_error();
  call.run().set_last_error(cudaSuccess);
  return report(call, error);
}

EXPORTED cudaError_t cudaPeekAtLastError() {
  api_call call("cudaPeekAtLastError", __builtin_return_address(0));
  return report(call, call.run().last_error());
}

}  // extern "C"

EXPORTED cudaError_t virtual_gpu::not_modelled(const char* function) {
  api_call call(function, __builtin_return_address(0));
  call.run().note("not_supported", std::string(function) + " is not modelled by the virtual GPU", call.id(),
                  call.record().where);
  return call.done_regardless(cudaErrorNotSupported);
}
