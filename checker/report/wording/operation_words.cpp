#include "report/wording/operation_words.h"

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

std::string kind_with_amount(const trace::operation& what, const std::string& name) {
  switch (what.kind) {
    case trace::operation_kind::kernel:
      return "the kernel " + name;
    case trace::operation_kind::copy: {
      const std::string copy = what.source && what.destination ? "the copy " + name : "the " + name;
      return copy + " of " + bytes_in_words(what.bytes) + direction_in_words(what);
    }
    case trace::operation_kind::memset:
      return "the " + name + " of " + bytes_in_words(what.bytes);
    case trace::operation_kind::prefetch:
      return "the prefetch " + name;
    case trace::operation_kind::allocate:
    case trace::operation_kind::release:
      return "the " + name + " in stream order";
    case trace::operation_kind::attach:
      return "the " + name + " of managed memory";
    case trace::operation_kind::event_record:
    case trace::operation_kind::event_wait:
    case trace::operation_kind::host_function:
    case trace::operation_kind::graph_launch:
      return "the " + name;
  }
  return "the operation";
}

std::string phrase(const trace::recording& seen, const trace::operation& what, const std::string& name) {
  const bool is_given = what.issued_by != 0 && seen.is_given(seen.call_at(what.issued_by).where);
  return kind_with_amount(what, name) + " in " + stream_in_words(seen, what.stream) +
         (is_given ? " (queued by a function that yours calls)" : "");
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
  return phrase(seen, what, name_of(seen, what));
}

std::string in_words(const operation_names& names, trace::operation_id id) {
  return phrase(names.seen(), names.seen().operation_at(id), names.of(id));
}

std::string in_words(const trace::recording& seen, const trace::host_call& what) {
  const std::string name(trace::effect_of(what) == trace::call_effect::launches_kernel ? "the launch"
                                                                                       : name_of(what));
  if (seen.is_given(what.where)) return name + " in a function that yours calls";
  const std::string place = seen.describe(what.where);
  return place.empty() ? name : fmt::format("{} ({})", name, place);
}

std::string place_of(const trace::recording& seen, const trace::operation& what) {
  return what.issued_by == 0 ? "" : seen.describe(seen.call_at(what.issued_by).where);
}

}  // namespace report
