#include "trace/wrong_copy_kind.h"

#include "trace/words.h"

namespace trace {

namespace {

bool is_misnamed(memory_kind kind, bool is_called_device) {
  return kind != memory_kind::managed && (kind == memory_kind::device) != is_called_device;
}

}  // namespace

std::string wrong_copy_kind(memory_kind source, memory_kind destination, copy_direction declared) {
  using enum copy_direction;
  const bool says_from_device = declared == device_to_host || declared == device_to_device;
  const bool says_to_device = declared == host_to_device || declared == device_to_device;
  if (!is_misnamed(source, says_from_device) && !is_misnamed(destination, says_to_device)) return "";
  const auto side = [](bool is_device) { return is_device ? "Device" : "Host"; };
  return "a copy from " + std::string(word_of(source)) + " to " + std::string(word_of(destination)) +
         " memory has the kind cudaMemcpy" + side(says_from_device) + "To" + side(says_to_device) +
         ": CUDA does not define what a copy does whose kind is not its direction";
}

}  // namespace trace
