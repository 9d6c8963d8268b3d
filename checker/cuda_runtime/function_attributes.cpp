#include "cuda_runtime/function_attributes.h"

#include <algorithm>

#include "cuda_runtime/device_properties.h"

namespace cuda_runtime {

std::size_t function_attributes::opt_in_shared_bytes() const {
  return device_properties(gpu_, 0).sharedMemPerBlockOptin;
}

std::size_t function_attributes::max_dynamic_shared_bytes(std::string_view kernel) const {
  const auto set = max_dynamic_shared_bytes_.find(kernel);
  const std::size_t usual = gpu_.shared_memory_per_block;
  return set == max_dynamic_shared_bytes_.end() ? usual : std::max(usual, set->second);
}

std::size_t function_attributes::max_shared_bytes(std::string_view kernel) const {
  const std::size_t usual = gpu_.shared_memory_per_block;
  return max_dynamic_shared_bytes(kernel) > usual ? opt_in_shared_bytes() : usual;
}

}  // namespace cuda_runtime
