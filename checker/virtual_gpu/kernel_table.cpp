#include "virtual_gpu/kernel_table.h"

#include <unordered_map>

#include "virtual_gpu/exported.h"

namespace virtual_gpu {
namespace {

/// One that registered itself before main() began, or whose type a call named.
struct known_kernel {
  const char* name = nullptr;
  kernel_caller caller = nullptr;
};

std::unordered_map<const void*, known_kernel>& kernels() {
  static std::unordered_map<const void*, known_kernel> all;
  return all;
}

}  // namespace

EXPORTED void know_kernel(const char* name, const void* function, kernel_caller caller) {
  kernels().emplace(function, known_kernel{name, caller});
}

bool is_kernel(const void* function) { return kernels().count(function) != 0; }

const char* kernel_name(const void* function) {
  const auto found = kernels().find(function);
  return found == kernels().end() ? nullptr : found->second.name;
}

called_kernel call_with_arguments(api_call& call, const void* function, void** arguments,
                                  cudaError_t& error) {
  const auto found = kernels().find(function);
  if (found == kernels().end()) {
    error = function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
    return {};
  }
  found->second.caller(function, arguments);
  return called_kernel(call.run().take_kernel());
}

}  // namespace virtual_gpu
