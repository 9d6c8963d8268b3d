#include "matchers/errors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/misuse.h"
#include "matchers/facts/code_text.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/overwritten_handles.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/threads/left_threads.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "report/wording/misuse_sentences.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

using report::capitalized;
using report::mistake;
using report::run_verdict;

/// The last call before that one with the predicate; nullptr when there is none.
template <typename Predicate>
const trace::host_call* last_before(const trace::recording& recording, const trace::host_call& later,
                                    Predicate is_wanted) {
  for (trace::call_id id = later.id - 1; id > 0; --id) {
    if (is_wanted(recording.call_at(id))) return &recording.call_at(id);
  }
  return nullptr;
}

/// The call that destroyed the last executable graph; nullptr while one exists.
const trace::host_call* end_of_last_graph(const trace::recording& recording, const trace::host_call& later) {
  std::ptrdiff_t existing = 0;
  const trace::host_call* last = nullptr;
  for (const trace::host_call& call : recording.calls) {
    if (call.id >= later.id) break;
    if (call.error_code != 0) continue;
    const trace::call_effect effect = trace::effect_of(call);
    if (effect == trace::call_effect::instantiates_graph) ++existing;
    if (effect == trace::call_effect::destroys_instantiated_graph) {
      --existing;
      last = &call;
    }
  }
  return existing == 0 ? last : nullptr;
}

/// Adds the earlier call without which a call on a graph, or in a stream that captures, would not have been refused, where the
/// backend gave no reason.
void tell_of_graph(const trace::recording& recording, const trace::host_call& refused,
                   const std::string& reason, report::evidence& why) {
  const trace::host_call* cause = nullptr;
  constexpr int isolation = 905;  // cudaErrorStreamCaptureIsolation
  if (refused.error_code == isolation) {
    cause = last_before(recording, refused, [](const trace::host_call& call) {
      return trace::effect_of(call) == trace::call_effect::begins_capture && call.error_code == 0;
    });
    if (cause != nullptr && cause->stream != 0) {
      why.observation += fmt::format(
          " The capture began in {}: {}. Another stream takes part only once it waits for an event that is recorded in the capture.",
          report::stream_in_words(recording, cause->stream), in_words(recording, *cause));
    }
  } else if (reason.empty() && trace::effect_of(refused) == trace::call_effect::launches_graph) {
    cause = end_of_last_graph(recording, refused);
    if (cause != nullptr) {
      why.observation +=
          fmt::format(" {} had destroyed the last executable graph.", in_words(recording, *cause));
    }
  }
  const std::string place = cause == nullptr ? "" : recording.describe(cause->where);
  if (place.empty() || place == why.where) return;
  // What a capture refuses is often right in itself: the stream in which it began is not.
  why.where = refused.error_code == isolation ? place + ", " + why.where : why.where + ", " + place;
}

/// Of a stream that CUDA did not make: where it may come from, and how many the function was given, of those in an array.
void tell_of_unknown_stream(const trace::recording& recording, const trace::host_call& refused,
                            const std::string& reason, report::evidence& why) {
  if (refused.stream != 0 || reason.find("no stream") == std::string::npos) return;
  std::vector<std::string> members;
  for (const trace::stream& stream : recording.streams) {
    const bool is_known = std::find(members.begin(), members.end(), stream.name) != members.end();
    if (stream.name.find('[') != std::string::npos && stream.created_by < refused.id && !is_known)
      members.push_back(stream.name);
  }
  why.observation += " Mostly its variable was never set, or an index goes past the end of an array.";
  if (!members.empty()) {
    why.observation += fmt::format(" Your function was given {} such streams: `{}`.", members.size(),
                                   fmt::join(members, "`, `"));
  }
  why.read_next = "Where the variable of that stream gets its value, and which values each index can have.";
}

/// Of memory that is already registered: begins with the release of memory that was still registered, where there was one before.
void tell_of_registered_memory(const run_facts& run, const trace::host_call& refused, report::evidence& why) {
  constexpr int already_registered = 712;  // cudaErrorHostMemoryAlreadyRegistered
  const trace::diagnostic* const note =
      refused.error_code != already_registered
          ? nullptr
          : run.note(trace::diagnostic_kind::freed_while_registered, run.learner_calls_so_far());
  if (note == nullptr || note->call >= refused.id || note->earlier.is_known()) return;
  why.observation = fmt::format("{}. What is allocated later can have the same addresses: {}",
                                capitalized(note->message), why.observation);
  report::lead_first_to(why, run.recording().describe(note->where));
  why.read_next = "The page of cudaHostUnregister in the CUDA Runtime API manual.";
}

