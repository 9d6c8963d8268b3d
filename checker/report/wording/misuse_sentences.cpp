#include "report/wording/misuse_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "analysis/places.h"
#include "report/enum_table.h"
#include "report/wording/names.h"
#include "report/wording/place_text.h"
#include "trace/call_promise.h"
#include "trace/words.h"

namespace report {
namespace {

using analysis::misuse;
using analysis::misuse_kind;

struct title_row {
  misuse_kind kind;
  std::string_view title;
};

constexpr title_row titles[] = {
    {misuse_kind::reported_by_backend, "The program does what CUDA does not allow"},
    {misuse_kind::freed_while_in_use, "Memory is freed while it is in use"},
    {misuse_kind::used_after_destruction, "A destroyed event is used"},
    {misuse_kind::unrecorded_event, "A wait for an event that is never recorded"},
    {misuse_kind::no_time_between_events, "No time between two events"},
    {misuse_kind::failed_release, "Memory cannot be freed"},
    {misuse_kind::unchecked_error, "The error of a failed call is not checked"},
    {misuse_kind::stream_leak, "A stream is never destroyed"},
    {misuse_kind::event_leak, "An event is never destroyed"},
    {misuse_kind::graph_leak, "A graph is never destroyed"},
    {misuse_kind::registration_leak, "Memory is never unregistered"},
    {misuse_kind::memory_leak, "Memory is never freed"},
};
static_assert(has_all_rows<&title_row::kind>(titles, misuse_kind::memory_leak));

class misuse_text {
 public:
  misuse_text(const trace::recording& recording, const misuse& misuse)
      : recording_(recording), misuse_(misuse) {}

  std::string text() const {
    switch (misuse_.kind) {
      case misuse_kind::reported_by_backend:
        return as_sentence(recording_.diagnostics.at(misuse_.diagnostic).message) + other_place() +
               failed_allocation_before(recording_, recording_.diagnostics.at(misuse_.diagnostic)) +
               order_of_release() + times();
      case misuse_kind::freed_while_in_use: {
        const trace::operation& operation = recording_.operation_at(misuse_.operation);
        const bool is_stream_ordered =
            trace::is_stream_ordered(recording_, recording_.allocation_at(misuse_.allocation));
        return fmt::format(
            "{} {} {} while {}{} may still use it. {}{} wait for {} first (cudaStreamSynchronize).{}", call(),
            trace::effect_of(recording_.call_at(misuse_.call)) == trace::call_effect::unregisters_memory
                ? "unpins"
                : "frees",
            allocation_in_words(recording_, misuse_.allocation),
            in_words(recording_, operation) +
                in_parentheses(recording_, analysis::place_of_operation(recording_, operation.id)),
            misuse_.streams.size() > 1 ? ", and work in other streams," : "",
            end_of_staged_copy_in_words(recording_, operation),
            is_stream_ordered
                ? std::string(
                      "Memory of cudaMallocAsync is freed at once by that call: use cudaFreeAsync in the stream "
                      "of its last use, or")
                : fmt::format("{} may wait for the device, but CUDA does not promise that:",
                              name_of(recording_.call_at(misuse_.call))),
            streams_in_use(), times());
      }
      case misuse_kind::used_after_destruction:
        return use_after_destruction() + times();
      case misuse_kind::unrecorded_event:
        return call() +
               " waits for an event that the program never records. CUDA reports no error: such a wait has no "
               "effect. Record the event (cudaEventRecord) after the work that the wait is for." +
               times();
      case misuse_kind::no_time_between_events: {
        const std::string reason = reason_of_refusal(recording_, misuse_.call);
        return fmt::format(
            "{} cannot measure a time ({}). {}Record both events, and wait for the second one (cudaEventSynchronize) "
            "before you ask.{}",
            call(), trace::error_name_of(recording_.call_at(misuse_.call)),
            reason.empty() ? "" : reason + " ", times());
      }
      case misuse_kind::failed_release: {
        const std::string reason = reason_of_refusal(recording_, misuse_.call);
        return fmt::format(
            "{} failed with {}. {}Free memory once, by the function that belongs to the one that made it.{}",
            call(), trace::error_name_of(recording_.call_at(misuse_.call)),
            reason.empty() ? "" : reason + " ", times());
      }
      case misuse_kind::unchecked_error:
        return failure() + times();
      case misuse_kind::stream_leak:
        return leak("created", "a stream", "released", "cudaStreamDestroy");
      case misuse_kind::event_leak:
        return leak("created", "an event", "released", "cudaEventDestroy");
      case misuse_kind::graph_leak:
        return fmt::format("{} created {}.{}", call(), recording_.diagnostics.at(misuse_.diagnostic).message,
                           times());
      case misuse_kind::registration_leak:
        return leak("registered", "memory", "unregistered", "cudaHostUnregister");
      case misuse_kind::memory_leak:
        return leak("allocated", "memory", "freed", release());
    }
    throw std::logic_error("a kind of misuse without a sentence");
  }

