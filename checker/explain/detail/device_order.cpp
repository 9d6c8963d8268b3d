#include "explain/detail/device_order.h"

#include <algorithm>

namespace explain {

device_order::device_order(const program& program) {
  const std::size_t count = program.operations.size();
  past_of_.resize(count);
  stream_of_.resize(count);
  past last;  // by stream
  for (operation_number number = 0; number < count; ++number) {
    const program_operation& operation = program.operations[number];
    const trace::stream_id id = stream_of_[number] = operation.request.stream;
    if (operation.launch != no_operation) continue;
    past& before = past_of_[number];
    const auto come_after = [&](operation_number earlier) {
      for (const auto& [stream, last_there] : past_of_[earlier]) {
        const auto [found, is_new] = before.try_emplace(stream, last_there);
        if (!is_new) found->second = std::max(found->second, last_there);
      }
    };
    const trace::stream& own = program.streams[id - 1];
    const bool is_legacy = own.kind == trace::stream_kind::legacy_default;
    for (const auto& [other_id, last_there] : last) {
      const trace::stream& other = program.streams[other_id - 1];
      const trace::stream& ordinary = is_legacy ? other : own;
      const bool one_is_legacy = is_legacy || other.kind == trace::stream_kind::legacy_default;
      const bool wait_for_each_other = one_is_legacy && own.device == other.device &&
                                       ordinary.blocking == trace::stream_blocking::blocking;
      if (other_id == id || wait_for_each_other) come_after(last_there);
    }
    if (operation.captured != no_operation) come_after(operation.captured);
    for (const operation_number earlier : operation.after) come_after(earlier);
    before[id] = number;
    last[id] = number;
  }
}

bool device_order::is_before(operation_number earlier, operation_number later) const {
  const auto found = past_of_[later].find(stream_of_[earlier]);
  return found != past_of_[later].end() && found->second >= earlier;
}

}  // namespace explain
