// Devices: which there are, which one is current, and what can be said about them.
#include <cstdio>
#include <cstring>
#include <string>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/device_properties.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::device_settings;
using cuda_runtime::failure_rule;
using cuda_runtime::runtime;
using trace::api_function;

namespace {

/// "domain:bus:device.function": each virtual GPU has a bus of its own.
std::string bus_id(int ordinal) {
  char text[16];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(ordinal + 1) & 0xffu);
  return text;
}

/// How a host thread waits; at most one of them may be asked for.
constexpr unsigned int scheduling_flags = cudaDeviceScheduleMask;
/// What cudaGetDeviceFlags tells of what was set, as on an H200.
constexpr unsigned int kept_flags =
    scheduling_flags | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
constexpr unsigned int accepted_flags = 0xff;

/// Ends the life of everything that was made on the device.
void release_all(api_call& call, std::uint32_t device) {
  runtime& run = call.run();
  for (cudaStream_t stream : run.streams().created_on(device)) run.streams().destroy(stream, call.id());
  for (cudaEvent_t event : run.events().live_on(device)) run.events().destroy(event, call.id());
  for (trace::allocation_id id = 1; id <= run.memory().blocks(); ++id) {
    const cuda_runtime::memory_block& block = run.memory().block(id);
    if (block.is_freed || block.device != device || block.kind == trace::memory_kind::pageable) continue;
    if (!block.name.empty()) continue;  // a variable of the program
    if (block.pool != 0 && !block.is_given_back) run.pools().of(block).give_back(block.bytes);
    if (block.is_registered) {
      run.memory().unregister_host(id);
    } else {
      run.memory().release(id);
    }
    run.log().note_release(id, call.id());
  }
  run.graphs().abandon();
  run.devices().reset(device);
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaGetDeviceCount(int* count) {
  return api(api_function::cudaGetDeviceCount, {.after_failure = failure_rule::answered},
             [&](api_call& call) {
               if (count == nullptr) return cudaErrorInvalidValue;
               *count = static_cast<int>(call.run().devices().count());
               return cudaSuccess;
             });
}

EXPORTED cudaError_t cudaSetDevice(int device) {
  return api(api_function::cudaSetDevice, {.after_failure = failure_rule::answered}, [&](api_call& call) {
    if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
    call.run().threads().current().device = static_cast<std::uint32_t>(device);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGetDevice(int* device) {
  return api(api_function::cudaGetDevice, {.after_failure = failure_rule::answered}, [&](api_call& call) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = static_cast<int>(call.run().current_device());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  return api(api_function::cudaInitDevice, {.after_failure = failure_rule::answered}, [&](api_call& call) {
    if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
    if ((flags & cudaInitDeviceFlagsAreValid) != 0) {
      call.run().devices().settings(static_cast<std::uint32_t>(device)).flags = deviceFlags & kept_flags;
    }
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  return api(api_function::cudaChooseDevice, {.after_failure = failure_rule::answered}, [&](api_call&) {
    if (device == nullptr || prop == nullptr) return cudaErrorInvalidValue;
    *device = 0;  // all devices are of one kind: each matches as well as the first
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return api(api_function::cudaGetDeviceProperties, {.after_failure = failure_rule::answered},
             [&](api_call& call) {
               if (prop == nullptr) return cudaErrorInvalidValue;
               if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
               call.record().asked_device = static_cast<std::uint32_t>(device);
               *prop = cuda_runtime::device_properties(call.run().gpu(), static_cast<std::uint32_t>(device));
               return cudaSuccess;
             });
}

EXPORTED cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  return api(api_function::cudaDeviceGetAttribute, {.after_failure = failure_rule::answered},
             [&](api_call& call) {
               if (value == nullptr || !cuda_runtime::is_device_attribute(attr)) return cudaErrorInvalidValue;
               if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
               call.record().asked_device = static_cast<std::uint32_t>(device);
               const std::optional<int> answer =
                   cuda_runtime::device_attribute(call.run().gpu(), static_cast<std::uint32_t>(device), attr);
               if (!answer) return call.not_supported("device attribute " + std::to_string(attr) + " is");
               *value = *answer;
               return cudaSuccess;
             });
}

EXPORTED cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return api(api_function::cudaDeviceGetStreamPriorityRange, {.after_failure = failure_rule::answered},
             [&](api_call& call) {
               if (leastPriority != nullptr) *leastPriority = 0;
               if (greatestPriority != nullptr) *greatestPriority = call.run().gpu().priority_greatest;
               return cudaSuccess;
             });
}

EXPORTED cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return api(api_function::cudaDeviceGetPCIBusId, {.after_failure = failure_rule::answered},
             [&](api_call& call) {
               if (pciBusId == nullptr) return cudaErrorInvalidValue;
               if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
               const std::string text = bus_id(device);
               if (len <= static_cast<int>(text.size())) return cudaErrorInvalidValue;
               std::strcpy(pciBusId, text.c_str());
               return cudaSuccess;
             });
}

EXPORTED cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return api(
      api_function::cudaDeviceGetByPCIBusId, {.after_failure = failure_rule::answered}, [&](api_call& call) {
        unsigned domain = 0, bus = 0, slot = 0, function = 0;
        if (device == nullptr || pciBusId == nullptr) return cudaErrorInvalidValue;
        const bool is_full = std::sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot, &function) == 4;
        if (!is_full && std::sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) != 3) {
          return cudaErrorInvalidValue;
        }
        const int ordinal = static_cast<int>(bus - 1);
        if (domain != 0 || slot != 0 || function != 0 || !call.run().devices().has(ordinal)) {
          return cudaErrorInvalidDevice;
        }
        *device = ordinal;
        return cudaSuccess;
      });
}

EXPORTED cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return api(api_function::cudaSetDeviceFlags, [&](api_call& call) {
    const unsigned int scheduling = flags & scheduling_flags;
    if ((flags & ~accepted_flags) != 0 || (scheduling & (scheduling - 1)) != 0) return cudaErrorInvalidValue;
    call.run().devices().settings(call.run().current_device()).flags = flags & kept_flags;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return api(api_function::cudaGetDeviceFlags, [&](api_call& call) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = call.run().devices().settings(call.run().current_device()).flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceSynchronize() {
  return api(api_function::cudaDeviceSynchronize, [&](api_call& call) {
    call.run().clock().wait_for_device(call.run().current_device());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceReset() {
  return api(api_function::cudaDeviceReset, {.after_failure = failure_rule::answered}, [&](api_call& call) {
    // On an H200 a reset after a fault succeeded, and left the process without a usable device.
    if (call.run().errors().sticky() != cudaSuccess) {
      call.run().errors().lose_devices();
      return cudaSuccess;
    }
    const std::uint32_t device = call.run().current_device();
    call.run().clock().wait_for_device(device);
    if (call.run().errors().sticky() == cudaSuccess) release_all(call, device);
    return call.run().errors().sticky();
  });
}

EXPORTED cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return api(api_function::cudaDriverGetVersion, {.after_failure = failure_rule::answered}, [&](api_call&) {
    if (driverVersion == nullptr) return cudaErrorInvalidValue;
    *driverVersion = CUDART_VERSION;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  return api(api_function::cudaRuntimeGetVersion, {.after_failure = failure_rule::answered}, [&](api_call&) {
    if (runtimeVersion == nullptr) return cudaErrorInvalidValue;
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api(api_function::cudaMemGetInfo, [&](api_call& call) {
    const std::size_t all = call.run().gpu().global_memory;
    if (total != nullptr) *total = all;
    if (free != nullptr)
      *free = all - std::min(all, call.run().device_bytes_in_use(call.run().current_device()));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaProfilerStart() {
  return api(api_function::cudaProfilerStart, [&](api_call&) { return cudaSuccess; });
}

EXPORTED cudaError_t cudaProfilerStop() {
  return api(api_function::cudaProfilerStop, [&](api_call&) { return cudaSuccess; });
}

}  // extern "C"
