#include "matchers/launches.h"

#include <fmt/core.h>

#include <utility>

#include "matchers/words.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

verdict judge_block_size(const run_facts& run, std::int64_t threads, const operation_set& launched) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : members(run.part(), launched)) {
    const trace::operation& kernel = recording.operation_at(id);
    const std::int64_t found = std::int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
    if (found == threads) continue;
    report::evidence why;
    why.required = fmt::format("The blocks of the {} have {} threads.", launched.words, threads);
    why.observation = fmt::format("{} has blocks of {} threads, and {} of them.",
                                  report::capitalized(in_words(recording, kernel)), found, kernel.grid[0]);
    why.where = place_of(recording, kernel);
    why.read_next = "In kernel<<<blocks, threads>>> the number of blocks comes first.";
    return failed(report::run_verdict::requirement_missed, report::mistake::wrong_block_size, why);
  }
  return passed();
}

}  // namespace

matcher LaunchesBlocksOf(std::int64_t threads, operation_set launched) {
  return {fmt::format("the blocks of the {} have {} threads", launched.words, threads),
          [threads, launched = std::move(launched)](const run_facts& run) {
            return judge_block_size(run, threads, launched);
          },
          reach::every_call};
}

}  // namespace matchers
