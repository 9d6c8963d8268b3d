#include "matchers/launches.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "matchers/facts/learner_code.h"
#include "matchers/facts/stages.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
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
    lead_to(why, recording, kernel);
    const bool is_exchanged = found != threads && kernel.grid[0] == threads;
    why.read_next = is_exchanged       ? "In kernel<<<blocks, threads>>> the number of blocks comes first."
                    : found != threads ? "The lesson's header: how many threads a block of this kernel has."
                                       : "The lesson's header: how many blocks a launch of this kernel has.";
    return failed(report::run_verdict::requirement_missed, report::mistake::wrong_block_size, why);
  }
  return passed();
}

/// Whether the launches write more of the pieces than they have blocks. True where what they write is not known.
bool has_blocks_with_several(const trace::recording& recording, const operation_ids& launches,
                             std::int64_t blocks, std::int64_t pieces) {
  double written = 0;  // in wholes
  for (const trace::operation_id id : launches) {
    const trace::operation& kernel = recording.operation_at(id);
    if (!kernel.accesses) return true;
    double share = 0;
    for (const trace::access& access : *kernel.accesses) {
      const trace::allocation& memory = recording.allocation_at(access.allocation);
      if (access.mode != trace::access_mode::read)
        share = std::max(share,
                         static_cast<double>(access.bytes.size_bytes()) / static_cast<double>(memory.bytes));
    }
    written += share;
  }
  return written * static_cast<double>(pieces) >= static_cast<double>(blocks + 1);
}

verdict judge_blocks_in_all(const run_facts& run, const std::string& pieces, const operation_set& launched) {
  const trace::recording& recording = run.recording();
  const std::int64_t required = run.answer().integer(pieces);
  const operation_ids found = members(run.part(), launched);
  std::int64_t blocks = 0;
  for (const trace::operation_id id : found) blocks += recording.operation_at(id).grid[0];
  if (found.empty() || blocks >= required) return passed();
  report::evidence why;
  why.required = fmt::format("Each of the {} {} has a block of its own.", required, pieces);
  lead_to(why, recording, recording.operation_at(found.front()));
  if (!has_blocks_with_several(recording, found, blocks, required)) {
    why.observation = fmt::format(
        "The {} have {} blocks in all, and no block takes more than one of the {}: for {} of them there is no block.",
        launched.words, blocks, pieces, required - blocks);
    why.read_next = "How the work is cut: do the pieces reach the last element?";
    return failed(report::run_verdict::requirement_missed, report::mistake::launches_miscounted, why);
  }
  why.observation = fmt::format(
      "The {} have {} blocks in all: a block takes several {}, and keeps its place for all of them.",
      launched.words, blocks, pieces);
  why.read_next = "The section \"The idea\" in the lesson's text: when does a place become free?";
  return failed(report::run_verdict::requirement_missed, report::mistake::room_taken, why);
}

/// Of launches that all have as many blocks although their arguments differ: one that was given the required number, else one with
/// other arguments than the first. nullptr where there is none.
const trace::operation* launch_of_other_work(const trace::recording& recording, const operation_ids& launches,
                                             std::int64_t required) {
  const trace::operation& first = recording.operation_at(launches.front());
  const trace::operation* other = nullptr;
  for (const trace::operation_id id : launches) {
    const trace::operation& kernel = recording.operation_at(id);
    if (kernel.grid != first.grid || !kernel.integers || !first.integers) return nullptr;
    if (kernel.integers == first.integers) continue;
    const bool is_largest =
        std::find(kernel.integers->begin(), kernel.integers->end(), required) != kernel.integers->end();
    if (other == nullptr || is_largest) other = &kernel;
    if (is_largest) break;
  }
  return other;
}

verdict judge_largest(const run_facts& run, const std::string& blocks, const operation_set& launched) {
  const trace::recording& recording = run.recording();
  const std::int64_t required = run.answer().integer(blocks);
  const operation_ids found = members(run.part(), launched);
  const auto largest = std::max_element(found.begin(), found.end(), [&](auto left, auto right) {
    return blocks_of(recording.operation_at(left)) < blocks_of(recording.operation_at(right));
  });
  if (largest == found.end() ||
      static_cast<std::int64_t>(blocks_of(recording.operation_at(*largest))) >= required)
    return passed();
  const trace::operation& kernel = recording.operation_at(*largest);
  report::evidence why;
  why.required = fmt::format("The largest of the {} has {} blocks.", launched.words, required);
  lead_to(why, recording, kernel);
  if (const trace::operation* const other = launch_of_other_work(recording, found, required)) {
    why.observation = fmt::format(
        "Each of the {} launches has {}, whatever it works on: {} too, which was given {}. There a block takes several pieces of the "
        "work, one after another.",
        found.size(), blocks_in_words(kernel), in_words(recording, *other),
        integers_in_words(recording, *other));
    lead_to_choice(run.source(), value_of::blocks, "number of blocks", why);
    why.read_next =
        "What the contract says about the pieces of the work: which number belongs to one launch, and which to another?";
  } else {
    why.observation = fmt::format(
        "No launch has more than {} blocks: a block takes several pieces of the work, one after another.",
        blocks_of(kernel));
    why.read_next =
        "What the contract says about the pieces of the work: their number differs from call to call and from GPU to GPU.";
  }
  return failed(report::run_verdict::requirement_missed, report::mistake::room_left_empty, why);
}

