#include "report/wording/cause_sentences.h"

#include <fmt/core.h>

#include <iterator>

#include "analysis/places.h"
#include "report/enum_table.h"
#include "report/wording/names.h"
#include "trace/call_promise.h"

namespace report {
namespace {

using explain::cause;

/// The clearest case of a cause with the names of its objects; "" for those that it does not have.
struct cause_case {
  const trace::recording& recording;
  const explain::cause_cost& cost;
  std::string late;
  std::string behind;
  std::string call;
};

/// The sentences of a cause.
struct cause_row {
  explain::cause cause;
  std::string_view word;
  std::string_view heading;
  std::string_view general_clause;           ///< without an operation or a call as example
  std::string (*clause)(const cause_case&);  ///< "": use general_clause
  std::string (*cure)(const cause_case&);
};

/// The call that copies asynchronously what that one copies.
std::string asynchronous_form(const cause_case& found) {
  const std::string of_another = "cudaMemcpyAsync";
  if (found.cost.call == 0) return of_another;
  const std::string form = call_in_words(found.recording.call_at(found.cost.call)) + "Async";
  return trace::function_named(form) == trace::api_function::other ? of_another : form;
}

bool is_in_default_stream(const trace::recording& recording, trace::operation_id id) {
  return id != 0 &&
         recording.stream_at(recording.operation_at(id).stream).kind == trace::stream_kind::legacy_default;
}

bool is_external(const trace::recording& recording, trace::operation_id id) {
  return recording.is_external(analysis::place_of_operation(recording, id));
}

/// The operation in the default stream; of two, the one that the user's code issued.
trace::operation_id default_stream_operation_of(const cause_case& found) {
  trace::operation_id result = 0;
  for (const trace::operation_id id : {found.cost.late, found.cost.behind}) {
    if (!is_in_default_stream(found.recording, id)) continue;
    if (result == 0 || is_external(found.recording, result)) result = id;
  }
  return result;
}

std::string default_stream_clause(const cause_case& found) {
  if (found.behind.empty())
    return fmt::format("{} waits for the work of all blocking streams, and they wait for it", found.late);
  const bool is_late = is_in_default_stream(found.recording, found.cost.late),
             is_behind = is_in_default_stream(found.recording, found.cost.behind);
  return fmt::format("{} could not start before {} ended: {}", found.late, found.behind,
                     is_late && is_behind ? "both are in the default stream"
                     : is_late            ? "the default stream waits for all blocking streams"
                                          : "all blocking streams wait for the default stream");
}

std::string default_stream_cure(const cause_case& found) {
  const trace::operation_id id = default_stream_operation_of(found);
  if (id != 0 && is_external(found.recording, id)) {
    return "Create that stream with cudaStreamNonBlocking: then it and the default stream, which a function that "
           "yours calls uses, do not wait for each other.";
  }
  if (id == 0 || found.recording.operation_at(id).kind != trace::operation_kind::kernel)
    return "Use cudaMemcpyAsync or cudaMemsetAsync, with the stream of the data as the last argument.";
  return fmt::format(
      "Launch {} in the stream of the data that it works on, one that has been created: the fourth argument between <<< and "
      ">>>.",
      found.recording.operation_at(id).name);
}

/// "the host needs it only at a.cu:12": of a wait that could come later; "" of one that could be left out.
std::string place_of_need(const cause_case& found) {
  const std::string place = found.recording.describe(found.cost.needed_at);
  return place.empty() ? "" : fmt::format("the host needs it only at {}", place);
}

/// What to look at before the wait goes; "" when there is nothing.
std::string doubt_of(const cause_case& found) {
  if (found.cost.unread == 0 || !found.cost.is_needless) return "";
  return fmt::format(
      " Nothing in the recording reads what {} brings. What a function of a library reads, such as printf(), is not in "
      "it, and needs the wait before it.",
      in_words(found.recording, found.recording.operation_at(found.cost.unread)));
}

std::string host_clause(const cause_case& found, std::string_view action) {
  return found.late.empty() || found.call.empty()
             ? fmt::format("the host {}", action)
             : fmt::format("the host {}, and issued {} only then", action, found.late);
}

std::string memory_management_clause(const cause_case& found) {
  if (found.call.empty()) {
    if (found.behind.empty()) return "";
    return fmt::format("{} had to wait for {}: on this GPU allocations and memsets order all streams",
                       found.late, found.behind);
  }
  const bool waits = trace::waits_for_idle_device(found.recording, found.recording.call_at(found.cost.call));
  return host_clause(found,
                     waits ? fmt::format("was kept inside {} until the whole device was idle", found.call)
                           : "was busy in " + found.call);
}

/// "stream 2 waits for an event"
std::string wait_of(const cause_case& found) {
  const trace::operation_id late = found.cost.late;
  return (late == 0 ? "a stream"
                    : stream_in_words(found.recording, found.recording.operation_at(late).stream)) +
         " waits for an event";
}

/// The last work of the device before that marker in its stream; nullptr when there is none.
const trace::operation* work_before(const trace::recording& recording, trace::operation_id marker) {
  for (trace::operation_id id = marker; id > 1; --id) {
    const trace::operation& earlier = recording.operation_at(id - 1);
    if (earlier.stream == recording.operation_at(marker).stream && analysis::is_device_work(earlier.kind))
      return &earlier;
  }
  return nullptr;
}

std::string late_record_clause(const cause_case& found) {
  const trace::operation_id behind = found.cost.behind;
  const std::string recorder =
      behind == 0 ? ""
                  : " in " + stream_in_words(found.recording, found.recording.operation_at(behind).stream);
  const trace::operation* const work = work_before(found.recording, behind);
  return fmt::format("{} that is recorded{} behind {}, which it does not need", wait_of(found), recorder,
                     work == nullptr ? "work" : without_stream_in_words(found.recording, *work));
}

constexpr cause_row rows[] = {
    {cause::default_stream, "default_stream", "work in the default stream",
     "work in the default stream waits for all blocking streams, and they for it", default_stream_clause,
     default_stream_cure},
    {cause::one_stream, "one_stream", "independent work in one stream",
     "independent work is in the same stream",
     [](const cause_case& found) -> std::string {
       if (found.behind.empty()) return "";
       return fmt::format(
           "{} could not start before {} ended: both are in the same stream, although {}neither needs the other",
           found.late, found.behind, found.cost.is_needless ? "" : "probably ");
     },
     [](const cause_case&) -> std::string {
       return "Let independent chunks take turns in several streams.";
     }},
    {cause::synchronization, "synchronization", "the host waits too early",
     "the host waits although nothing on the host needs it yet",
     [](const cause_case& found) {
       return host_clause(found,
                          fmt::format("waited in {}{}", found.call,
                                      found.cost.needed_only != 0 ? " for more than it needs"
                                      : found.cost.is_needless    ? ", which nothing on the host needed yet"
                                                                  : ""));
     },
     [](const cause_case& found) {
       if (found.cost.needed_only != 0)
         return fmt::format(
             "Wait for less: the host needs only {} then. Record an event behind it, and wait for that event.{}",
             in_words(found.recording, found.recording.operation_at(found.cost.needed_only)),
             doubt_of(found));
       if (const std::string place = place_of_need(found); !place.empty())
         return fmt::format(
             "Wait later: {}. Move the wait to there, behind what is issued in between. Where the stream has later work "
             "then, wait for an event recorded behind what is needed.{}",
             place, doubt_of(found));
       return fmt::format(
           "{} and wait once, when everything is issued. Where one stream needs the result of another, let the stream "
           "wait for an event.{}",
           found.cost.is_needless ? "Leave this wait out"
                                  : "If nothing on the host needs this wait, leave it out",
           doubt_of(found));
     }},
    {cause::synchronous_copy, "synchronous_copy", "synchronous copies",
     "the host waits in copies although nothing on the host needs it yet",
     [](const cause_case& found) {
       if (found.call.empty()) return fmt::format("the host waited until {} was over", found.late);
       return host_clause(found, fmt::format("was kept inside {} until the copy was over", found.call));
     },
     [](const cause_case& found) {
       const std::string place = place_of_need(found);
       return fmt::format("Use {} with a stream, and wait {}.{}", asynchronous_form(found),
                          place.empty() ? "once, when everything is issued" : "later: " + place,
                          doubt_of(found));
     }},
    {cause::pageable_memory, "pageable_memory", "pageable memory",
     "copies are of pageable memory, which the host has to stage",
     [](const cause_case& found) {
       if (found.call.empty())
         return fmt::format("{} is of pageable memory, which the host has to stage", found.late);
       return host_clause(
           found,
           fmt::format("was kept inside {}, because that copy is of pageable memory and has to be staged",
                       found.call));
     },
     [](const cause_case&) -> std::string {
       return "Allocate that memory with cudaMallocHost, or pin it with cudaHostRegister.";
     }},
    {cause::memory_management, "memory_management", "allocating and freeing in between",
     "memory is allocated or freed between the work", memory_management_clause,
     [](const cause_case&) -> std::string {
       return "Allocate before the work begins, and free when all of it is over.";
     }},
    {cause::host_function, "host_function", "a host function blocks",
     "a host function delays work that does not need it",
     [](const cause_case& found) {
       if (found.behind.empty()) return fmt::format("{} delays work that does not need it", found.late);
       return fmt::format("{} could not start before {} returned", found.late, found.behind);
     },
     [](const cause_case&) -> std::string {
       return "Keep functions in streams short: let them wake a host thread that does the work, or put them into a "
              "stream of their own behind an event.";
     }},
    {cause::event_recorded_again, "event_recorded_again", "an event recorded again",
     "a stream waits for a later record of an event than it needs",
     [](const cause_case& found) {
       return wait_of(found) + " that was recorded again before the wait, so it waits for the later record";
     },
     [](const cause_case&) -> std::string {
       return "Use an event of its own for each record that a stream waits for.";
     }},
    {cause::event_recorded_late, "event_recorded_late", "an event recorded too late",
     "an event is recorded behind work that the waiting stream does not need", late_record_clause,
     [](const cause_case&) -> std::string {
       return "Record the event directly behind the operation that the waiting stream needs.";
     }},
    {cause::needless_wait, "needless_wait", "a wait for an event that nothing needs",
     "a stream waits for an event of which it needs nothing",
     [](const cause_case& found) {
       return wait_of(found) +
              ", although what is behind that wait needs nothing of what is before the record";
     },
     [](const cause_case&) -> std::string {
       return "Leave this wait out, or let the stream wait directly before the work that needs it.";
     }},
    {cause::shared_buffer, "shared_buffer", "one buffer for several chunks",
     "work waits to overwrite a buffer that other work uses",
     [](const cause_case& found) -> std::string {
       if (found.behind.empty()) return "";
       return fmt::format("{} has to wait for {}, because it overwrites a buffer that the other one uses",
                          found.late, found.behind);
     },
     [](const cause_case&) -> std::string {
       return "Let chunks that are under way at the same time use buffers of their own, in turn.";
     }},
    {cause::issue_order, "issue_order", "the order of issue",
     "in the order in which the work is issued, this GPU cannot overlap it",
     [](const cause_case& found) {
       if (found.behind.empty()) {
         return fmt::format(
             "in the order in which the work is issued, this GPU cannot overlap it: {} came too late",
             found.late);
       }
       return fmt::format("{} was ready, but the order of issue kept it behind {} in the queues of this GPU",
                          found.late, found.behind);
     },
     [](const cause_case& found) -> std::string {
       return found.cost.how.order == explain::issue_order::step_by_step
                  ? "Issue step by step: first all copies to the device, then all kernels, then all copies back."
                  : "Issue chunk by chunk: the copy to the device, the kernel and the copy back of one chunk, then "
                    "the next chunk.";
     }},
    {cause::shared_queue, "shared_queue", "more streams than work queues",
     "independent work shares a work queue of the GPU",
     [](const cause_case& found) -> std::string {
       if (found.behind.empty()) return "";
       return fmt::format(
           "{} was ready, but its stream shares a work queue of the GPU with that of {}, which was issued before it",
           found.late, found.behind);
     },
     [](const cause_case&) -> std::string {
       return "Use no more streams than the GPU has work queues, or set CUDA_DEVICE_MAX_CONNECTIONS (up to 32) "
              "before the first CUDA call.";
     }},
    {cause::no_room, "no_room", "kernels without room", "a kernel leaves no room for the blocks of others",
     [](const cause_case& found) {
       return fmt::format("{} was ready, but no multiprocessor had room for its blocks beside {}", found.late,
                          found.behind.empty() ? "the kernels that ran" : found.behind);
     },
     [](const cause_case&) -> std::string {
       return "Launch fewer blocks with more threads each, or with less shared memory, so that other kernels find "
              "room.";
     }},
    {cause::small_chunks, "small_chunks", "chunks too small",
     "the fixed costs of many small operations add up",
     [](const cause_case& found) {
       return fmt::format(
           "the work is cut into {} operations, and what each of them costs adds up; {} is one",
           found.cost.times, found.late);
     },
     [](const cause_case& found) {
       return fmt::format(
           "Make the chunks larger: about {} of them into one. Where that cannot be, capture what is repeated in a CUDA graph, "
           "which one call launches.",
           found.cost.how.joined);
     }},
    {cause::one_piece, "one_piece", "work in one piece",
     "the work is not cut into pieces that could overlap each other",
     [](const cause_case& found) {
       return fmt::format(
           "each step needs the result of the one before, and {} is in one piece: no other step on the same data can overlap "
           "with it",
           found.late);
     },
     [](const cause_case& found) {
       return fmt::format(
           "If the work can be divided, cut it into chunks (about {}) that take turns in several streams, with "
           "asynchronous copies.",
           found.cost.how.pieces);
     }},
    {cause::host_busy, "host_busy", "the host is busy elsewhere",
     "the host does something else before it issues",
     [](const cause_case& found) {
       return host_clause(found,
                          found.call.empty() ? "was busy with its own work" : "was busy in " + found.call);
     },
     [](const cause_case&) -> std::string {
       return "Issue the work first, then do what the host has to do. What it must do before it can issue a chunk, it can do "
              "while the device works on another one, or in another thread.";
     }},
};

static_assert(has_all_rows<&cause_row::cause>(rows, cause::host_busy));

const cause_row& row_of(cause cause) { return rows[static_cast<int>(cause)]; }

}  // namespace

std::string_view word_of(cause cause) { return row_of(cause).word; }

std::string_view heading_of(cause cause) { return row_of(cause).heading; }

std::string sentence_of(const trace::recording& recording, const explain::cause_cost& cost) {
  cause_case found{recording, cost, "", "", ""};
  if (cost.late != 0) found.late = in_words(recording, recording.operation_at(cost.late));
  if (cost.behind != 0) found.behind = in_words(recording, recording.operation_at(cost.behind));
  std::string place = recording.describe(cost.where);
  if (cost.call != 0) {
    const trace::host_call& call = recording.call_at(cost.call);
    const bool is_external = recording.is_external(call.where);
    found.call = is_external ? in_words(recording, call) : call_in_words(call);
    if (is_external && !place.empty()) place = "near " + place;
  }
  const cause_row& row = row_of(cost.cause);
  std::string clause = found.late.empty() && found.call.empty() ? "" : row.clause(found);
  if (clause.empty()) clause = row.general_clause;
  return capitalized(std::move(clause)) + (place.empty() ? "." : " (" + place + ").");
}

std::string cure_of(const trace::recording& recording, const explain::cause_cost& cost) {
  return row_of(cost.cause).cure({recording, cost, "", "", ""});
}

}  // namespace report