 private:
  std::string call() const { return capitalized(in_words(recording_, recording_.call_at(misuse_.call))); }
  std::string times() const {
    return misuse_.times == 1 ? "" : fmt::format(" This happened {} times on this line.", misuse_.times);
  }

  /// "stream 1", "each of stream 1 and stream 2".
  std::string streams_in_use() const {
    std::vector<std::string> names;
    for (const trace::stream_id stream : misuse_.streams)
      names.push_back(stream_in_words(recording_, stream));
    if (names.empty()) return stream_in_words(recording_, recording_.operation_at(misuse_.operation).stream);
    if (names.size() == 1) return names.front();
    return fmt::format("each of {} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
  }

  std::string other_place() const {
    const trace::diagnostic& note = recording_.diagnostics.at(misuse_.diagnostic);
    const bool is_release = note.kind == trace::diagnostic_kind::use_after_free ||
                            note.kind == trace::diagnostic_kind::host_used_freed_memory;
    const char* const place = is_release                                                ? "The release"
                              : note.kind == trace::diagnostic_kind::shared_memory_race ? "The other access"
                              : note.kind == trace::diagnostic_kind::barrier_mismatch   ? "The other barrier"
                                                                                        : "The allocation";
    return note.earlier.is_known() ? fmt::format(" {}: {}.", place, recording_.describe(note.earlier)) : "";
  }

  /// Of memory that a stream released while another still had to use it: how the release comes after that; "" of other misuse.
  std::string order_of_release() const {
    const trace::diagnostic& note = recording_.diagnostics.at(misuse_.diagnostic);
    if (note.kind != trace::diagnostic_kind::use_after_free || note.call == 0 || !note.earlier.is_known())
      return "";
    std::set<trace::stream_id> streams;
    for (const trace::host_call& call : recording_.calls) {
      if (!call.where.is_same_line(note.earlier) || trace::effect_of(call) != trace::call_effect::frees)
        continue;
      if (call.operation == 0 || call.id < note.call) return "";
      streams.insert(recording_.operation_at(call.operation).stream);
    }
    const trace::stream_id used_in = recording_.call_at(note.call).stream;
    if (streams.size() != 1 || used_in == 0 || *streams.begin() == used_in) return "";
    const std::string freed_in = stream_in_words(recording_, *streams.begin());
    return fmt::format(
        " It was queued later, but {} does not wait for {}: record an event behind the last use (cudaEventRecord), and let {} wait for it "
        "before the release (cudaStreamWaitEvent).",
        freed_in, stream_in_words(recording_, used_in), freed_in);
  }

  std::string leak(std::string_view made, std::string_view object, std::string_view ended,
                   std::string_view cure) const {
    const bool is_one = misuse_.times == 1;
    return fmt::format("{} {} {}{} that is never {}: call {}{}.", call(), made, object,
                       is_one ? "" : fmt::format(" {} times", misuse_.times), ended, cure,
                       is_one ? "" : " for each");
  }

  /// The function that frees the memory.
  std::string_view release() const {
    const trace::allocation& allocation = recording_.allocation_at(misuse_.allocation);
    return allocation.kind == trace::memory_kind::pinned ? "cudaFreeHost" : "cudaFree";
  }

  std::string failure() const {
    const trace::host_call& failed = recording_.call_at(misuse_.call);
    const std::string reason = reason_of_refusal(recording_, failed.id);
    const std::string consequence =
        misuse_.went_on == 0 ? "The program never checks the error"
                             : fmt::format("The program continued with {} as if the call had succeeded",
                                           in_words(recording_, recording_.call_at(misuse_.went_on)));
    return fmt::format(
        "{} failed with {} ({}). {}{}: look at what each call returns, and at cudaGetLastError() after a launch.",
        call(), trace::error_name_of(failed), failed.error_code, reason.empty() ? "" : reason + " ",
        consequence);
  }

  std::string use_after_destruction() const {
    const bool is_stream = misuse_.stream != 0;
    const trace::call_id destroyed_by = is_stream ? recording_.stream_at(misuse_.stream).destroyed_by
                                                  : recording_.event_at(misuse_.event).destroyed_by;
    const trace::host_call& end = recording_.call_at(destroyed_by);
    const bool is_same_line = end.where.is_same_line(recording_.call_at(misuse_.call).where);
    return fmt::format(
        "{} uses {} after {} had destroyed it. On a GPU the effect is undefined: destroy it after its last use.",
        call(), is_stream ? stream_in_words(recording_, misuse_.stream) : "an event",
        is_same_line && end.where.callers != 0
            ? fmt::format("{} ({})", name_of(end), place_and_callers(recording_, end.where))
            : in_words(recording_, end));
  }

  const trace::recording& recording_;
  const misuse& misuse_;
};

constexpr int unjoined = 904;  // cudaErrorStreamCaptureUnjoined

/// What the calls of a capture have queued and ordered, as far as the recording knows: its nodes are no operations.
class replayed_capture {
 public:
  /// The capture that the call tries to end.
  replayed_capture(const trace::recording& recording, const trace::host_call& end)
      : recording_(recording), origin_(end.stream) {
    const auto is_begin = [&](const trace::host_call& call) {
      return call.id < end.id && call.stream == origin_ && call.error_code == 0 &&
             trace::effect_of(call) == trace::call_effect::begins_capture;
    };
    const auto begin = std::find_if(recording.calls.rbegin(), recording.calls.rend(), is_begin);
    if (begin == recording.calls.rend()) return;
    ends_[origin_];
    for (trace::call_id id = begin->id + 1; id < end.id; ++id) replay(recording.call_at(id));
  }

