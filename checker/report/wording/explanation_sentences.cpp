// The sentences of explanation_text.h.
#include <fmt/core.h>

#include <utility>

#include "analysis/places.h"
#include "report/text_layout.h"
#include "report/wording/explanation_text.h"
#include "report/wording/names.h"
#include "report/wording/operation_words.h"
#include "trace/call_promise.h"

namespace report {

namespace {

using trace::constraint_kind;

/// What a cause names, in words; "" where it names none.
struct named {
  std::string late;
  std::string behind;
  std::string call;
  std::string place;  ///< " (async_copy.cu:41)", or ""
};

bool is_in_default_stream(const trace::recording& seen, trace::operation_id id) {
  return id != 0 && seen.stream_at(seen.operation_at(id).stream).kind == trace::stream_kind::legacy_default;
}

bool is_given(const trace::recording& seen, trace::operation_id id) {
  return seen.is_given(analysis::place_of_operation(seen, id));
}

/// Of the two operations the one in the default stream; of two there, one that the reader's code issues.
trace::operation_id in_default_stream_of(const trace::recording& seen, const explain::cause_cost& what) {
  trace::operation_id found = 0;
  for (const trace::operation_id each : {what.late, what.behind}) {
    if (!is_in_default_stream(seen, each)) continue;
    if (found == 0 || is_given(seen, found)) found = each;
  }
  return found;
}

std::string in_default_stream(const trace::recording& seen, const explain::cause_cost& what,
                              const named& names) {
  if (what.behind == 0) {
    return fmt::format("{} waits for the work of all blocking streams, and they wait for it", names.late);
  }
  const bool is_late = is_in_default_stream(seen, what.late),
             is_behind = is_in_default_stream(seen, what.behind);
  const std::string_view which = is_late && is_behind ? "both are in the default stream"
                                 : is_late            ? "the default stream waits for all blocking streams"
                                                      : "all blocking streams wait for the default stream";
  return fmt::format("{} could not start before {} ended: {}", names.late, names.behind, which);
}

std::string of_host(std::string_view did, const named& names) {
  return names.late.empty() || names.call.empty()
             ? fmt::format("the host {}", did)
             : fmt::format("the host {}, and issued {} only then", did, names.late);
}

std::string of_event(const trace::recording& seen, const explain::cause_cost& what) {
  const auto stream_of = [&](trace::operation_id id) {
    return stream_in_words(seen, seen.operation_at(id).stream);
  };
  const std::string waits =
      what.late == 0 ? "a stream waits for an event" : stream_of(what.late) + " waits for an event";
  if (what.what == explain::cause::needless_wait)
    return waits + ", although what is behind that wait needs nothing of what is before the record";
  return what.what == explain::cause::event_recorded_again
             ? waits + " that was recorded again before the wait, so it waits for the later record"
             : fmt::format("{} that is recorded{} behind work that it does not need", waits,
                           what.behind == 0 ? "" : " in " + stream_of(what.behind));
}

/// What is wrong where no single operation and no single call shows it.
std::string general_clause_of(explain::cause what) {
  switch (what) {
    case explain::cause::default_stream:
      return "work in the default stream waits for all blocking streams, and they for it";
    case explain::cause::one_stream:
      return "independent work is in the same stream";
    case explain::cause::synchronization:
      return "the host waits although nothing on the host needs it yet";
    case explain::cause::synchronous_copy:
      return "the host waits in copies although nothing on the host needs it yet";
    case explain::cause::pageable_memory:
      return "copies are of pageable memory, which the host has to stage";
    case explain::cause::memory_management:
      return "memory is allocated or freed between the work";
    case explain::cause::host_function:
      return "a host function holds up what does not need it";
    case explain::cause::event_recorded_again:
      return "a stream waits for a later record of an event than it needs";
    case explain::cause::event_recorded_late:
      return "an event is recorded behind work that the waiting stream does not need";
    case explain::cause::needless_wait:
      return "a stream waits for an event of which it needs nothing";
    case explain::cause::shared_buffer:
      return "work waits to overwrite a buffer that other work uses";
    case explain::cause::issue_order:
      return "in the order in which the work is issued, this GPU cannot overlap it";
    case explain::cause::shared_queue:
      return "independent work shares a work queue of the GPU";
    case explain::cause::no_room:
      return "a kernel leaves no room for the blocks of others";
    case explain::cause::small_chunks:
      return "what each operation costs, however small, adds up";
    case explain::cause::one_piece:
      return "the work is not cut into pieces that could overlap each other";
    case explain::cause::host_busy:
      return "the host does something else before it issues";
  }
  return "";
}

/// Whether the cause is told by two operations, of which one kept the other waiting.
bool needs_both(explain::cause what) {
  return what == explain::cause::one_stream || what == explain::cause::shared_buffer ||
         what == explain::cause::shared_queue;
}

std::string clause_of(const trace::recording& seen, const explain::cause_cost& what, const named& names) {
  const bool says_nothing = names.late.empty() && names.call.empty();
  if (says_nothing || (needs_both(what.what) && names.behind.empty())) return general_clause_of(what.what);
  switch (what.what) {
    case explain::cause::default_stream:
      return in_default_stream(seen, what, names);
    case explain::cause::one_stream:
      return fmt::format(
          "{} could not start before {} ended: both are in the same stream, although {}neither "
          "needs the other",
          names.late, names.behind, what.is_needless ? "" : "probably ");
    case explain::cause::synchronization:
      return of_host(fmt::format("waited in {}{}", names.call,
                                 what.is_needless ? ", which nothing on the host needed yet" : ""),
                     names);
    case explain::cause::synchronous_copy:
      if (names.call.empty()) return fmt::format("the host waited until {} was over", names.late);
      return of_host(fmt::format("was kept inside {} until the copy was over", names.call), names);
    case explain::cause::pageable_memory:
      if (names.call.empty())
        return fmt::format("{} is of pageable memory, which the host has to stage", names.late);
      return of_host(
          fmt::format("was kept inside {}, because that copy is of pageable memory and has to be staged",
                      names.call),
          names);
    case explain::cause::memory_management: {
      if (names.call.empty() && names.behind.empty()) return general_clause_of(what.what);
      if (names.call.empty())
        return fmt::format("{} had to wait for {}: on this GPU allocations and memsets order all streams",
                           names.late, names.behind);
      const bool frees =
          what.call != 0 && trace::effect_of(seen.call_at(what.call)) == trace::call_effect::frees;
      return of_host(frees ? fmt::format("was kept inside {} until the whole device was idle", names.call)
                           : fmt::format("was busy in {}", names.call),
                     names);
    }
    case explain::cause::host_function:
      if (names.behind.empty()) return fmt::format("{} holds up what does not need it", names.late);
      return fmt::format("{} could not start before {} returned", names.late, names.behind);
    case explain::cause::event_recorded_again:
    case explain::cause::event_recorded_late:
    case explain::cause::needless_wait:
      return of_event(seen, what);
    case explain::cause::shared_buffer:
      return fmt::format("{} has to wait for {}, because it overwrites the buffer that that one uses",
                         names.late, names.behind);
    case explain::cause::issue_order:
      if (names.behind.empty())
        return fmt::format(
            "in the order in which the work is issued, this GPU cannot overlap it: {} came too late",
            names.late);
      return fmt::format("{} was ready, but the order of issue kept it behind {} in the queues of this GPU",
                         names.late, names.behind);
    case explain::cause::shared_queue:
      return fmt::format(
          "{} was ready, but its stream shares a work queue of the GPU with that of {}, which "
          "was issued before it",
          names.late, names.behind);
    case explain::cause::no_room:
      return fmt::format("{} was ready, but no multiprocessor had room for its blocks beside {}", names.late,
                         names.behind.empty() ? "the kernels that ran" : names.behind);
    case explain::cause::small_chunks:
      return fmt::format("the work is cut into {} operations, and what each of them costs adds up; {} is one",
                         what.times, names.late);
    case explain::cause::one_piece:
      return fmt::format(
          "each step needs the result of the one before, and {} is a piece by itself: there is "
          "nothing that it could overlap with",
          names.late);
    case explain::cause::host_busy:
      return of_host(names.call.empty() ? std::string("was busy with its own work")
                                        : fmt::format("was busy in {}", names.call),
                     names);
  }
  return "";
}

std::string reason_clause(const operation_names& names, const analysis::link& what) {
  const trace::recording& seen = names.seen();
  const trace::constraint& by = what.why->what;
  if (by.kind == constraint_kind::host_issue) {
    if (what.host_was_in == 0) return "the host had not issued it before";
    const trace::host_call& call = seen.call_at(what.host_was_in);
    return fmt::format("the host had not issued it before, because it was {} in {}",
                       trace::host_waits_in(seen, call) ? "waiting" : "busy",
                       in_words(seen, call));
  }
  if (by.kind == constraint_kind::staging) return "pageable host memory had to be staged by the CPU first";
  if (by.operation == 0) return "";
  const trace::operation& behind = seen.operation_at(by.operation);
  const std::string other = in_words(names, behind.id);
  switch (by.kind) {
    case constraint_kind::stream_order:
      return fmt::format("it had to wait for {}, which is before it in the same stream", other);
    case constraint_kind::event:
      return fmt::format("it had to wait for an event, recorded in {}", stream_in_words(seen, behind.stream));
    case constraint_kind::legacy_default:
      return fmt::format(
          "it had to wait for {}, because the default stream and blocking streams wait for each other",
          other);
    case constraint_kind::engine_busy:
      if (behind.kind == trace::operation_kind::host_function)
        return fmt::format("it had to wait until {} returned", other);
      return fmt::format("its copy engine was busy with {}", other);
    case constraint_kind::work_queue:
      return fmt::format("it sat behind {} in the same work queue of the hardware", other);
    case constraint_kind::no_room:
      return fmt::format("no multiprocessor had room for it beside {}", other);
    case constraint_kind::withheld_signal:
      return fmt::format(
          "what it had to wait for had ended, but this GPU signals that only after the last kernel issued in "
          "a "
          "row, {}",
          other);
    case constraint_kind::implicit_synchronization:
      return fmt::format(
          "it had to wait for {}: on this GPU all streams wait for memsets, allocations and copies inside "
          "the "
          "device",
          other);
    case constraint_kind::graph_edge:
      return fmt::format("it had to wait for {}, on which it depends in its graph", other);
    case constraint_kind::host_issue:
    case constraint_kind::staging:
    case constraint_kind::completion:
      break;
  }
  return "";
}

}  // namespace

std::string_view heading_of(explain::cause what) {
  switch (what) {
    case explain::cause::default_stream:
      return "work in the default stream";
    case explain::cause::one_stream:
      return "independent work in one stream";
    case explain::cause::synchronization:
      return "the host waits too early";
    case explain::cause::synchronous_copy:
      return "synchronous copies";
    case explain::cause::pageable_memory:
      return "pageable memory";
    case explain::cause::memory_management:
      return "allocating and freeing in between";
    case explain::cause::host_function:
      return "a host function blocks";
    case explain::cause::event_recorded_again:
      return "an event recorded again";
    case explain::cause::event_recorded_late:
      return "an event recorded too late";
    case explain::cause::needless_wait:
      return "a wait for an event that nothing needs";
    case explain::cause::shared_buffer:
      return "one buffer for several chunks";
    case explain::cause::issue_order:
      return "the order of issue";
    case explain::cause::shared_queue:
      return "more streams than work queues";
    case explain::cause::no_room:
      return "kernels without room";
    case explain::cause::small_chunks:
      return "chunks too small";
    case explain::cause::one_piece:
      return "work in one piece";
    case explain::cause::host_busy:
      return "the host is busy elsewhere";
  }
  return "";
}

std::string sentence_of(const trace::recording& seen, const explain::cause_cost& what) {
  named names;
  if (what.late != 0) names.late = in_words(seen, seen.operation_at(what.late));
  if (what.behind != 0) names.behind = in_words(seen, seen.operation_at(what.behind));
  std::string place = seen.describe(what.where);
  if (what.call != 0) {
    const trace::host_call& call = seen.call_at(what.call);
    const bool is_given = seen.is_given(call.where);
    names.call = is_given ? in_words(seen, call) : call_in_words(call);
    if (is_given && !place.empty()) place = "near " + place;
  }
  return capitalized(clause_of(seen, what, names)) + (place.empty() ? "." : " (" + place + ").");
}

std::string cure_of(const trace::recording& seen, const explain::cause_cost& what) {
  switch (what.what) {
    case explain::cause::default_stream: {
      const trace::operation_id id = in_default_stream_of(seen, what);
      if (id != 0 && is_given(seen, id)) {
        return "Create that stream with cudaStreamNonBlocking: then it and the default stream, which a "
               "function "
               "that yours calls uses, do not wait for each other.";
      }
      const bool is_kernel = id != 0 && seen.operation_at(id).kind == trace::operation_kind::kernel;
      return is_kernel ? fmt::format(
                             "Launch {} in the stream of the data that it works on: the stream is the "
                             "fourth argument between <<< and >>>.",
                             seen.operation_at(id).name)
                       : std::string(
                             "Use cudaMemcpyAsync or cudaMemsetAsync, with the stream of the data as "
                             "the last argument.");
    }
    case explain::cause::one_stream:
      return "Let independent chunks take turns in several streams.";
    case explain::cause::synchronization:
      return std::string(what.is_needless
                             ? "Leave this wait out and wait once"
                             : "If nothing on the host needs this wait, leave it out and wait once") +
             ", when everything is issued. Where one stream needs the result of another, let the stream wait "
             "for an event.";
    case explain::cause::synchronous_copy:
      return "Use cudaMemcpyAsync with a stream, and wait once, when everything is issued.";
    case explain::cause::pageable_memory:
      return "Allocate that memory with cudaMallocHost, or pin it with cudaHostRegister.";
    case explain::cause::memory_management:
      return "Allocate before the work begins, and free when all of it is over.";
    case explain::cause::host_function:
      return "Keep functions in streams short: let them wake a host thread that does the work, or put them "
             "into "
             "a stream of their own behind an event.";
    case explain::cause::event_recorded_again:
      return "Use an event of its own for each record that a stream waits for.";
    case explain::cause::event_recorded_late:
      return "Record the event directly behind the operation that the waiting stream needs.";
    case explain::cause::needless_wait:
      return "Leave this wait out, or let the stream wait directly before the work that needs it.";
    case explain::cause::shared_buffer:
      return "Let chunks that are under way at the same time use buffers of their own, in turn.";
    case explain::cause::issue_order:
      return what.how.order == explain::issue_order::step_by_step
                 ? "Issue step by step: first all copies to the device, then all kernels, then all copies "
                   "back."
                 : "Issue chunk by chunk: the copy to the device, the kernel and the copy back of one chunk, "
                   "then "
                   "the next chunk.";
    case explain::cause::shared_queue:
      return "Use no more streams than the GPU has work queues, or set CUDA_DEVICE_MAX_CONNECTIONS (up to "
             "32) "
             "before the first CUDA call.";
    case explain::cause::no_room:
      return "Launch fewer blocks with more threads each, or with less shared memory, so that other kernels "
             "find "
             "room.";
    case explain::cause::small_chunks:
      return fmt::format("Make the chunks larger: about {} of them into one.", what.how.joined);
    case explain::cause::one_piece:
      return fmt::format(
          "If the work can be divided, cut it into chunks (about {}) that take turns in several "
          "streams, with asynchronous copies.",
          what.how.pieces);
    case explain::cause::host_busy:
      return "Issue the work first, then do what the host has to do.";
  }
  return "";
}

std::string sentence_of(const operation_names& names, const analysis::link& what) {
  if (!what.why) return "";
  const std::string clause = reason_clause(names, what);
  if (clause.empty()) return "";
  return what.why->is_inferred ? "Probably " + clause + "." : capitalized(clause) + ".";
}

std::string root_sentence_of(const operation_names& names, const analysis::reasons& why,
                             trace::operation_id operation) {
  const analysis::link own = why.link_of(operation), root = why.root_of(operation);
  const std::string first = sentence_of(names, own);
  if (root.operation == own.operation || first.empty() || !root.why) return first;
  const std::string further = reason_clause(names, root);
  if (further.empty()) return first;
  const bool was_just_named = own.why->what.operation == root.operation;
  const std::string place = place_of(names.seen(), names.seen().operation_at(root.operation));
  return fmt::format("{} {}{} came late: {}.", first,
                     was_just_named ? "That one" : "In that stream " + names.of(root.operation),
                     place.empty() ? "" : " (" + place + ")", further);
}

}  // namespace report
