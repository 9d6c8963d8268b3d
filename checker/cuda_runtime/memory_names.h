// memory_names.h: names that a program gives to addresses, for reports. The memory may be allocated later, and other memory may
// have been, or come, at the same address.
//
//     names.add(address, "result", 0, memory.blocks());   // nothing is there yet
//     names.of(block.id, block.begin, block.end());       // "result" when it was the next there
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "kernels/memory.h"
#include "trace/recording.h"

namespace cuda_runtime {

/// A name holds for the block that has the address now (`there`; 0: none) and for those that come, until the address is
/// forgotten. `blocks` is how many blocks there have been.
class memory_names {
 public:
  void add(kernels::address where, std::string_view name, trace::allocation_id there, std::size_t blocks);
  /// What comes to these addresses has no name.
  void forget(kernels::address begin, std::size_t bytes, std::size_t blocks);
  /// Of the lowest address in the block that has one, there the latest; "" for none.
  std::string of(trace::allocation_id block, kernels::address begin, kernels::address end) const;

 private:
  struct given_name {
    std::string name;
    trace::allocation_id there;
    std::size_t last_before;
    std::size_t last;
  };

  std::multimap<kernels::address, given_name> names_;
};

}  // namespace cuda_runtime