  /// Which streams were not joined, and for what the first one waits instead; "" when all are.
  std::string text() const {
    const auto first = ends_.find(origin_);
    if (first == ends_.end()) return "";
    const std::string origin = stream_in_words(recording_, origin_);
    std::vector<trace::stream_id> unjoined;
    std::vector<std::string> streams, operations;
    for (const auto& [stream, end] : ends_) {
      const auto last = end.find(stream);
      const auto joined = first->second.find(stream);
      if (last == end.end() || (joined != first->second.end() && joined->second >= last->second)) continue;
      unjoined.push_back(stream);
      streams.push_back(stream_in_words(recording_, stream));
      operations.push_back(in_words(recording_, recording_.call_at(last->second)));
    }
    if (unjoined.empty()) return "";
    const bool is_one = unjoined.size() == 1;
    const std::string text = fmt::format(
        "{} took part in the capture and {} not joined: {}, in which it began, has to wait for {} recorded behind the last "
        "operation {}, {}.",
        capitalized(fmt::format("{}", fmt::join(streams, " and "))), is_one ? "was" : "were", origin,
        is_one ? "an event that is" : "events that are", is_one ? "there" : "of each",
        fmt::join(operations, " and "));
    if (last_wait_ == 0) return text;
    const trace::host_call& record = recording_.call_at(last_record_);
    const bool has_more = std::find(unjoined.begin(), unjoined.end(), record.stream) != unjoined.end();
    return text +
           fmt::format(" The last event for which {} waits, that of {}, was recorded in {}: {}.{}", origin,
                       in_words(recording_, recording_.call_at(last_wait_)),
                       stream_in_words(recording_, record.stream), in_words(recording_, record),
                       has_more
                           ? " It stands for what was queued there before that, and not for what came after."
                           : "");
  }

 private:
  /// By stream, the last call whose work is done before.
  using progress = std::map<trace::stream_id, trace::call_id>;

  void replay(const trace::host_call& call) {
    if (call.error_code != 0) return;
    using enum trace::call_effect;
    const auto own = ends_.find(call.stream);
    switch (trace::effect_of(call)) {
      case records_event:
        records_.erase(call.event);
        if (own != ends_.end()) records_[call.event] = {call.id, own->second};
        break;
      case waits_for_event: {
        const auto record = records_.find(call.event);
        if (record == records_.end()) break;
        if (call.stream == origin_) {
          last_record_ = record->second.first;
          last_wait_ = call.id;
        }
        progress& end = ends_[call.stream];
        for (const auto& [stream, last] : record->second.second) end[stream] = std::max(end[stream], last);
        break;
      }
      case launches_kernel:
      case copies:
      case sets_memory:
      case queues_host_function:
      case allocates:
      case frees:
        if (own != ends_.end()) own->second[call.stream] = call.id;
        break;
      default:
        break;
    }
  }

