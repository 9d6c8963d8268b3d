#include "cuda_runtime/api/kernel_table.h"

#include <unordered_map>

#include "kernels/exported.h"

namespace cuda_runtime {
namespace {

/// One that registered itself before main() began, or whose type a call named.
struct known_kernel {
  const char* name = nullptr;
  virtual_gpu::kernel_caller caller = nullptr;
};

std::unordered_map<const void*, known_kernel>& known_kernels() {
  static std::unordered_map<const void*, known_kernel> all;
  return all;
}

}  // namespace
}  // namespace cuda_runtime

EXPORTED void virtual_gpu::know_kernel(const char* name, const void* function, kernel_caller caller) {
  const auto [known, is_new] =
      cuda_runtime::known_kernels().emplace(function, cuda_runtime::known_kernel{name, caller});
  if (!is_new && known->second.name == nullptr) known->second.name = name;
}

namespace cuda_runtime {

bool is_kernel(const void* function) { return known_kernels().count(function) != 0; }

const char* kernel_name(const void* function) {
  const auto found = known_kernels().find(function);
  return found == known_kernels().end() ? nullptr : found->second.name;
}

kernels::called_kernel call_with_arguments(api_call& call, const void* function, void** arguments,
                                           cudaError_t& error) {
  const auto found = known_kernels().find(function);
  if (found == known_kernels().end()) {
    error = function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
    return {};
  }
  found->second.caller(function, arguments);
  return kernels::called_kernel(call.run().called().take());
}

}  // namespace cuda_runtime
