#include "cuda_runtime/memory_names.h"

#include <algorithm>
#include <limits>

namespace cuda_runtime {

void memory_names::add(kernels::address where, std::string_view name, trace::allocation_id there,
                       std::size_t blocks) {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  names_.insert({where, {std::string(name), there, blocks, all}});
}

void memory_names::forget(kernels::address begin, std::size_t bytes, std::size_t blocks) {
  for (auto named = names_.lower_bound(begin); named != names_.end() && named->first < begin + bytes; ++named)
    named->second.last = std::min(named->second.last, blocks);
}

std::string memory_names::of(trace::allocation_id block, kernels::address begin, kernels::address end) const {
  const given_name* found = nullptr;
  kernels::address where = begin;
  for (auto named = names_.lower_bound(begin); named != names_.end() && named->first < end; ++named) {
    if (found != nullptr && named->first != where) break;
    const given_name& given = named->second;
    if (block != given.there && (block <= given.last_before || block > given.last)) continue;
    found = &given;
    where = named->first;
  }
  return found != nullptr ? found->name : "";
}

}  // namespace cuda_runtime
