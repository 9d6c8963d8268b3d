#include "matchers/streams.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "matchers/facts/overwritten_handles.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

bool is_in(const analysis::part& part, trace::call_id call) {
  return std::binary_search(part.calls.begin(), part.calls.end(), call);
}

/// What a part made of one kind, and which of it was left when the part ended.
template <typename Object>
struct made_and_left {
  std::size_t made = 0;
  std::vector<const Object*> left{};
  trace::call_id destroyed_by = 0;  ///< of the first that was destroyed

  made_and_left(const std::vector<trace::call_id>& calls, const std::vector<Object>& objects) {
    const auto is_in = [&](trace::call_id id) { return std::binary_search(calls.begin(), calls.end(), id); };
    for (const Object& object : objects) {
      if (!is_in(object.created_by)) continue;
      ++made;
      if (!is_in(object.destroyed_by)) {
        left.push_back(&object);
      } else if (destroyed_by == 0) {
        destroyed_by = object.destroyed_by;
      }
    }
  }
  bool is_clean() const { return made > 0 && left.empty(); }
  std::string all_destroyed() const { return fmt::format("{} created, {} destroyed", made, made); }
};

/// Of the part; where it made none, what it kept of its earlier calls.
template <typename Object>
made_and_left<Object> kept_or_made(const run_facts& run, const std::vector<Object>& objects) {
  const made_and_left of_part(run.part().calls, objects);
  if (of_part.made > 0) return of_part;
  std::vector<trace::call_id> calls = run.part().calls;
  for (const auto& [call, answer] : run.earlier_answers()) {
    const run_facts earlier = run.of_call(call);
    calls.insert(calls.begin(), earlier.part().calls.begin(), earlier.part().calls.end());
  }
  const made_and_left so_far(calls, objects);
  return so_far.left.empty() ? of_part : so_far;
}

/// Leads to where the first of those left over was made, and to where others were destroyed.
template <typename Object>
void lead_to_left_over(const run_facts& run, const made_and_left<Object>& objects, report::evidence& why) {
  const trace::recording& recording = run.recording();
  std::vector places{recording.call_at(objects.left.front()->created_by).where};
  const auto overwritten = overwriting_of(recording, *objects.left.front());
  if (overwritten && overwritten->by->id <= run.part().calls.back()) {
    why.observation += fmt::format(
        " {} put another into the same variable: without a copy of its handle nobody can destroy it.",
        report::capitalized(in_words(recording, *overwritten->by)));
    places.push_back(overwritten->by->where);
  } else if (objects.destroyed_by != 0) {
    const trace::host_call& other = run.recording().call_at(objects.destroyed_by);
    why.observation +=
        fmt::format(" Of the others, the first is destroyed by {}.", in_words(run.recording(), other));
    places.push_back(other.where);
  }
  lead_to(why, run.recording(), places);
}

/// Of a function that made nothing of a kind: why there is no line.
std::string_view no_call_at_all(const run_facts& run) {
  return calls_nothing(run) ? " It returned before any call of CUDA." : "";
}

verdict judge_events(const run_facts& run, const std::string& function) {
  const made_and_left events = kept_or_made(run, run.recording().events);
  if (events.is_clean()) return passed(events.all_destroyed());
  report::evidence why;
  why.required =
      report::capitalized(function) + " makes events, and destroys each of them before it returns.";
  if (events.made == 0) {
    why.observation = fmt::format("{} made no event.{}", report::capitalized(function), no_call_at_all(run));
    why.read_next = "cudaEventCreate in the section \"The calls\" in the lesson's text.";
    return failed(run_verdict::requirement_missed, mistake::no_event, why);
  }
  const trace::host_call& first = run.recording().call_at(events.left.front()->created_by);
  why.observation =
      fmt::format("{} of the {} events that {} made still existed when it returned. The first comes from {}.",
                  events.left.size(), events.made, function, in_words(run.recording(), first));
  lead_to_left_over(run, events, why);
  why.read_next =
      "The page of cudaEventDestroy in the CUDA Runtime API manual: waits that are queued already stay valid.";
  return failed(run_verdict::requirement_missed, mistake::event_left_over, why);
}

