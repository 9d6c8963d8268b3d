#include "trace/recording.h"

#include <stdexcept>

namespace trace {

const std::vector<location>& recording::callers_of(const location& where) const {
  static const std::vector<location> none;
  return where.callers == 0 ? none : callers.at(where.callers - 1).lines;
}

std::string recording::describe(const location& where) const {
  if (!leads_to_line(where)) return "";
  const std::string& path = files.at(where.file).path;
  const std::size_t slash = path.rfind('/');
  return path.substr(slash == std::string::npos ? 0 : slash + 1) + ":" + std::to_string(where.line);
}

copy_direction direction_of(const operation& copy) {
  if (!copy.source || !copy.destination) throw std::logic_error("direction_of: memory kinds are not known");
  const auto is_on_device = [](memory_kind kind) {
    return kind == memory_kind::device || kind == memory_kind::managed;
  };
  if (is_on_device(*copy.source)) {
    return is_on_device(*copy.destination) ? copy_direction::device_to_device
                                           : copy_direction::device_to_host;
  }
  return is_on_device(*copy.destination) ? copy_direction::host_to_device : copy_direction::host_to_host;
}

}  // namespace trace
