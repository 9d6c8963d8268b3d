#include "report/wording/operation_names.h"

#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace report {
namespace {

using trace::operation_kind;

/// Kernel names as people write them: without return type, template arguments and parameters.
std::string_view short_name(std::string_view name) {
  name = name.substr(0, name.find_first_of("<("));
  return name.substr(name.find_last_of(" :") + 1);
}

std::string_view word_of_copy(const trace::operation& copy) {
  if (!copy.source || !copy.destination) return "copy";
  static constexpr std::string_view words[] = {"H2D", "D2H", "D2D", "H2H"};
  return words[static_cast<int>(trace::direction_of(copy))];
}

/// A view of the operation or of a constant.
std::string_view view_of_word(const trace::operation& operation) {
  switch (operation.kind) {
    case operation_kind::kernel:
      return short_name(operation.name);
    case operation_kind::copy:
    case operation_kind::prefetch:
      return word_of_copy(operation);
    case operation_kind::memset:
      return "memset";
    case operation_kind::event_record:
      return "event record";
    case operation_kind::event_wait:
      return "event wait";
    case operation_kind::host_function:
      return "host function";
    case operation_kind::graph_launch:
      return "graph launch";
    case operation_kind::allocate:
      return "allocation";
    case operation_kind::release:
      return "release";
    case operation_kind::attach:
      return "attachment";
  }
  throw std::logic_error("an operation without a word");
}

/// A kernel may be called "memset".
bool are_counted_together(const trace::operation& one, const trace::operation& other) {
  const bool is_kernel = one.kind == operation_kind::kernel, other_is = other.kind == operation_kind::kernel;
  return is_kernel == other_is && view_of_word(one) == view_of_word(other);
}

/// Calls visit(id) for the first operation behind the begin of each part that is not inside of another.
template <typename Visit>
void for_each_begin(const trace::recording& recording, Visit visit) {
  int depth = 0;
  for (const trace::mark& mark : recording.marks) {
    if (mark.name.starts_with("begin:") && depth++ == 0) visit(mark.after_operation + 1);
    if (mark.name.starts_with("end:")) --depth;
  }
}

std::string numbered(const trace::operation& operation, std::uint32_t number) {
  return word_of(operation) + " " + std::to_string(number);
}

}  // namespace

std::string word_of(const trace::operation& operation) { return std::string(view_of_word(operation)); }

std::string name_of(const trace::recording& recording, const trace::operation& operation) {
  trace::operation_id first = 1;
  for_each_begin(recording,
                 [&](trace::operation_id begin) { first = begin <= operation.id ? begin : first; });
  std::uint32_t number = 1;
  for (trace::operation_id id = first; id < operation.id; ++id)
    number += are_counted_together(recording.operation_at(id), operation) ? 1 : 0;
  return numbered(operation, number);
}

operation_names::operation_names(const trace::recording& recording) : recording_(recording) {
  std::vector<trace::operation_id> begins;
  for_each_begin(recording, [&](trace::operation_id begin) { begins.push_back(begin); });
  std::unordered_map<std::string_view, std::uint32_t> kernels, others;
  auto next = begins.begin();
  for (const trace::operation& operation : recording.operations) {
    for (; next != begins.end() && *next <= operation.id; ++next) {
      kernels.clear();
      others.clear();
    }
    numbers_.push_back(
        ++(operation.kind == operation_kind::kernel ? kernels : others)[view_of_word(operation)]);
  }
}

std::string operation_names::of(trace::operation_id id) const {
  return numbered(recording_.operation_at(id), number_of(id));
}

}  // namespace report
