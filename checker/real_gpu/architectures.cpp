#include "real_gpu/architectures.h"

#include <cuda.h>
#include <dlfcn.h>

#include <set>

namespace real_gpu {
namespace {

/// A function of the driver's library, which machines without a GPU lack.
template <typename Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Such as "90"; none when the driver cannot be asked.
std::set<std::string> compute_capabilities() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return {};
  const auto initialize = find<decltype(cuInit)>(library, "cuInit");
  const auto get_count = find<decltype(cuDeviceGetCount)>(library, "cuDeviceGetCount");
  const auto get_attribute = find<decltype(cuDeviceGetAttribute)>(library, "cuDeviceGetAttribute");
  int count = 0;
  if (initialize == nullptr || get_count == nullptr || get_attribute == nullptr ||
      initialize(0) != CUDA_SUCCESS || get_count(&count) != CUDA_SUCCESS)
    return {};
  std::set<std::string> found;
  for (CUdevice device = 0; device < count; ++device) {  // without a context, a device is its number
    int major = 0, minor = 0;
    if (get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS ||
        get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS)
      return {};
    found.insert(std::to_string(major) + std::to_string(minor));
  }
  return found;
}

}  // namespace

std::vector<std::string> architecture_options() {
  std::vector<std::string> options;
  for (const std::string& capability : compute_capabilities())
    options.insert(options.end(), {"-gencode", "arch=compute_" + capability + ",code=sm_" + capability});
  if (options.empty()) options.push_back("-arch=native");
  return options;
}

}  // namespace real_gpu
