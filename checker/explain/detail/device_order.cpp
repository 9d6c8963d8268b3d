#include "explain/detail/device_order.h"

#include <algorithm>

namespace explain {

device_order::device_order(const program& program) {
  const std::size_t count = program.operations.size();
  past_of_.resize(count);
  stream_of_.resize(count);
  std::unordered_map<trace::stream_id, operation_number> last;
  for (operation_number number = 0; number < count; ++number) {
    const program_operation& operation = program.operations[number];
    const trace::stream_id id = stream_of_[number] = operation.request.stream;
    if (operation.launch != no_operation) {
      past_of_[number] = past_of_[operation.launch];
      continue;
    }
    const auto before_it = last.find(id);
    std::shared_ptr<const past> before =
        before_it == last.end() ? std::make_shared<const past>() : past_of_[before_it->second];
    const auto come_after = [&](operation_number earlier) {
      const auto known = before->find(stream_of_[earlier]);
      if (stream_of_[earlier] == id || (known != before->end() && known->second >= earlier)) return;
      auto joined = std::make_shared<past>(*before);
      const auto note = [&](trace::stream_id stream, operation_number there) {
        if (stream != id) (*joined)[stream] = std::max((*joined)[stream], there);
      };
      note(stream_of_[earlier], earlier);
      for (const auto& [stream, there] : *past_of_[earlier]) note(stream, there);
      before = std::move(joined);
    };
    const trace::stream& own = program.streams[id - 1];
    const bool is_legacy = own.kind == trace::stream_kind::legacy_default;
    for (const auto& [other_id, last_there] : last) {
      const trace::stream& other = program.streams[other_id - 1];
      const trace::stream& ordinary = is_legacy ? other : own;
      const bool one_is_legacy = is_legacy || other.kind == trace::stream_kind::legacy_default;
      if (one_is_legacy && own.device == other.device &&
          ordinary.blocking == trace::stream_blocking::blocking)
        come_after(last_there);
    }
    if (operation.captured != no_operation) come_after(operation.captured);
    for (const operation_number earlier : operation.after) come_after(earlier);
    past_of_[number] = std::move(before);
    last[id] = number;
  }
}

bool device_order::is_before(operation_number earlier, operation_number later) const {
  if (stream_of_[earlier] == stream_of_[later]) return true;
  const auto found = past_of_[later]->find(stream_of_[earlier]);
  return found != past_of_[later]->end() && found->second >= earlier;
}

}  // namespace explain