  const trace::recording& recording_;
  const trace::stream_id origin_;
  std::map<trace::stream_id, progress> ends_;
  std::map<trace::event_id, std::pair<trace::call_id, progress>> records_;
  trace::call_id last_wait_ = 0;    // of the first stream
  trace::call_id last_record_ = 0;  // for which that waits
};

// What these codes mean does not depend on the function that returns them.
constexpr std::pair<int, std::string_view> capture_errors[] = {
    {900,
     "While a stream captures, nothing of it runs: the call would have to wait for it, or cannot become a node of the graph."},
    {901, "A call that is not allowed during a capture had invalidated it."},
    {905,
     "The call would make an order between the capture and work outside of it: an event of the one cannot be waited for in "
     "the other."},
    {906, "The call would let a capture depend on the default stream, which cannot be captured."},
    {907,
     "The event was recorded last in a capture: it stands for a node of a graph, and outside of the graph nobody can wait "
     "for it."},
};

}  // namespace

std::string_view title_of(const trace::recording& recording, const misuse& misuse) {
  if (misuse.kind == misuse_kind::reported_by_backend &&
      recording.diagnostics.at(misuse.diagnostic).kind == trace::diagnostic_kind::assertion)
    return "An assertion of a kernel failed";
  if (misuse.kind == misuse_kind::used_after_destruction && misuse.stream != 0)
    return "A destroyed stream is used";
  return titles[static_cast<int>(misuse.kind)].title;
}

std::string misuse_sentences(const trace::recording& recording, const misuse& misuse) {
  return misuse_text(recording, misuse).text();
}

std::string failed_allocation_before(const trace::recording& recording, const trace::diagnostic& fault) {
  if (fault.kind != trace::diagnostic_kind::null_pointer) return "";
  const auto found =
      std::find_if(recording.calls.rbegin(), recording.calls.rend(), [&](const trace::host_call& call) {
        return (fault.call == 0 || call.id < fault.call) && call.error_code != 0 &&
               trace::effect_of(call) == trace::call_effect::allocates && !trace::is_sticky(call.error_code);
      });
  if (found == recording.calls.rend()) return "";
  return fmt::format(" Before that, {} returned {} ({}) and gave no memory.", in_words(recording, *found),
                     trace::error_name_of(*found), found->error_code);
}

std::string reason_of_refusal(const trace::recording& recording, trace::call_id call) {
  const auto& diagnostics = recording.diagnostics;
  const auto refusal =
      std::find_if(diagnostics.begin(), diagnostics.end(), [&](const trace::diagnostic& diagnostic) {
        return diagnostic.call == call && diagnostic.kind == trace::diagnostic_kind::refused;
      });
  if (refusal != diagnostics.end()) {
    const std::string origin = recording.describe(refusal->earlier);
    const std::string because = as_sentence(refusal->message);
    if (origin.empty()) return because;
    // Other calls may share the line: those that fail, give the device work, or wait for it, make and destroy nothing.
    const auto is_origin = [&](const trace::host_call& earlier) {
      return earlier.where == refusal->earlier && earlier.id != call && earlier.error_code == 0 &&
             (earlier.allocation != 0 ||
              (earlier.operation == 0 && trace::effect_of(earlier) != trace::call_effect::synchronizes));
    };
    const auto made = std::find_if(recording.calls.rend() - call, recording.calls.rend(), is_origin);
    const bool is_question =
        made != recording.calls.rend() && trace::effect_of(*made) == trace::call_effect::asks_about_peer;
    if (is_question)
      return fmt::format(
          "{} {} was asked: its answer is the number at which its first argument points, 0, not what it returns.",
          because, capitalized(in_words(recording, *made)));
    if (made != recording.calls.rend() && made->allocation == 0)
      return fmt::format("{} {} had destroyed it.", because, capitalized(in_words(recording, *made)));
    const bool is_registered =
        made != recording.calls.rend() && trace::effect_of(*made) == trace::call_effect::registers_memory;
    return fmt::format("{} The memory was {} at {}.", because, is_registered ? "registered" : "allocated",
                       origin);
  }
  if (recording.call_at(call).error_code == unjoined) {
    const std::string known = replayed_capture(recording, recording.call_at(call)).text();
    return known.empty()
               ? "A stream that took part in the capture was not joined: the stream in which it began has to wait for "
                 "an event that is recorded behind the last operation there."
               : known;
  }
  for (const auto& [code, meaning] : capture_errors) {
    if (code == recording.call_at(call).error_code) return std::string(meaning);
  }
  return "";
}

}  // namespace report
