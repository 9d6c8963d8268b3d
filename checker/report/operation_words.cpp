#include "report/operation_words.h"

#include <fmt/core.h>

namespace report {

namespace {

std::string direction_in_words(const trace::operation& copy) {
  if (!copy.source || !copy.destination) return "";
  switch (trace::direction_of(copy)) {
    case trace::copy_direction::host_to_device:
      return " to the device";
    case trace::copy_direction::device_to_host:
      return " to the host";
    case trace::copy_direction::device_to_device:
      return " inside the device";
    case trace::copy_direction::host_to_host:
      return " from host to host";
  }
  return "";
}

std::string kind_in_words(const trace::operation& what) {
  switch (what.kind) {
    case trace::operation_kind::kernel:
      return "the kernel " + what.name;
    case trace::operation_kind::copy:
      return "the copy of " + bytes_in_words(what.bytes) + direction_in_words(what);
    case trace::operation_kind::memset:
      return "the memset of " + bytes_in_words(what.bytes);
    case trace::operation_kind::event_record:
      return "the event record";
    case trace::operation_kind::event_wait:
      return "the wait for an event";
    case trace::operation_kind::host_function:
      return "the host function";
    case trace::operation_kind::graph_launch:
      return "the graph launch";
    case trace::operation_kind::allocate:
      return "the allocation in stream order";
    case trace::operation_kind::release:
      return "the release in stream order";
    case trace::operation_kind::prefetch:
      return "the prefetch";
    case trace::operation_kind::attach:
      return "the attachment of managed memory";
  }
  return "the operation";
}

}  // namespace

std::string stream_in_words(const trace::recording& seen, trace::stream_id id) {
  const trace::stream& stream = seen.stream_at(id);
  switch (stream.kind) {
    case trace::stream_kind::legacy_default:
      return "the default stream";
    case trace::stream_kind::per_thread_default:
      return "the per-thread default stream";
    case trace::stream_kind::created:
      break;
  }
  return stream.name.empty() ? fmt::format("stream {}", id) : "`" + stream.name + "`";
}

std::string bytes_in_words(std::size_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string in_words(const trace::recording& seen, const trace::operation& what) {
  return kind_in_words(what) + " in " + stream_in_words(seen, what.stream);
}

std::string in_words(const trace::recording& seen, const trace::host_call& what) {
  const std::string name = what.name == "cudaLaunchKernel" ? "the launch" : what.name;
  if (seen.is_given(what.where)) return name + " in a function that yours calls";
  const std::string place = seen.describe(what.where);
  return place.empty() ? name : fmt::format("{} ({})", name, place);
}

std::string place_of(const trace::recording& seen, const trace::operation& what) {
  return what.issued_by == 0 ? "" : seen.describe(seen.call_at(what.issued_by).where);
}

}  // namespace report