verdict judge_streams(const run_facts& run) {
  const made_and_left streams = kept_or_made(run, run.recording().streams);
  if (streams.is_clean()) return passed(streams.all_destroyed());
  // On a way out before all calls there is none to destroy, where it creates them on another.
  const bool creates_some = made_and_left(run.learner_calls_so_far(), run.recording().streams).made > 0;
  if (creates_some && streams.made == 0 && calls_nothing(run))
    return passed("none created before it returned");
  report::evidence why;
  why.required =
      "Your function creates streams, and destroys each of them before it returns, on every way out.";
  if (streams.made == 0) {
    why.observation = fmt::format("It created no stream.{}", no_call_at_all(run));
    why.read_next = "cudaStreamCreate in the section \"The calls\" in the lesson's text.";
    return failed(run_verdict::requirement_missed, mistake::no_stream, why);
  }
  const trace::stream& left = *streams.left.front();
  const trace::host_call& first = run.recording().call_at(left.created_by);
  why.observation =
      fmt::format("{} of the {} streams it created still existed when it returned. The first is {}, from {}.",
                  streams.left.size(), streams.made, report::stream_in_words(run.recording(), left.id),
                  in_words(run.recording(), first));
  lead_to_left_over(run, streams, why);
  if (const std::string failure = failure_of_call(run, trace::call_effect::launches_kernel); !failure.empty())
    why.observation +=
        fmt::format(" That was in a call in which {}: every way out after it has to destroy them.", failure);
  name_unreached_call(run, trace::call_effect::destroys_stream, why);
  why.read_next =
      "The page of cudaStreamDestroy in the CUDA Runtime API manual: it returns at once, and work still "
      "queued is completed.";
  return failed(run_verdict::requirement_missed, mistake::stream_left_over, why);
}

/// Of a stream that should have the greatest priority: that no call asked for the range, or, where it has the least, 0, which
/// end of the range a call before stored through which argument; "" when neither is so.
std::string order_of_range(const run_facts& run, const trace::host_call& made, const trace::stream& stream,
                           int greatest) {
  const trace::recording& recording = run.recording();
  const trace::host_call* question = nullptr;
  for (const trace::host_call& call : recording.calls) {
    const bool is_question = trace::effect_of(call) == trace::call_effect::asks_about_priorities;
    if (call.id < made.id && is_question && recording.is_own(call.where) && call.error_code == 0)
      question = &call;
  }
  if (question == nullptr)
    return fmt::format(" None of your calls before it asks what the greatest priority of the device is: {}.",
                       greatest);
  if (stream.priority != 0) return "";
  return fmt::format(
      " {} stores the least priority, 0, through its first argument, and the greatest, {}, through its second.",
      report::capitalized(in_words(recording, *question)), greatest);
}

verdict judge_priority(const run_facts& run, const operation_set& set, int level) {
  const trace::recording& recording = run.recording();
  report::evidence why;
  why.required = fmt::format("The {} are in a stream of priority {} on this device.", set.words, level);
  why.read_next =
      "cudaDeviceGetStreamPriorityRange in the manual: which of its two numbers is the urgent one, and what a "
      "number outside the range becomes.";
  const operation_ids operations = members(run.part(), set);
  if (operations.empty()) {
    say_there_is_none(run, set, why);
    return failed(run_verdict::requirement_missed, mistake::no_kernels, why);
  }
  const auto stream_of = [&](trace::operation_id id) -> const trace::stream& {
    return recording.stream_at(recording.operation_at(id).stream);
  };
  const auto stray = std::find_if(operations.begin(), operations.end(),
                                  [&](auto id) { return stream_of(id).priority != level; });
  if (stray == operations.end()) {
    return passed(fmt::format("priority {}", level),
                  report::measurement{std::to_string(level), std::to_string(level)});
  }
  const trace::operation& operation = recording.operation_at(*stray);
  const trace::stream& stream = stream_of(*stray);
  why.observation = fmt::format("{} has priority {}.", report::capitalized(in_words(recording, operation)),
                                stream.priority);
  if (stream.created_by != 0) {
    const trace::host_call& made = recording.call_at(stream.created_by);
    why.observation += fmt::format(" The stream comes from {}.", in_words(recording, made));
    lead_to(why, recording, made.where);
    if (level < 0) why.observation += order_of_range(run, made, stream, level);
  }
  if (why.where.empty()) lead_to(why, recording, operation);
  return failed(run_verdict::requirement_missed, mistake::wrong_priority, why,
                report::measurement{std::to_string(stream.priority), std::to_string(level)});
}

verdict judge_default_stream(const run_facts& run) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& operation = recording.operation_at(id);
    const trace::stream& stream = recording.stream_at(operation.stream);
    if (!is_in(run.part(), stream.created_by) || stream.blocking == trace::stream_blocking::non_blocking)
      continue;
    const trace::host_call& made = recording.call_at(stream.created_by);
    report::evidence why;
    why.required = "No stream that your function creates waits for the default stream.";
    why.observation = fmt::format(
        "{} is in a blocking stream, from {}: it waits for the default stream, and the default stream for it.",
        report::capitalized(in_words(recording, operation)), in_words(recording, made));
    lead_to(why, recording, made.where);
    why.read_next = "cudaStreamNonBlocking in the section \"The idea\" in the lesson's text.";
    return failed(run_verdict::requirement_missed, mistake::blocking_stream, why);
  }
  return passed();
}

