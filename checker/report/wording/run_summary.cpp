#include "report/wording/run_summary.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "report/text_layout.h"
#include "report/wording/names.h"
#include "trace/words.h"

namespace report {
namespace {

struct copies_and_kernels {
  std::vector<trace::operation_id> copies;
  std::vector<trace::operation_id> kernels;
};

copies_and_kernels copies_and_kernels_of(const analysis::part& part) {
  copies_and_kernels found;
  for (const trace::operation_id id : part.operations) {
    const trace::operation_kind kind = part.recording->operation_at(id).kind;
    if (kind == trace::operation_kind::copy) found.copies.push_back(id);
    if (kind == trace::operation_kind::kernel) found.kernels.push_back(id);
  }
  return found;
}

/// How many of the operations ran at a time, on average over the time in which any of them ran.
double average_at_once(const trace::recording& recording,
                       const std::vector<trace::operation_id>& operations) {
  std::chrono::nanoseconds one_by_one{0};
  for (const trace::operation_id id : operations)
    one_by_one += recording.operation_at(id).end - recording.operation_at(id).start;
  const std::chrono::nanoseconds busy = analysis::overlap(recording, operations, operations).first_busy;
  return busy.count() == 0 ? 0 : static_cast<double>(one_by_one.count()) / static_cast<double>(busy.count());
}

}  // namespace

drawable_part part_to_draw(const trace::recording& recording, const std::string& name) {
  drawable_part drawable;
  try {
    drawable.part = analysis::part_of(recording, name);
  } catch (const std::out_of_range&) {
    drawable.problem = name == "learner" ? "the run ended before your function was measured"
                                         : fmt::format("the run did not get to the part \"{}\"", name);
    return drawable;
  }
  if (drawable.part->operations.empty() && drawable.part->calls.empty()) {
    drawable.problem = "no CUDA call was made, so no copy and no kernel ran";
  } else if (drawable.part->duration().count() <= 0) {
    drawable.problem = "everything took no time at all";
  }
  if (!drawable.problem.empty()) drawable.part.reset();
  return drawable;
}

std::string progress_words(const timed_progress& now, const timed_progress& before) {
  const double seconds = std::chrono::duration<double>(now.elapsed - before.elapsed).count();
  const trace::nanoseconds gained = now.progress.simulated - before.progress.simulated;
  std::string words =
      fmt::format("{}: {} simulated", duration_words(now.elapsed), duration_words(now.progress.simulated));
  if (gained.count() > 0)
    words += fmt::format(
        ", {} a second",
        duration_words(trace::nanoseconds(std::llround(static_cast<double>(gained.count()) / seconds))));
  words += fmt::format("; kernel {}: {} of {} blocks", now.progress.kernel, now.progress.blocks_done,
                       now.progress.blocks);
  const bool is_same_kernel = gained.count() == 0 && now.progress.blocks_done > before.progress.blocks_done;
  if (is_same_kernel)
    words +=
        fmt::format(", {:.3g} a second",
                    static_cast<double>(now.progress.blocks_done - before.progress.blocks_done) / seconds);
  return words;
}

std::string where_streams_stood(const trace::recording& recording) {
  constexpr std::size_t max_named = 4;
  std::set<trace::stream_id> standing;
  std::string sentence;
  for (const trace::operation& operation : recording.operations) {
    if (trace::has_ended(operation) || !standing.insert(operation.stream).second ||
        standing.size() > max_named)
      continue;
    sentence += fmt::format(
        "{}{} stood at {}{}", sentence.empty() ? "" : ", ", stream_in_words(recording, operation.stream),
        without_stream_in_words(recording, operation),
        operation.issued_by == 0 ? ""
                                 : in_parentheses(recording, recording.call_at(operation.issued_by).where));
  }
  if (standing.empty()) return "No stream had anything left to do.";
  if (standing.size() > max_named)
    sentence += fmt::format(", and {} more streams had work left", standing.size() - max_named);
  return capitalized(std::move(sentence)) + ".";
}

std::string machine_words(const trace::recording& recording) {
  std::string words = !recording.profile.empty()   ? fmt::format("virtual GPU \"{}\"", recording.profile)
                      : !recording.devices.empty() ? recording.devices.front().name
                                                   : "a GPU";
  if (recording.schedule == trace::schedule_kind::as_is) return words;
  return fmt::format("{}, schedule \"{}\"", words, trace::word_of(recording.schedule));
}

std::string overlap_words(const analysis::part& part) {
  const auto [copies, kernels] = copies_and_kernels_of(part);
  if (copies.empty() && kernels.empty()) return "neither copies nor kernels ran";
  if (copies.empty() && kernels.size() == 1) return "one kernel ran, and no copy";
  if (copies.empty())
    return fmt::format("no copy ran; of the kernels, {:.1f} ran at a time, on average",
                       average_at_once(*part.recording, kernels));
  if (kernels.empty()) return "no kernel ran, so there was nothing for the copies to overlap with";
  const analysis::overlap_facts facts = analysis::overlap(*part.recording, copies, kernels);
  const bool copies_are_shorter = facts.first_busy <= facts.second_busy;
  return fmt::format("copies ran while kernels ran: {:.0f} % of the {} in which {} ran",
                     100 * facts.fraction(),
                     duration_words(copies_are_shorter ? facts.first_busy : facts.second_busy),
                     copies_are_shorter ? "copies" : "kernels");
}

std::string comparison_words(const analysis::part& yours, const analysis::part& solution) {
  const std::string own = duration_words(yours.duration()), other = duration_words(solution.duration());
  const double ratio =
      static_cast<double>(yours.duration().count()) / static_cast<double>(solution.duration().count());
  if (ratio >= 1.05)
    return fmt::format("Your run takes {}, {:.2g} times as long as the solution's {}.", own, ratio, other);
  if (ratio > 0.95) return fmt::format("Your run takes {}, as long as the solution's {}.", own, other);
  return fmt::format("Your run takes {}, less than the solution's {}.", own, other);
}

std::vector<analysis::interval> overlap_times(const analysis::part& part) {
  const auto [copies, kernels] = copies_and_kernels_of(part);
  return analysis::both_busy_times(*part.recording, copies, kernels);
}

}  // namespace report
