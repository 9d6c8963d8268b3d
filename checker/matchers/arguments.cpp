#include "matchers/arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "matchers/facts/given_calls.h"
#include "matchers/facts/memory/element_history.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

verdict wrong_argument(const run_facts& run, const trace::operation& kernel, std::string required,
                       const std::string& has) {
  report::evidence why;
  why.required = std::move(required);
  why.observation = fmt::format("{} {}.", report::capitalized(in_words(run.recording(), kernel)), has);
  lead_to(why, run.recording(), kernel);
  why.read_next = "What the contract says about the arguments of the kernel.";
  return failed(run_verdict::requirement_missed, mistake::wrong_argument, why);
}

bool has_integers(const trace::operation& kernel) { return kernel.integers && !kernel.integers->empty(); }

std::string last_integer(const run_facts& run, const trace::operation& kernel) {
  return integer_in_words(run.recording(), kernel, kernel.integers->size() - 1);
}

verdict judge_last_integer(const run_facts& run, const std::string& number, const operation_set& launched) {
  const auto required = static_cast<std::int64_t>(run.answer().number("calibrated." + number));
  for (const trace::operation_id id : members(run.part(), launched)) {
    const trace::operation& kernel = run.recording().operation_at(id);
    if (!has_integers(kernel) || kernel.integers->back() == required) continue;
    return wrong_argument(
        run, kernel,
        fmt::format("The last argument of each of the {} is what the contract gives for it.", launched.words),
        fmt::format("got {}, and was to get {}", last_integer(run, kernel), required));
  }
  return passed();
}

verdict judge_batches(const run_facts& run, const std::string& numbers, const std::string& results,
                      std::size_t elements) {
  const std::vector<std::int64_t>& required = run.answer().values<std::int64_t>(numbers);
  for (std::size_t batch = 0; batch < required.size(); ++batch) {
    const auto source = source_of_element(run, results, batch * elements);
    if (!source) continue;
    const trace::operation_id made_by = history_of(run, *source).made_by;
    if (made_by == 0) continue;
    const trace::operation& kernel = run.recording().operation_at(made_by);
    if (!has_integers(kernel) || kernel.integers->back() == required[batch]) continue;
    return wrong_argument(run, kernel,
                          "The last argument of each kernel is what the contract gives for its step.",
                          fmt::format("made result {}, and got {}, where {}[{}] is {}", batch,
                                      last_integer(run, kernel), numbers, batch, required[batch]));
  }
  return passed();
}

using row = std::vector<std::int64_t>;

std::vector<row> rows_of(const run_facts& run, const std::string& name, std::size_t width) {
  const std::vector<std::int64_t>& numbers = run.answer().values<std::int64_t>(name);
  std::vector<row> rows;
  for (auto begin = numbers.begin(); begin != numbers.end(); begin += static_cast<std::ptrdiff_t>(width))
    rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
  return rows;
}

verdict judge_rows(const run_facts& run, const std::string& name, std::size_t width, std::size_t blocks,
                   const operation_set& launched) {
  const std::vector<row> rows = rows_of(run, name, width);
  for (const trace::operation_id id : members(run.part(), launched)) {
    const trace::operation& kernel = run.recording().operation_at(id);
    if (!kernel.integers) continue;
    const auto found = std::find(rows.begin(), rows.end(), *kernel.integers);
    if (found == rows.end()) {
      return wrong_argument(
          run, kernel, fmt::format("Each of the {} gets the numbers of one job.", launched.words),
          fmt::format("got {}: no job has these", integers_in_words(run.recording(), kernel)));
    }
    if ((*found)[blocks] > static_cast<std::int64_t>(kernel.grid[0])) {
      return wrong_argument(run, kernel,
                            fmt::format("Each of the {} has a block for each of its tiles.", launched.words),
                            fmt::format("has {} blocks, and {} tiles", kernel.grid[0], (*found)[blocks]));
    }
  }
  return passed();
}

verdict judge_turns(const run_facts& run, const std::string& name, std::size_t width, std::size_t streams,
                    const operation_set& launched) {
  const trace::recording& recording = run.recording();
  const std::vector<row> rows = rows_of(run, name, width);
  const operation_ids kernels = members(run.part(), launched);
  const bool are_told_apart = std::all_of(rows.begin(), rows.end(), [&](const row& one) {
    const auto of_it = std::count_if(kernels.begin(), kernels.end(), [&](trace::operation_id id) {
      return recording.operation_at(id).integers == one;
    });
    return static_cast<std::size_t>(of_it) * rows.size() == kernels.size();
  });
  if (!are_told_apart) return passed();  // with other arguments nobody knows whose kernel it is
  for (const trace::operation_id id : kernels) {
    const trace::operation& kernel = recording.operation_at(id);
    const std::string& stream = recording.stream_at(kernel.stream).name;
    const auto found = kernel.integers ? std::find(rows.begin(), rows.end(), *kernel.integers) : rows.end();
    if (found == rows.end() || !stream.starts_with("streams[")) continue;
    const auto index = static_cast<std::size_t>(found - rows.begin());
    const std::string own = fmt::format("streams[{}]", index % streams);
    if (stream == own) continue;
    report::evidence why;
    why.required = "The streams take turns: job `index` is in stream `index % streams`.";
    why.observation = fmt::format("{} belongs to job {}, and it is the turn of `{}`.",
                                  report::capitalized(in_words(recording, kernel)), index, own);
    lead_to(why, recording, kernel);
    why.read_next = "The section \"The task\" of the lesson's text.";
    return failed(run_verdict::requirement_missed, mistake::plan_not_followed, why);
  }
  return passed();
}

}  // namespace

matcher WorksFor(std::string number, operation_set launched) {
  return {fmt::format("the last argument of {} is {}", launched.words, number),
          [=](const run_facts& run) { return judge_last_integer(run, number, launched); }, reach::every_call};
}

matcher EachBatchWorksFor(std::string numbers, std::string results, std::size_t batch_elements) {
  return {"the last argument of each kernel is that of its batch",
          [=](const run_facts& run) { return judge_batches(run, numbers, results, batch_elements); }};
}

matcher GetsARowOf(std::string rows, std::size_t width, std::size_t blocks, operation_set launched) {
  return {fmt::format("{} get the numbers of one of {}", launched.words, rows),
          [=](const run_facts& run) { return judge_rows(run, rows, width, blocks, launched); },
          reach::every_call};
}

matcher RowsTakeTurns(std::string rows, std::size_t width, std::string streams, operation_set launched) {
  return {fmt::format("{} are in the streams whose turn it is", launched.words),
          [=](const run_facts& run) {
            return judge_turns(run, rows, width, static_cast<std::size_t>(run.answer().integer(streams)),
                               launched);
          },
          reach::every_call};
}

}  // namespace matchers