/// The first copy, memset or kernel of the part in a stream for which that holds; nullptr when there is none.
template <typename Holds>
const trace::operation* first_in_stream(const run_facts& run, Holds holds) {
  for (const trace::operation_id id : members(run.part(), device_work())) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (holds(run.recording().stream_at(operation.stream))) return &operation;
  }
  return nullptr;
}

verdict judge_given_streams(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id> calls = run.learner_calls_so_far();
  const trace::operation* const stray = first_in_stream(run, [&](const trace::stream& stream) {
    return std::binary_search(calls.begin(), calls.end(), stream.created_by);
  });
  if (stray == nullptr) return passed();
  const trace::host_call& made = recording.call_at(recording.stream_at(stray->stream).created_by);
  report::evidence why;
  why.required = "The work is in the streams that your function is given.";
  why.observation = fmt::format("{} is in a stream that your function made, in {}.",
                                report::capitalized(in_words(recording, *stray)), in_words(recording, made));
  lead_to(why, recording, *stray);
  why.read_next = "What the contract says about streams.";
  return failed(run_verdict::requirement_missed, mistake::stream_of_its_own, why);
}

verdict judge_legacy_stream(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const trace::operation* const stray = first_in_stream(
      run, [](const trace::stream& stream) { return stream.kind == trace::stream_kind::legacy_default; });
  if (stray == nullptr) return passed();
  report::evidence why;
  why.required = "No work is in the legacy default stream, for which all threads wait.";
  why.observation = fmt::format("{} waits for the streams of all threads, and they wait for it.",
                                report::capitalized(in_words(recording, *stray)));
  lead_to(why, recording, *stray);
  tell_of_created_streams(run, *stray, why);
  why.read_next = "The section \"The surprise\" in the lesson's text.";
  return failed(run_verdict::requirement_missed, mistake::legacy_stream, why);
}

verdict judge_streams_in_use(const run_facts& run, std::size_t required, const std::string& chooser) {
  const trace::recording& recording = run.recording();
  std::set<trace::stream_id> used;
  const operation_ids work = members(run.part(), device_work());
  for (const trace::operation_id id : work) used.insert(recording.operation_at(id).stream);
  const report::measurement measured{std::to_string(used.size()), std::to_string(required)};
  if (used.size() == required) return passed(fmt::format("{} streams", required), measured);
  report::evidence why;
  why.required = fmt::format("The work is in {} {}.", required, required == 1 ? "stream" : "streams");
  why.observation = fmt::format("It was in {}.", used.size());
  if (!work.empty()) lead_to(why, recording, recording.operation_at(work.front()));
  const trace::operation* const stray = first_in_stream(
      run, [](const trace::stream& stream) { return stream.kind != trace::stream_kind::created; });
  if (stray != nullptr) {
    why.observation +=
        fmt::format(" One of them is a default stream: that of {}.", in_words(recording, *stray));
    lead_to(why, recording, *stray);
    tell_of_created_streams(run, *stray, why);
  } else if (!chooser.empty() && run.answer().integer(chooser) == static_cast<std::int64_t>(used.size())) {
    why.observation += fmt::format(
        " That is the number that {}() returned in this call, and your function was given another.", chooser);
  }
  why.read_next = "What the contract says about the number of streams.";
  why.values = lines_of_values(run.source(), value_of::stream, why);
  if (stray == nullptr) lead_to_choice(run.source(), value_of::stream, "stream", why);
  return failed(run_verdict::requirement_missed, mistake::plan_not_followed, why, measured);
}

}  // namespace

matcher DestroysItsEvents(std::string function) {
  return {"events are made, and every one of them is destroyed",
          [function](const run_facts& run) { return judge_events(run, function); }, reach::every_call};
}

matcher UsesStreams(std::string number, std::string chooser) {
  return {"the work is in as many streams as " + number + " says",
          [number, chooser](const run_facts& run) {
            return judge_streams_in_use(run, static_cast<std::size_t>(run.answer().integer(number)), chooser);
          },
          reach::every_call};
}

matcher WaitsForNoDefaultStream() {
  return {"no stream of its own waits for the default stream", judge_default_stream, reach::every_call};
}

matcher UsesTheStreamsItIsGiven() {
  return {"the work is in the streams that were given", judge_given_streams, reach::every_call};
}

matcher KeepsOutOfTheLegacyStream() {
  return {"no work is in the legacy default stream", judge_legacy_stream, reach::every_call};
}

matcher DestroysItsStreams() {
  return {"streams are created, and every one of them is destroyed", judge_streams, reach::every_call};
}

matcher RunsAtPriority(operation_set operations, std::string level) {
  return {fmt::format("{} are in a stream of the priority answered as {}", operations.words, level),
          [operations, level](const run_facts& run) {
            return judge_priority(run, operations, static_cast<int>(run.answer().integer(level)));
          },
          reach::every_call};
}

}  // namespace matchers
