#include "matchers/streams.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "matchers/words.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

using report::run_verdict;

bool is_in(const analysis::part& part, trace::call_id call) {
  return std::binary_search(part.calls.begin(), part.calls.end(), call);
}

verdict judge_streams(const run_facts& run) {
  std::size_t created = 0;
  std::vector<const trace::stream*> left;
  for (const trace::stream& stream : run.recording().streams) {
    if (stream.kind != trace::stream_kind::created || !is_in(run.part(), stream.created_by)) continue;
    ++created;
    if (!is_in(run.part(), stream.destroyed_by)) left.push_back(&stream);
  }
  if (created > 0 && left.empty()) return passed(fmt::format("{} created, {} destroyed", created, created));
  report::evidence why;
  why.required =
      "Your function creates streams, and destroys each of them before it returns, on every way out.";
  if (created == 0) {
    why.observation = "It created no stream.";
    why.read_next = "cudaStreamCreate in the section \"The calls\" in the README of the lesson.";
  } else {
    const trace::host_call& first = run.recording().call_at(left.front()->created_by);
    why.observation = fmt::format(
        "{} of the {} streams it created still existed when it returned. The first is stream {}, from {}.",
        left.size(), created, left.front()->id, in_words(run.recording(), first));
    why.where = run.recording().describe(first.where);
    why.read_next =
        "The page of cudaStreamDestroy in the CUDA Runtime API manual: it returns at once, and work still "
        "queued is completed.";
  }
  return failed(run_verdict::requirement_missed, why);
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
    why.observation = none_at_all(set);
    return failed(run_verdict::requirement_missed, why);
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
    why.observation +=
        fmt::format(" The stream comes from {}.", in_words(recording, recording.call_at(stream.created_by)));
  }
  why.where = place_of(recording, operation);
  return failed(run_verdict::requirement_missed, why,
                report::measurement{std::to_string(stream.priority), std::to_string(level)});
}

}  // namespace

matcher DestroysItsStreams() {
  return {"streams are created, and every one of them is destroyed", judge_streams};
}

matcher RunsAtPriority(operation_set operations, int level) {
  return {fmt::format("{} are in a stream of priority {}", operations.words, level),
          [operations, level](const run_facts& run) { return judge_priority(run, operations, level); }};
}

}  // namespace matchers
