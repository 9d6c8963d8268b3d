#include "report/wording/reason_sentences.h"

#include <fmt/core.h>

#include "report/enum_table.h"
#include "report/wording/names.h"
#include "trace/call_promise.h"

namespace report {
namespace {

using trace::constraint_kind;

struct constraint_row {
  constraint_kind kind;
  std::string_view clause;  ///< {} is the other operation
  std::string_view in_short;
};

constexpr constraint_row constraint_rows[] = {
    {constraint_kind::host_issue, "the host had not issued it before", "not issued before"},
    {constraint_kind::stream_order, "it had to wait for {}, which is before it in the same stream",
     "next in its stream"},
    {constraint_kind::event, "it had to wait for an event, recorded in {}", "waited for an event"},
    {constraint_kind::legacy_default,
     "it had to wait for {}, because the default stream and blocking streams wait for each other",
     "default stream"},
    {constraint_kind::engine_busy, "its copy engine was busy with {}", "its engine was busy"},
    {constraint_kind::work_queue, "it sat behind {} in the same work queue of the hardware",
     "behind it in a work queue"},
    {constraint_kind::no_room, "no multiprocessor had room for it beside {}", "no room beside it"},
    {constraint_kind::staging, "pageable host memory had to be staged by the CPU first",
     "staged by the host"},
    {constraint_kind::withheld_signal,
     "what it had to wait for had ended, but this GPU signals that only after the last kernel issued in a row, {}",
     "signal withheld until then"},
    {constraint_kind::implicit_synchronization,
     "it had to wait for {}: on this GPU all streams wait for memsets, allocations and copies inside the device",
     "implicit synchronization"},
    {constraint_kind::graph_edge, "it had to wait for {}, on which it depends in its graph",
     "next in its graph"},
    {constraint_kind::completion, "it had to wait for {}", "waited for it"},
};
static_assert(has_all_rows<&constraint_row::kind>(constraint_rows, constraint_kind::completion));

const constraint_row& row_of(constraint_kind kind) { return constraint_rows[static_cast<int>(kind)]; }

std::string reason_clause(const operation_names& names, const analysis::link& link) {
  const trace::recording& recording = names.recording();
  const trace::constraint& constraint = link.why->constraint;
  const constraint_row& row = row_of(constraint.kind);
  if (constraint.kind == constraint_kind::staging) return std::string(row.clause);
  if (constraint.kind == constraint_kind::host_issue) {
    if (link.host_was_in == 0) return std::string(row.clause);
    const trace::host_call& call = recording.call_at(link.host_was_in);
    return fmt::format("{}, because it was {} in {}", row.clause,
                       trace::host_waits_in(recording, call) ? "waiting" : "busy", in_words(recording, call));
  }
  if (constraint.operation == 0) return "";
  const trace::operation& behind = recording.operation_at(constraint.operation);
  if (constraint.kind == constraint_kind::event)
    return fmt::format(fmt::runtime(row.clause), stream_in_words(recording, behind.stream));
  const std::string other = in_words(names, behind.id);
  const bool is_in_host_function =
      constraint.kind == constraint_kind::engine_busy && behind.kind == trace::operation_kind::host_function;
  return is_in_host_function ? fmt::format("it had to wait until {} returned", other)
                             : fmt::format(fmt::runtime(row.clause), other);
}

}  // namespace

std::string sentence_of(const operation_names& names, const analysis::link& link) {
  const std::string clause = link.why ? reason_clause(names, link) : "";
  if (clause.empty()) return "";
  return (link.why->is_inferred ? "Probably " + clause : capitalized(clause)) + ".";
}

std::string root_sentence_of(const operation_names& names, const analysis::reasons& reasons,
                             trace::operation_id operation) {
  const analysis::link own = reasons.link_of(operation), root = reasons.root_of(operation);
  const std::string first = sentence_of(names, own);
  if (root.operation == own.operation || first.empty() || !root.why) return first;
  const std::string further = reason_clause(names, root);
  if (further.empty()) return first;
  const bool was_just_named = own.why->constraint.operation == root.operation;
  const std::string place = place_of(names.recording(), names.recording().operation_at(root.operation));
  return fmt::format("{} {}{} came late: {}.", first,
                     was_just_named ? "That one" : "In that stream " + names.of(root.operation),
                     place.empty() ? "" : " (" + place + ")", further);
}

std::string short_reason_of(const trace::recording& recording, const analysis::link& link) {
  if (!link.why) return "reason not known";
  if (link.why->constraint.kind == constraint_kind::host_issue && link.host_was_in != 0)
    return "the host was in " + in_words(recording, recording.call_at(link.host_was_in));
  return std::string(row_of(link.why->constraint.kind).in_short);
}

}  // namespace report