/// The call that made the node of a graph in which the device failed, launched by that call; nullptr when no graph was launched.
const trace::host_call* definition_of_node(const trace::recording& recording, trace::call_id launch) {
  const auto node = std::find_if(
      recording.operations.begin(), recording.operations.end(), [&](const trace::operation& one) {
        return one.issued_by == launch && one.graph_launch != 0 && one.defined_by != 0;
      });
  return launch == 0 || node == recording.operations.end() ? nullptr : &recording.call_at(node->defined_by);
}

/// What the function destroyed or freed although it had not made it.
struct foreign_release {
  trace::call_id by = 0;
  std::string object;
};

/// The first one in the calls of the function so far.
std::optional<foreign_release> released_what_it_was_given(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id> calls = run.learner_calls_so_far();
  // A function may be called in other parts as well: what its file destroys, it destroys.
  const auto is_own = [&](trace::call_id id) {
    const bool is_earlier = id != 0 && !calls.empty() && id <= calls.back();
    return std::binary_search(calls.begin(), calls.end(), id) ||
           (is_earlier && recording.is_own(recording.call_at(id).where));
  };
  std::optional<foreign_release> found;
  const auto look_at = [&](trace::call_id made, trace::call_id released, const auto& name) {
    if (made == 0 || is_own(made) || !is_own(released) || (found && found->by <= released)) return;
    found = {released, name()};
  };
  for (const trace::stream& one : recording.streams)
    look_at(one.created_by, one.destroyed_by, [&] { return report::stream_in_words(recording, one.id); });
  for (const trace::event& one : recording.events)
    look_at(one.created_by, one.destroyed_by, [] { return std::string("an event"); });
  for (const trace::allocation& one : recording.allocations)
    look_at(one.allocated_by, one.freed_by, [&] { return report::allocation_in_words(recording, one.id); });
  return found;
}

/// The learner's line where the memory was allocated that the call may not use so; "" when it was refused for another reason.
std::string origin_of_memory(const trace::recording& recording, const trace::host_call& refused) {
  for (const trace::diagnostic& note : recording.diagnostics) {
    if (note.kind == trace::diagnostic_kind::refused && note.call == refused.id)
      return recording.describe(note.earlier);
  }
  return "";
}

/// Of a copy or an allocation at that place whose size does not fit: the line from which it has the size, where that is one.
void tell_of_size(const run_facts& run, const std::string& place, report::evidence& why) {
  const std::string line = line_of_choice(run.source(), value_of::bytes, place);
  if (line.empty()) return;
  why.observation += fmt::format(" The number of bytes at {} is computed at {}.", place, line);
  why.where += ", " + line;
}

/// Of a copy at that place which begins outside of the memory, or ends there: the line that has moved its pointer before.
bool tell_of_moved_pointer(const run_facts& run, const std::string& place, report::evidence& why) {
  const auto moved = moved_twice_at(run.source(), place);
  if (!moved) return false;
  why.observation += fmt::format(" `{}` is moved by `{}` at {} already, and by the same again at {}.",
                                 moved->name, moved->added, moved->line, place);
  why.where += ", " + moved->line;
  return true;
}

/// A call that ended or begins the life of the memory that the device used when it was not there; nullptr when not known.
const trace::host_call* end_of_life(const trace::recording& recording, const trace::diagnostic& fault) {
  if (!fault.earlier.is_known()) return nullptr;
  const auto found =
      std::find_if(recording.calls.begin(), recording.calls.end(), [&](const trace::host_call& call) {
        return call.where.is_same_line(fault.earlier) && call.allocation != 0;
      });
  return found == recording.calls.end() ? nullptr : &*found;
}

/// The stream of all calls that the line makes on memory; 0 when they differ or have none.
trace::stream_id stream_of_line(const trace::recording& recording, const trace::host_call& one) {
  const bool is_same =
      std::all_of(recording.calls.begin(), recording.calls.end(), [&](const trace::host_call& call) {
        return !call.where.is_same_line(one.where) || call.allocation == 0 || call.stream == one.stream;
      });
  return is_same ? one.stream : 0;
}

