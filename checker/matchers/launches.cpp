#include "matchers/launches.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "matchers/words.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

verdict judge_block_size(const run_facts& run, std::int64_t threads, const operation_set& launched,
                         std::optional<std::int64_t> blocks) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : members(run.part(), launched)) {
    const trace::operation& kernel = recording.operation_at(id);
    const std::int64_t found = std::int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
    if (found == threads && (!blocks || kernel.grid[0] == *blocks)) continue;
    report::evidence why;
    why.required = blocks
                       ? fmt::format("The {} have {} blocks of {} threads.", launched.words, *blocks, threads)
                       : fmt::format("The blocks of the {} have {} threads.", launched.words, threads);
    why.observation = fmt::format("{} has blocks of {} threads, and {} of them.",
                                  report::capitalized(in_words(recording, kernel)), found, kernel.grid[0]);
    why.where = place_of(recording, kernel);
    why.read_next = "In kernel<<<blocks, threads>>> the number of blocks comes first.";
    return failed(report::run_verdict::requirement_missed, report::mistake::wrong_block_size, why);
  }
  return passed();
}

verdict judge_count(const run_facts& run, std::size_t required, const operation_set& launched) {
  const operation_ids found = members(run.part(), launched);
  if (found.size() == required) return passed();
  report::evidence why;
  why.required = fmt::format("Your function launches {} {}.", required, launched.words);
  if (found.empty()) {
    say_there_is_none(run, launched, why);
  } else {
    why.observation = fmt::format("It launched {}.", found.size());
    const trace::operation& last = run.recording().operation_at(found[std::min(found.size() - 1, required)]);
    why.observation += fmt::format(" The {} is {}.", found.size() > required ? "first beyond that" : "last",
                                   in_words(run.recording(), last));
    why.where = place_of(run.recording(), last);
  }
  why.read_next = "What the contract says about the kernels: each piece of work is computed once, on the GPU.";
  return failed(report::run_verdict::requirement_missed, report::mistake::launches_miscounted, why);
}

verdict judge_threads(const run_facts& run, std::size_t required, const operation_set& launched) {
  const trace::recording& recording = run.recording();
  const operation_ids operations = members(run.part(), launched);
  std::set<trace::thread_id> threads;
  for (const trace::operation_id id : operations) {
    const trace::call_id call = recording.operation_at(id).issued_by;
    if (call != 0) threads.insert(recording.call_at(call).thread);
  }
  if (threads.size() == required) return passed();
  report::evidence why;
  why.required = fmt::format("The {} are launched by {} host threads.", launched.words, required);
  why.observation = fmt::format(
      "{} launched them.", threads.size() == 1 ? "One thread" : std::to_string(threads.size()) + " threads");
  if (!operations.empty()) why.where = place_of(recording, recording.operation_at(operations.front()));
  why.read_next = "The contract of the lesson: how many threads it asks for in each call.";
  return failed(report::run_verdict::requirement_missed, report::mistake::plan_not_followed, why);
}

}  // namespace

matcher LaunchesBlocksOf(std::int64_t threads, operation_set launched, std::optional<std::int64_t> blocks) {
  return {fmt::format("the blocks of the {} have {} threads", launched.words, threads),
          [threads, launched = std::move(launched), blocks](const run_facts& run) {
            return judge_block_size(run, threads, launched, blocks);
          },
          reach::every_call};
}

matcher Launches(std::size_t times, operation_set launched) {
  return {fmt::format("{} {} are launched", times, launched.words),
          [times, launched = std::move(launched)](const run_facts& run) { return judge_count(run, times, launched); },
          reach::every_call};
}

matcher LaunchedByThreads(std::size_t threads, operation_set launched) {
  return {fmt::format("{} threads launch the {}", threads, launched.words),
          [threads, launched = std::move(launched)](const run_facts& run) {
            return judge_threads(run, threads, launched);
          },
          reach::every_call};
}

}  // namespace matchers
