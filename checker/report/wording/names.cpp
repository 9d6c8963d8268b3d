#include "report/wording/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "analysis/copy_devices.h"
#include "analysis/places.h"
#include "trace/call_promise.h"
#include "trace/words.h"

namespace report {
namespace {

std::string direction_in_words(const trace::recording& recording, const trace::operation& copy) {
  if (!copy.source || !copy.destination) return "";
  if (const auto devices = analysis::devices_between(recording, copy))
    return fmt::format(" from device {} to device {}", devices->source, devices->destination);
  static constexpr std::string_view words[] = {" to the device", " to the host", " inside the device",
                                               " from host to host"};
  return std::string(words[static_cast<int>(trace::direction_of(copy))]);
}

/// `name`: its short name.
std::string without_stream(const trace::recording& recording, const trace::operation& operation,
                           const std::string& name) {
  switch (operation.kind) {
    case trace::operation_kind::kernel:
      return "the kernel " + name;
    case trace::operation_kind::copy:
      return fmt::format("the {}{} of {}{}", operation.source && operation.destination ? "copy " : "", name,
                         size_in_words(operation.bytes), direction_in_words(recording, operation));
    case trace::operation_kind::memset:
      return "the " + name + " of " + size_in_words(operation.bytes);
    case trace::operation_kind::prefetch:
      return "the prefetch " + name;
    case trace::operation_kind::allocate:
    case trace::operation_kind::release:
      return "the stream-ordered " + name;
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

std::string with_stream(const trace::recording& recording, const trace::operation& operation,
                        const std::string& name) {
  const trace::location place = analysis::place_of_operation(recording, operation.id);
  const bool is_external = place.is_known() && recording.is_external(place);
  return without_stream(recording, operation, name) +
         (operation.graph_launch != 0 ? " in " + node_in_words(operation) : "") + " in " +
         stream_in_words(recording, operation.stream) +
         (is_external ? " (queued by a function that yours calls)" : "");
}

}  // namespace

trace::thread_id thread_of(const trace::recording& recording, const trace::stream& stream) {
  const auto& calls = recording.calls;
  const auto first = std::find_if(calls.begin(), calls.end(),
                                  [&](const trace::host_call& call) { return call.stream == stream.id; });
  return first == calls.end() ? 0 : first->thread;
}

std::size_t number_of(const trace::recording& recording, trace::stream_id id) {
  const trace::stream& stream = recording.stream_at(id);
  trace::call_id begin = 0;
  int depth = 0;
  for (const trace::mark& mark : recording.marks) {
    if (mark.after >= stream.created_by) break;
    if (mark.name.starts_with("begin:") && depth++ == 0) begin = mark.after;
    if (mark.name.starts_with("end:")) --depth;
  }
  if (depth <= 0) return id;
  const auto is_earlier = [&](const trace::stream& one) {
    return one.created_by > begin && one.created_by < stream.created_by;
  };
  return 1 + static_cast<std::size_t>(
                 std::count_if(recording.streams.begin(), recording.streams.end(), is_earlier));
}

std::string stream_in_words(const trace::recording& recording, trace::stream_id id) {
  const trace::stream& stream = recording.stream_at(id);
  switch (stream.kind) {
    case trace::stream_kind::legacy_default:
      return "the default stream";
    case trace::stream_kind::per_thread_default:
      // That of the first thread is not told apart: most programs have no other.
      return "the per-thread default stream" +
             (thread_of(recording, stream) > 1 ? " of " + thread_in_words(thread_of(recording, stream)) : "");
    case trace::stream_kind::created:
      break;
  }
  return stream.name.empty() ? fmt::format("stream {}", number_of(recording, id)) : "`" + stream.name + "`";
}

std::string thread_in_words(trace::thread_id thread) {
  return thread <= 1 ? "the host" : fmt::format("host thread {}", thread);
}

std::string in_words(const trace::recording& recording, const trace::operation& operation) {
  return with_stream(recording, operation, name_of(recording, operation));
}

std::string in_words(const operation_names& names, trace::operation_id id) {
  return with_stream(names.recording(), names.recording().operation_at(id), names.of(id));
}

std::string without_stream_in_words(const trace::recording& recording, const trace::operation& operation) {
  return without_stream(recording, operation, name_of(recording, operation));
}

std::string node_in_words(const trace::operation& node) {
  return fmt::format("node {} of the graph", node.id - node.graph_launch);
}

std::string end_of_staged_copy_in_words(const trace::recording& recording,
                                        const trace::operation& operation) {
  if (operation.issued_by == 0) return "";
  const trace::host_call& call = recording.call_at(operation.issued_by);
  if (trace::promise_of(recording, call) != trace::call_promise::source_staged) return "";
  return fmt::format(
      "The source is pageable, so {} returns when it has been staged, and the transfer to the device may not be over; from pinned "
      "memory (cudaMallocHost) the call waits for that too. ",
      name_of(call));
}

std::string call_in_words(const trace::host_call& call) {
  return trace::effect_of(call) == trace::call_effect::launches_kernel ? "the launch"
                                                                       : std::string(name_of(call));
}

std::string in_words(const trace::recording& recording, const trace::host_call& call) {
  return call_in_words(call) + (recording.is_external(call.where) ? " in a function that yours calls" : "") +
         in_parentheses(recording, call.where);
}

std::string allocation_in_words(const trace::recording& recording, trace::allocation_id id) {
  const trace::allocation& allocation = recording.allocation_at(id);
  const std::string_view memory = trace::word_of(allocation.kind);
  if (!allocation.name.empty()) return fmt::format("`{}` ({} memory)", allocation.name, memory);
  if (allocation.kind == trace::memory_kind::pageable && allocation.allocated_by == 0)
    return "a variable or other ordinary memory of the host";
  const trace::location place = analysis::place_of_call(recording, allocation.allocated_by);
  if (recording.is_external(place))
    return fmt::format("the {} bytes of {} memory of the caller", allocation.bytes, memory);
  return place.is_known() ? fmt::format("the {} allocation of {}", memory, recording.describe(place))
                          : fmt::format("the {} allocation {}", memory, allocation.id);
}

std::string size_in_words(std::size_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string range_in_words(trace::byte_range bytes) {
  return bytes.end - bytes.begin == 1 ? fmt::format("byte {}", bytes.begin)
                                      : fmt::format("bytes {} to {}", bytes.begin, bytes.end - 1);
}

std::string_view engine_in_words(analysis::engine engine) {
  static constexpr std::string_view words[] = {"copies to the device", "copies to the host", "kernels",
                                               "copies inside the device", "copies between devices"};
  static_assert(std::size(words) == analysis::engine_count);
  return words[static_cast<int>(engine)];
}

std::string in_parentheses(const trace::recording& recording, const trace::location& place) {
  const std::string described = recording.describe(place);
  return described.empty() ? "" : " (" + described + ")";
}

std::string place_of(const trace::recording& recording, const trace::operation& operation) {
  return recording.describe(analysis::place_of_operation(recording, operation.id));
}

std::string capitalized(std::string text) {
  const std::string_view first_word = std::string_view(text).substr(0, text.find(' '));
  const auto is_only_in_names = [](unsigned char c) { return std::isupper(c) || c == '_'; };
  if (std::any_of(first_word.begin(), first_word.end(), is_only_in_names)) return text;
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string as_sentence(const std::string& text) {
  return capitalized(text) + (text.ends_with('.') || text.ends_with('?') ? "" : ".");
}

}  // namespace report