/// Of memory that was freed in the default stream: that a non-blocking stream which uses it was not waited for; "" of others.
std::string why_not_behind(const trace::recording& recording, const trace::diagnostic& fault,
                           trace::stream_id freed_in) {
  if (fault.kind != trace::diagnostic_kind::use_after_free || fault.call == 0 || freed_in == 0) return "";
  const trace::stream_id used_in = recording.call_at(fault.call).stream;
  const bool is_exempt = recording.stream_at(freed_in).kind == trace::stream_kind::legacy_default &&
                         used_in != 0 &&
                         recording.stream_at(used_in).blocking == trace::stream_blocking::non_blocking;
  return is_exempt
             ? fmt::format(
                   " {} does not wait for {}, which is a non-blocking stream: free the memory in the stream that uses it last.",
                   capitalized(report::stream_in_words(recording, freed_in)),
                   report::stream_in_words(recording, used_in))
             : "";
}

/// The integers with which the call launched its kernel, in a sentence; "" when the recording has none.
std::string arguments_of_launch(const trace::recording& recording, trace::call_id launch) {
  for (const trace::operation& operation : recording.operations) {
    const bool is_launched = launch != 0 && operation.issued_by == launch && operation.integers;
    if (is_launched && !operation.integers->empty())
      return fmt::format(" That launch was given {}.", integers_in_words(recording, operation));
  }
  return "";
}

/// An integer of the launch that is larger than in the launch of that kernel before, as an offset that moves on, and another one, where
/// both are below the number of elements of the memory and their sum is above it, in a sentence; "" where there are no two, or more, and
/// where the size is not known.
std::string sum_beyond_the_end(const trace::recording& recording, const trace::diagnostic& fault) {
  const auto memory = std::find_if(
      recording.allocations.begin(), recording.allocations.end(), [&](const trace::allocation& one) {
        return one.allocated_by != 0 &&
               recording.call_at(one.allocated_by).where.is_same_line(fault.earlier) &&
               fault.message.ends_with(fmt::format(" an allocation of {} bytes", one.bytes));
      });
  const auto kernel = std::find_if(recording.operations.begin(), recording.operations.end(),
                                   [&](const trace::operation& one) {
                                     return fault.call != 0 && one.issued_by == fault.call && one.integers;
                                   });
  if (memory == recording.allocations.end() || kernel == recording.operations.end()) return "";
  const auto before =
      std::find_if(std::make_reverse_iterator(kernel), recording.operations.rend(),
                   [&](const trace::operation& one) { return one.name == kernel->name && one.integers; });
  const auto elements = static_cast<std::int64_t>(memory->bytes / sizeof(float));
  const std::vector<std::int64_t>& integers = *kernel->integers;
  if (before == recording.operations.rend() || before->integers->size() != integers.size()) return "";
  std::string found;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    for (std::size_t j = 0; j < integers.size() && before->integers->at(i) < integers[i]; ++j) {
      const bool are_in_it = i != j && integers[i] < elements && integers[j] > 0 && integers[j] < elements;
      if (!are_in_it || integers[i] + integers[j] <= elements) continue;
      if (!found.empty()) return "";
      found = fmt::format(" {} and {} make {}, and that memory has room for {} elements of 4 bytes.",
                          integer_in_words(recording, *kernel, i), integer_in_words(recording, *kernel, j),
                          integers[i] + integers[j], elements);
    }
  }
  return found;
}

/// In which earlier call of the function the launch was, in a sentence; "" when it was in the one that is judged.
std::string earlier_call_with(const run_facts& run, trace::call_id launch) {
  for (const auto& [call, answer] : run.earlier_answers()) {
    const run_facts earlier = run.of_part("learner").of_call(call);
    const std::vector<trace::call_id>& calls = earlier.part().calls;
    const std::string words = earlier.place_in_words();
    if (std::binary_search(calls.begin(), calls.end(), launch))
      return words.empty() ? "" : fmt::format(" It was made {}.", words);
  }
  return "";
}

