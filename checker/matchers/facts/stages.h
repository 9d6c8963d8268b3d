// stages.h: the three stages of a chunk: copy to the device, kernel, copy to the host.
//
//     std::vector<trace::operation_id> order = matchers::staged_operations(part);
//     matchers::stage_of(recording.operation_at(order.front()));   // stage::copy_to_device
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace matchers {

/// A step of a chunk.
enum class stage { copy_to_device, kernel, copy_to_host };

/// The stage that an operation belongs to, or nothing: memsets, events, copies inside the device.
std::optional<stage> stage_of(const trace::operation& operation);

/// "copies to the device", "kernels", "copies to the host".
std::string in_words(stage wanted);

/// The operations of the part that belong to a stage, in order of issue.
std::vector<trace::operation_id> staged_operations(const analysis::part& part);
/// Those of one stage.
std::vector<trace::operation_id> operations_of(const analysis::part& part, stage wanted);

/// The sum of the lengths of the operations of one stage.
trace::nanoseconds length_of(const analysis::part& part, stage wanted);

/// From the first call of the part to the end of its last call or operation. Host code around the calls does
/// not count. 0 when there is nothing.
trace::nanoseconds time_in_calls(const analysis::part& part);

/// How many blocks a kernel has.
inline std::uint64_t blocks_of(const trace::operation& kernel) {
  return std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
}

}  // namespace matchers
