#include "report/wording/misuse_sentences.h"

#include <algorithm>

#include "analysis/places.h"
#include "report/wording/names.h"
#include "report/wording/operation_words.h"
#include "trace/words.h"

namespace report {
namespace {

std::string times_in_words(const analysis::misuse& found) {
  return found.times == 1 ? "" : " This happened " + std::to_string(found.times) + " times on this line.";
}

/// Names of functions keep their spelling.
std::string call_at_the_start(const trace::host_call& call) {
  return trace::effect_of(call) == trace::call_effect::launches_kernel ? "The launch"
                                                                       : std::string(name_of(call));
}

std::string as_sentence(const std::string& message) {
  return capitalized(message) + (message.ends_with('.') ? "" : ".");
}

std::string leak_in_words(const trace::recording& seen, const analysis::misuse& found,
                          const std::string& what, const std::string& cure) {
  const std::string made =
      call_at_the_start(seen.call_at(found.call)) + in_parentheses(seen, seen.call_at(found.call).where);
  if (found.times == 1) return made + " made " + what + " that is never given back: call " + cure + ".";
  return made + " made " + what + " " + std::to_string(found.times) +
         " times that is never given back: call " + cure + " for each.";
}

/// How memory of that kind is given back.
std::string release_of(const trace::recording& seen, trace::allocation_id id) {
  const trace::allocation& allocation = seen.allocation_at(id);
  if (trace::effect_of(seen.call_at(allocation.allocated_by)) == trace::call_effect::registers_memory)
    return "cudaHostUnregister";
  return allocation.kind == trace::memory_kind::pinned ? "cudaFreeHost" : "cudaFree";
}

std::string failure_in_words(const trace::recording& seen, const analysis::misuse& found) {
  const trace::host_call& call = seen.call_at(found.call);
  std::string text = call_at_the_start(call) + in_parentheses(seen, call.where) + " failed with " +
                     call.error_name + " (" + std::to_string(call.error_code) + "). ";
  if (const std::string reason = reason_of_refusal(seen, call.id); !reason.empty()) text += reason + " ";
  if (found.went_on == 0) {
    text += "Nothing asked for the error";
  } else {
    const trace::host_call& next = seen.call_at(found.went_on);
    text += "The program went on with " + call_in_words(next) + in_parentheses(seen, next.where) +
            " as if it had been done";
  }
  return text + ": look at what each call returns, and at cudaGetLastError() after a launch.";
}

std::string destroyed_object_in_words(const trace::recording& seen, const analysis::misuse& found) {
  const trace::host_call& call = seen.call_at(found.call);
  const bool is_stream = found.stream != 0;
  const trace::call_id destroyed_by =
      is_stream ? seen.stream_at(found.stream).destroyed_by : seen.event_at(found.event).destroyed_by;
  return call_at_the_start(call) + in_parentheses(seen, call.where) + " uses " +
         (is_stream ? stream_in_words(seen, found.stream) : "an event") + " after " +
         std::string(name_of(seen.call_at(destroyed_by))) +
         in_parentheses(seen, seen.call_at(destroyed_by).where) +
         " had destroyed it. On a GPU the effect is undefined: destroy it after its last use.";
}

}  // namespace

std::string_view rule_of(const trace::recording& seen, const analysis::misuse& found) {
  switch (found.kind) {
    case analysis::misuse_kind::reported_by_backend:
      return trace::word_of(seen.diagnostics.at(found.diagnostic).kind);
    case analysis::misuse_kind::freed_while_in_use:
      return "freed_while_in_use";
    case analysis::misuse_kind::used_after_destruction:
      return "used_after_destruction";
    case analysis::misuse_kind::unrecorded_event:
      return "unrecorded_event";
    case analysis::misuse_kind::no_time_between_events:
      return "no_time_between_events";
    case analysis::misuse_kind::unchecked_error:
      return "unchecked_error";
    case analysis::misuse_kind::stream_leak:
      return "stream_leak";
    case analysis::misuse_kind::event_leak:
      return "event_leak";
    case analysis::misuse_kind::memory_leak:
      return "memory_leak";
  }
  return "";
}

std::string describe(const trace::recording& seen, const analysis::misuse& found) {
  const auto call = [&] {
    const trace::host_call& made = seen.call_at(found.call);
    return call_at_the_start(made) + in_parentheses(seen, made.where);
  };
  switch (found.kind) {
    case analysis::misuse_kind::reported_by_backend:
      return as_sentence(seen.diagnostics.at(found.diagnostic).message) + times_in_words(found);
    case analysis::misuse_kind::freed_while_in_use:
      return call() + " frees " + allocation_in_words(seen, found.allocation) + " while " +
             operation_in_words(seen, seen.operation_at(found.operation)) +
             " may still use it. That freeing happens to wait for the device is no promise: wait for " +
             stream_in_words(seen, seen.operation_at(found.operation).stream) +
             " first (cudaStreamSynchronize)." + times_in_words(found);
    case analysis::misuse_kind::used_after_destruction:
      return destroyed_object_in_words(seen, found) + times_in_words(found);
    case analysis::misuse_kind::unrecorded_event:
      return call() +
             " waits for an event that the program never records. That is no error for CUDA: it waits for "
             "nothing. Record the event (cudaEventRecord) after the work that is to be waited for." +
             times_in_words(found);
    case analysis::misuse_kind::no_time_between_events: {
      const std::string reason = reason_of_refusal(seen, found.call);
      return call() + " gives no time" + " (" + seen.call_at(found.call).error_name + ")" + ". " +
             (reason.empty() ? "" : reason + " ") +
             "Record both events, and wait for the second one (cudaEventSynchronize) before you ask." +
             times_in_words(found);
    }
    case analysis::misuse_kind::unchecked_error:
      return failure_in_words(seen, found) + times_in_words(found);
    case analysis::misuse_kind::stream_leak:
      return leak_in_words(seen, found, "a stream", "cudaStreamDestroy");
    case analysis::misuse_kind::event_leak:
      return leak_in_words(seen, found, "an event", "cudaEventDestroy");
    case analysis::misuse_kind::memory_leak:
      return leak_in_words(seen, found, "memory", release_of(seen, found.allocation));
  }
  return "";
}

std::vector<trace::location> places_of(const trace::recording& seen, const analysis::misuse& found) {
  std::vector<trace::location> places;
  const auto add = [&](trace::location where) {
    if (where.is_known() && std::find(places.begin(), places.end(), where) == places.end())
      places.push_back(where);
  };
  if (found.kind == analysis::misuse_kind::reported_by_backend)
    add(seen.diagnostics.at(found.diagnostic).where);
  add(analysis::place_of_call(seen, found.call));
  if (found.operation != 0) add(analysis::place_of_operation(seen, found.operation));
  if (found.stream != 0 && found.kind == analysis::misuse_kind::used_after_destruction)
    add(analysis::place_of_call(seen, seen.stream_at(found.stream).destroyed_by));
  if (found.event != 0 && found.kind == analysis::misuse_kind::used_after_destruction)
    add(analysis::place_of_call(seen, seen.event_at(found.event).destroyed_by));
  return places;
}

std::string reason_of_refusal(const trace::recording& seen, trace::call_id call) {
  const auto found = std::find_if(seen.diagnostics.begin(), seen.diagnostics.end(), [&](const auto& each) {
    return each.call == call && each.kind == trace::diagnostic_kind::refused;
  });
  return found == seen.diagnostics.end() ? "" : as_sentence(found->message);
}

}  // namespace report