/// Arguments that happened to work, although the manual calls what they ask for undefined.
verdict judge_arguments(const run_facts& run) {
  if (const trace::diagnostic* const note = run.note(trace::diagnostic_kind::wrong_copy_kind)) {
    return failed(
        run_verdict::requirement_missed, mistake::wrong_copy_kind,
        {"The kind of each copy is the direction in which it goes, and its devices are those of the memory.",
         capitalized(note->message) + ".", run.recording().describe(note->where),
         "The page of the call in the CUDA Runtime API manual: which argument is that of the source?"});
  }
  if (const trace::diagnostic* const note = run.note(trace::diagnostic_kind::stream_of_another_device)) {
    return failed(run_verdict::cuda_error, mistake::wrong_device,
                  {"A kernel is launched while the device of its stream is current.",
                   capitalized(note->message) + ".", run.recording().describe(note->where),
                   "cudaSetDevice in the CUDA Runtime API manual: which device is current at this launch?"});
  }
  if (const trace::diagnostic* const note = run.note(trace::diagnostic_kind::object_too_small)) {
    return failed(run_verdict::requirement_missed, mistake::object_too_small,
                  {"Each argument points to as many bytes as the call uses.",
                   capitalized(note->message) + ".", run.recording().describe(note->where),
                   "The type of each attribute on the page of the call in the CUDA Runtime API manual."});
  }
  return passed();
}