/// The first launch of the only line, of several, without whose launches there would be as many as required.
std::optional<trace::operation_id> launches_of_a_line_too_many(const trace::recording& recording,
                                                               const operation_ids& found,
                                                               std::size_t required) {
  std::map<std::string, operation_ids> by_line;
  for (const trace::operation_id id : found)
    by_line[place_of(recording, recording.operation_at(id))].push_back(id);
  std::optional<trace::operation_id> first;
  for (const auto& [line, launches] : by_line) {
    if (line.empty() || required == 0 || found.size() != required + launches.size()) continue;
    if (first) return std::nullopt;
    first = launches.front();
  }
  return first;
}

verdict judge_count(const run_facts& run, std::size_t required, const operation_set& launched) {
  const operation_ids found = members(run.part(), launched);
  if (found.size() == required) return passed();
  report::evidence why;
  why.required = fmt::format("Your function launches {} {}.", required, launched.words);
  if (found.empty()) {
    say_there_is_none(run, launched, why);
  } else {
    const auto extra = launches_of_a_line_too_many(run.recording(), found, required);
    const trace::operation& named =
        run.recording().operation_at(extra.value_or(found[std::min(found.size() - 1, required)]));
    why.observation = fmt::format("It launched {}. ", found.size());
    why.observation +=
        extra ? fmt::format("Without those of one line there would be {}: the first of them is {}.", required,
                            in_words(run.recording(), named))
              : fmt::format("The {} is {}.", found.size() > required ? "first beyond that" : "last",
                            in_words(run.recording(), named));
    lead_to(why, run.recording(), named);
  }
  why.read_next =
      "What the contract says about the kernels: each piece of work is computed once, on the GPU.";
  return failed(report::run_verdict::requirement_missed, report::mistake::launches_miscounted, why);
}

}  // namespace

matcher LaunchesBlocksOf(std::int64_t threads, operation_set launched, std::optional<std::int64_t> blocks) {
  return {fmt::format("the blocks of the {} have {} threads", launched.words, threads),
          [threads, launched = std::move(launched), blocks](const run_facts& run) {
            return judge_block_size(run, threads, launched, blocks);
          },
          reach::every_call};
}

matcher LaunchesABlockForEach(std::string pieces, operation_set launched) {
  return {fmt::format("the {} have a block for each of the {}", launched.words, pieces),
          [pieces = std::move(pieces), launched](const run_facts& run) {
            return judge_blocks_in_all(run, pieces, launched);
          },
          reach::every_call};
}

matcher LaunchesUpToBlocks(std::string blocks, operation_set launched) {
  return {fmt::format("the largest of the {} has as many blocks as {}", launched.words, blocks),
          [blocks = std::move(blocks), launched](const run_facts& run) {
            return judge_largest(run, blocks, launched);
          },
          reach::every_call};
}

matcher Launches(std::size_t times, operation_set launched) {
  return {fmt::format("{} {} are launched", times, launched.words),
          [times, launched = std::move(launched)](const run_facts& run) {
            return judge_count(run, times, launched);
          },
          reach::every_call};
}

matcher Answers(std::string number, std::int64_t least, std::int64_t most, std::string asked) {
  return {fmt::format("{} is from {} to {}", number, least, most),
          [=](const run_facts& run) {
            const std::int64_t found = run.answer().integer(number);
            if (found >= least && found <= most) return passed();
            const std::string function = number.substr(0, number.find('.'));
            return failed(report::run_verdict::requirement_missed, report::mistake::wrong_argument,
                          {fmt::format("{}() returns a number from {} to {}{}.", function, least, most,
                                       asked.empty() ? "" : " " + asked),
                           fmt::format("It returned {}.", found), line_of_return(run.source(), function),
                           "What the contract says about what the function returns."});
          },
          reach::every_call};
}

}  // namespace matchers
