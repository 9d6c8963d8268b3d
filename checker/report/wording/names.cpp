#include "report/wording/names.h"

#include <algorithm>
#include <cctype>

#include "analysis/places.h"
#include "report/wording/operation_names.h"
#include "report/wording/operation_words.h"

namespace report {

std::string memory_in_words(trace::memory_kind kind) {
  switch (kind) {
    case trace::memory_kind::pageable:
      return "pageable";
    case trace::memory_kind::pinned:
      return "pinned";
    case trace::memory_kind::device:
      return "device";
    case trace::memory_kind::managed:
      return "managed";
  }
  return "";
}

std::string kind_in_words(const trace::recording& seen, const trace::operation& operation) {
  const std::string name = name_of(seen, operation);
  switch (operation.kind) {
    case trace::operation_kind::kernel:
      return "kernel " + name;
    case trace::operation_kind::copy:
      return operation.source && operation.destination ? "the copy " + name : "the " + name;
    case trace::operation_kind::prefetch:
      return "the prefetch " + name;
    case trace::operation_kind::allocate:
    case trace::operation_kind::release:
      return "the stream-ordered " + name;
    case trace::operation_kind::attach:
      return "the " + name + " of managed memory";
    case trace::operation_kind::memset:
    case trace::operation_kind::host_function:
    case trace::operation_kind::graph_launch:
    case trace::operation_kind::event_record:
    case trace::operation_kind::event_wait:
      return "the " + name;
  }
  return "the operation";
}

std::string node_in_words(const trace::operation& node) {
  return "node " + std::to_string(node.id - node.graph_launch) + " of the graph";
}

std::string operation_in_words(const trace::recording& seen, const trace::operation& operation) {
  const std::string node = operation.graph_launch != 0 ? " in " + node_in_words(operation) : "";
  return kind_in_words(seen, operation) + node + " in " + stream_in_words(seen, operation.stream) +
         in_parentheses(seen, analysis::place_of_operation(seen, operation.id));
}

std::string allocation_in_words(const trace::recording& seen, trace::allocation_id id) {
  const trace::allocation& allocation = seen.allocation_at(id);
  const std::string memory = memory_in_words(allocation.kind);
  if (!allocation.name.empty()) return "`" + allocation.name + "` (" + memory + " memory)";
  const trace::location where = analysis::place_of_call(seen, allocation.allocated_by);
  if (seen.is_given(where))
    return "the " + std::to_string(allocation.bytes) + " bytes of " + memory + " memory of the caller";
  return "the " + memory + " allocation " +
         (where.is_known() ? "of " + seen.describe(where) : std::to_string(allocation.id));
}

std::string bytes_in_words(trace::byte_range bytes) {
  const std::string first = std::to_string(bytes.begin), last = std::to_string(bytes.end - 1);
  return bytes.end - bytes.begin == 1 ? "byte " + first : "bytes " + first + " to " + last;
}

std::string call_in_words(const trace::host_call& call) {
  return trace::effect_of(call) == trace::call_effect::launches_kernel ? "the launch"
                                                                       : std::string(name_of(call));
}

std::string in_parentheses(const trace::recording& seen, const trace::location& where) {
  const std::string place = seen.describe(where);
  return place.empty() ? "" : " (" + place + ")";
}

std::string capitalized(std::string text) {
  const std::string_view first_word = std::string_view(text).substr(0, text.find(' '));
  const auto is_only_in_names = [](unsigned char c) { return std::isupper(c) || c == '_'; };
  if (std::any_of(first_word.begin(), first_word.end(), is_only_in_names)) return text;
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace report