verdict judge_calls(const run_facts& run) {
  if (const auto release = released_what_it_was_given(run)) {
    const trace::host_call& call = run.recording().call_at(release->by);
    const std::vector<trace::host_call>& all = run.recording().calls;
    const bool has_failed_since = std::any_of(all.begin(), all.end(), [&](const trace::host_call& later) {
      return later.id > release->by && has_failed(later);
    });
    return failed(
        has_failed_since ? run_verdict::cuda_error : run_verdict::requirement_missed, mistake::wrong_release,
        {"Your function destroys and frees only what it made.",
         fmt::format("{} released {}, which your function was given.",
                     capitalized(in_words(run.recording(), call)), release->object),
         run.recording().describe(call.where), "What the contract says about who allocates and frees."});
  }
  const std::vector<trace::call_id> failing = failed_calls(run);
  if (failing.empty()) {
    return judge_arguments(run);
  }
  const trace::host_call& first = run.recording().call_at(failing.front());
  report::evidence why;
  why.required = "No CUDA call returns an error.";
  why.observation = fmt::format(
      "{} returned {} ({}), and the operation was not done.",
      trace::effect_of(first) == trace::call_effect::launches_kernel ? "A kernel launch" : name_of(first),
      trace::error_name_of(first), first.error_code);
  const std::string reason = report::reason_of_refusal(run.recording(), first.id);
  if (!reason.empty()) why.observation += " " + reason;
  if (failing.size() > 1) why.observation += fmt::format(" {} calls failed in all.", failing.size());
  lead_to(why, run.recording(), first.where);
  if (const std::string origin = origin_of_memory(run.recording(), first); !origin.empty())
    why.where += ", " + origin;
  constexpr int invalid_value = 1;  // cudaErrorInvalidValue
  if (first.error_code == invalid_value && !reason.empty()) {
    const std::string place = run.recording().describe(first.where);
    const bool begins_outside = reason.find("no allocation holds the address") != std::string::npos;
    if (!tell_of_moved_pointer(run, place, why) && !begins_outside) tell_of_size(run, place, why);
  }
  if (const trace::host_call* const end = analysis::destruction_before(run.recording(), first)) {
    const std::string place = run.recording().describe(end->where);
    const bool is_release = end->function == first.function;
    why.observation += fmt::format(
        " {}{} had destroyed {}.", name_of(*end),
        place.empty() ? "" : fmt::format(" ({})", report::place_and_callers(run.recording(), end->where)),
        is_release ? "it" : "what it uses");
    if (!place.empty() && place != why.where) why.where += ", " + place;
    add_callers(why, run.recording(), end->where);
    if (is_release && place == run.recording().describe(first.where) &&
        is_in_destructor(run.source(), name_of(first), static_cast<int>(first.where.line)))
      why.observation +=
          " That is a destructor, and two objects had the same handle: a copy of an object that owns one, such as a parameter by value, "
          "destroys it, too.";
  }
  if (const auto overwritten = overwriting_behind(run.recording(), first)) {
    why.observation += in_words(run.recording(), *overwritten);
    const std::string place = run.recording().describe(overwritten->by->where);
    report::lead_first_to(why, place);
  }
  tell_of_graph(run.recording(), first, reason, why);
  const trace::diagnostic* const fault = fault_of_the_device(run.recording());
  if (fault != nullptr && trace::is_sticky(first.error_code)) {
    why.observation =
        fmt::format("{}. A device that has failed refuses all that follows: from then on {} returned {}.",
                    capitalized(fault->message), failing.size() == 1 ? "the next call" : "each call",
                    trace::error_name_of(first));
    why.observation += report::failed_allocation_before(run.recording(), *fault);
    lead_to(why, run.recording(), fault->where);
    why.read_next = "The index that the kernel computes, and the sizes and pointers that its launch passes.";
    const trace::host_call* const made = definition_of_node(run.recording(), fault->call);
    if (made != nullptr) {
      why.observation += fmt::format(
          " It is in a graph, whose nodes keep the pointers with which they were made: the first of them by {}.",
          in_words(run.recording(), *made));
      why.read_next = "How long the executable graph is kept, and how long the memory that its nodes use.";
    }
    if (why.where.empty() && fault->call != 0) {
      const trace::host_call& launch = run.recording().call_at(fault->call);
      lead_to(why, run.recording(), launch.where);
      why.observation += fmt::format(" The kernel is that of {}.", in_words(run.recording(), launch));
      // The kernel is in no file of the learner.
      if (made == nullptr) {
        why.read_next = "The sizes and pointers that the launch passes";
        why.read_next += fault->kind == trace::diagnostic_kind::out_of_bounds
                             ? ", and the size of the memory in bytes."
                             : ".";
      }
    }
    if (made == nullptr) {
      const std::string arguments = arguments_of_launch(run.recording(), fault->call);
      why.observation += arguments + (arguments.empty() ? "" : earlier_call_with(run, fault->call));
    }
    if (const trace::host_call* const other = end_of_life(run.recording(), *fault);
        other != nullptr && made == nullptr) {
      const bool is_too_small = fault->kind == trace::diagnostic_kind::out_of_bounds;
      const trace::stream_id in = stream_of_line(run.recording(), *other);
      const std::vector<trace::call_id> own = run.learner_calls_so_far();
      const bool is_of_caller = !std::binary_search(own.begin(), own.end(), other->id);
      why.observation += fmt::format(
          " {} {} that memory{}.",
          is_of_caller ? "The caller of your function" : capitalized(in_words(run.recording(), *other)),
          fault->kind == trace::diagnostic_kind::use_after_free ? "freed" : "allocates",
          in == 0 || is_too_small ? "" : " in the order of " + report::stream_in_words(run.recording(), in));
      why.observation += why_not_behind(run.recording(), *fault, in);
      const std::string place = run.recording().describe(other->where);
      if (is_too_small) {
        if (!place.empty() && place != why.where) why.where += (why.where.empty() ? "" : ", ") + place;
        why.observation += sum_beyond_the_end(run.recording(), *fault);
        tell_of_size(run, place, why);
        return failed(run_verdict::cuda_error, mistake::failed_call, why);
      }
      report::lead_first_to(why, place);
      why.read_next =
          "Who uses memory has to come behind its allocation and ahead of its release: in the same stream, by an "
          "event, or by a wait of the host.";
    }
    return failed(run_verdict::cuda_error, mistake::failed_call, why);
  }
  why.read_next = fmt::format(
      "The page of {} in the CUDA Runtime API manual says what it needs. CUDA says nothing by itself: look at what a "
      "call returns, and at cudaGetLastError() after a launch.",
      name_of(first));
  tell_of_unknown_stream(run.recording(), first, reason, why);
  tell_of_registered_memory(run, first, why);
  return failed(run_verdict::cuda_error, mistake::failed_call, why);
}

/// Whether a kernel that does this makes the device fail.
bool ends_device(trace::diagnostic_kind kind) {
  using enum trace::diagnostic_kind;
  return kind == used_before_allocation || kind == use_after_free || kind >= deadlock;
}

}  // namespace

bool has_failed(const trace::host_call& call) {
  return call.error_code != 0 && call.error_code != trace::not_ready;
}

const trace::diagnostic* fault_of_the_device(const trace::recording& recording) {
  const bool is_failed =
      std::any_of(recording.calls.begin(), recording.calls.end(),
                  [](const trace::host_call& call) { return trace::is_sticky(call.error_code); });
  const auto& notes = recording.diagnostics;
  const auto fault = std::find_if(notes.begin(), notes.end(),
                                  [](const trace::diagnostic& note) { return ends_device(note.kind); });
  return !is_failed || fault == notes.end() ? nullptr : &*fault;
}

matcher HasNoFailedCalls() { return {"no CUDA call returned an error", judge_calls, reach::every_run}; }

}  // namespace matchers
