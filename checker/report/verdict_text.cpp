#include "report/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report/enum_table.h"
#include "report/mistake.h"
#include "report/text_layout.h"
#include "report/wording/place_text.h"
#include "trace/backend.h"

namespace report {
namespace {

constexpr std::size_t max_output_lines = 40;

/// Adds terminal colours when they are on.
class painter {
 public:
  explicit painter(colour wanted) : is_on_(wanted == colour::on) {}
  std::string good(std::string_view text) const { return painted("1;32", text); }
  std::string bad(std::string_view text) const { return painted("1;31", text); }
  std::string unsure(std::string_view text) const { return painted("1;33", text); }
  std::string heading(std::string_view text) const { return painted("1", text); }
  std::string place(std::string_view text) const { return painted("36", text); }

 private:
  std::string painted(std::string_view code, std::string_view text) const {
    return is_on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  bool is_on_;
};

struct verdict_row {
  run_verdict verdict;
  std::string_view meaning;
};

constexpr verdict_row verdicts[] = {
    {run_verdict::infra_error,
     "The check itself failed. That is not your mistake and does not count against you."},
    {run_verdict::missing_file, "The file of this lesson is missing."},
    {run_verdict::compile_error, "The file does not compile."},
    {run_verdict::unsupported, "The program uses a part of CUDA that the virtual GPU does not model."},
    {run_verdict::own_main,
     "The file defines main(). The lesson brings its own; write only the functions of the contract."},
    {run_verdict::crashed, "The program crashed."},
    {run_verdict::timeout, "The program did not come to its end, and was stopped."},
    {run_verdict::output_limit, "The program printed more than the limit and was stopped."},
    {run_verdict::ended_early, "The program ended by itself before the check was over."},
    {run_verdict::channel_damaged,
     "The program wrote where only the check may write, so its answer cannot be trusted."},
    {run_verdict::cuda_error, "A CUDA call returned an error."},
    {run_verdict::wrong_answer, "The result is wrong."},
    {run_verdict::race_detected,
     "What uses or releases the same memory is not in order: the result may be right by luck only."},
    {run_verdict::requirement_missed, "The program does not do something that the lesson asks for."},
    {run_verdict::no_overlap, "Work that could run at the same time waits for other work."},
    {run_verdict::too_slow, "The program takes longer than necessary on this device."},
    {run_verdict::inconclusive, "This run could not be judged. It does not count against you."},
    {run_verdict::not_measurable,
     "This device cannot show what the lesson asks for. It does not count against you."},
    {run_verdict::pass, "Everything that the lesson asks for is done."},
};
static_assert(has_all_rows<&verdict_row::verdict>(verdicts, run_verdict::pass));

bool counts_against_learner(run_verdict verdict) {
  return verdict != run_verdict::pass && exit_status_of(verdict) != exit_status::undecided;
}

std::string mark_of(criterion_verdict verdict, const painter& paint) {
  switch (verdict) {
    case criterion_verdict::pass:
      return paint.good("[pass]");
    case criterion_verdict::fail:
      return paint.bad("[FAIL]");
    case criterion_verdict::not_observable:
      return paint.unsure("[ -- ]");
  }
  throw std::logic_error("a criterion verdict without a mark");
}

std::string verdict_words(run_verdict verdict, const painter& paint) {
  if (verdict == run_verdict::pass) return paint.good("PASSED");
  return counts_against_learner(verdict) ? paint.bad(words_of(verdict)) : paint.unsure(words_of(verdict));
}

bool is_solution(const result& result) { return result.source.rfind("solutions/", 0) == 0; }
/// Neither the learner's file in its place nor a solution.
bool is_other_file(const result& result) {
  return !is_solution(result) &&
         result.source != fmt::format("lessons/{:02}_{}/{}.cu", result.lesson, result.slug, result.slug);
}
bool is_on_gpu(const result& result) { return result.backend == "gpu"; }

/// " --profile h200"; "" of the usual one, and on a real GPU.
std::string option_of_profile(const result& result) {
  if (result.profile.empty() || result.profile == trace::usual_profile) return "";
  return " --profile " + shell_word(result.profile_file.empty() ? result.profile : result.profile_file);
}

/// On another virtual GPU than the one that the margins of a lesson are made for, and missing no more than those.
bool is_beyond_its_profile(const result& result) {
  const bool is_missed_margin =
      result.verdict == run_verdict::requirement_missed || result.verdict == run_verdict::no_overlap ||
      result.verdict == run_verdict::too_slow || result.verdict == run_verdict::not_measurable;
  return is_missed_margin && !is_on_gpu(result) && !result.profile.empty() &&
         result.profile != trace::usual_profile;
}

std::vector<std::string> names_of_unseen(const result& result) {
  std::vector<std::string> names;
  for (const criterion_result& criterion : result.criteria) {
    if (criterion.verdict == criterion_verdict::not_observable) names.push_back(criterion.name);
  }
  return names;
}

/// Passed only as far as this run could judge.
bool leaves_something_unseen(const result& result) {
  return result.verdict == run_verdict::pass && !names_of_unseen(result).empty();
}

/// Whether no call failed where the verdict says so: what was called ran here, against CUDA's documentation.
bool is_only_against_documentation(const result& result) {
  const auto counts = [](const criterion_result& criterion) {
    return criterion.verdict == criterion_verdict::fail && criterion.failure == run_verdict::cuda_error;
  };
  return std::any_of(result.criteria.begin(), result.criteria.end(), counts) &&
         std::all_of(result.criteria.begin(), result.criteria.end(), [&](const criterion_result& criterion) {
           return !counts(criterion) || criterion.mistake == word_of(mistake::wrong_device);
         });
}

std::string meaning_of(const result& result) {
  if (result.verdict == run_verdict::cuda_error && is_only_against_documentation(result))
    return "CUDA's documentation says that a call of the program fails; here it did not.";
  if (!leaves_something_unseen(result))
    return std::string(verdicts[static_cast<int>(result.verdict)].meaning);
  return fmt::format("Everything that this run can judge is done. Not judged: {}.",
                     fmt::join(names_of_unseen(result), ", "));
}

std::string head_text(const result& result, const painter& paint, int width) {
  std::string text =
      fmt::format("{}: {}", paint.heading(fmt::format("Lesson {:02} {}", result.lesson, result.title)),
                  verdict_words(result.verdict, paint));
  if (!result.criteria.empty()) {
    int all = 0;
    for (const criterion_result& criterion : result.criteria) all += criterion.points;
    text += fmt::format(", {} of {} points", points_of(result), all);
  }
  text += "\n";
  if (is_solution(result)) {
    text += hanging(
        "", "This checked the solution that comes with the course, not your file: " + result.source, width);
  }
  if (is_other_file(result)) {
    text += hanging("", escaped("This checked " + result.source + ", not your file. No progress is saved."),
                    width);
  }
  return text + hanging("", escaped(meaning_of(result)), width);
}

std::string_view why_unseen(const criterion_result& criterion) {
  if (criterion.failure == run_verdict::inconclusive) return "inconclusive: ";
  return criterion.failure == run_verdict::not_measurable ? "not measurable: " : "not observable: ";
}

std::string criteria_text(const result& result, const painter& paint, int width) {
  std::string text;
  for (const criterion_result& criterion : result.criteria) {
    const std::string lead = fmt::format("  [    ] {:>3}  ", criterion.points);
    std::string sentence = criterion.name + ": " + criterion.title;
    const bool is_unseen = criterion.verdict == criterion_verdict::not_observable;
    if (!criterion.note.empty())
      sentence += fmt::format(" ({}{})", is_unseen ? why_unseen(criterion) : "", criterion.note);
    std::string lines = hanging(lead, escaped(sentence), width);
    lines.replace(2, 6, mark_of(criterion.verdict, paint));
    text += lines;
  }
  return text;
}

/// The line, cut at the width.
std::string first_columns(const std::string& line, int width) {
  const std::vector<std::string> lines = wrap(line, width);
  return lines.size() < 2 ? line : lines.front() + " ..";
}

std::string evidence_text(const evidence& why, const painter& paint, int width) {
  std::string text;
  const auto add = [&](std::string_view lead, const std::string& sentence) {
    if (!sentence.empty()) text += hanging(lead, escaped(sentence), width);
  };
  add("  required   ", why.required);
  add("  seen       ", why.observation);
  if (!why.where.empty()) text += "  where      " + paint.place(escaped(places_with_callers(why))) + "\n";
  if (!why.quoted.empty())
    text += fmt::format("{:13}{}\n", "", first_columns(escaped(why.quoted), width - 13));
  std::string_view lead = "  values";
  for (const std::string& value : values_in_words(why)) {
    text += fmt::format("{:13}{}\n", lead, first_columns(escaped(value), width - 13));
    lead = "";
  }
  add("  read next  ", why.read_next);
  return text;
}

/// The reasons of all failures, none twice.
std::string reasons_text(const result& result, const painter& paint, int width) {
  const std::vector<const criterion_result*> failed = failures_in_report_order(result);
  std::string text;
  const bool is_told_by_criterion =
      std::any_of(failed.begin(), failed.end(), [&](auto* one) { return one->why == result.why; });
  if (!is_told_by_criterion && result.why != evidence{}) {
    text += "\n" + paint.heading("Why") + "\n" + evidence_text(result.why, paint, width);
  }
  for (const criterion_result* criterion : failed) {
    text += "\n" + paint.heading("Why " + criterion->name + " failed") + "\n" +
            evidence_text(criterion->why, paint, width);
  }
  return text;
}

/// "Since the check before: CopiesOverlapKernels 0.00 -> 0.86."
std::string changes_text(const result& result, int width) {
  if (result.changes.empty()) return "";
  return "\n" + hanging("",
                        escaped(fmt::format("Since the check before: {}.", fmt::join(result.changes, ", "))),
                        width);
}

/// "715 us" of "715 us in all, on virtual GPU ...".
std::string time_in_all(const result& result) {
  const std::string line = first_line(result.timeline);
  const std::size_t end = line.find(" in all");
  return end == line.npos ? "" : line.substr(0, end);
}

std::string remarks_text(const result& result, const painter& paint, int width) {
  if (result.remarks.empty()) return "";
  std::string text = "\n" + paint.heading("Beside that, without costing points") + "\n";
  for (const remark& remark : result.remarks)
    text +=
        hanging("  ", escaped(fmt::format("{} ({}): {}", remark.title, remark.where, remark.message)), width);
  return text;
}

/// Program output in a frame; long output without its middle.
std::string boxed(std::string_view title, std::string_view content, const painter& paint, int width) {
  std::vector<std::string> lines = wrap(escaped(content), width - 2);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) return "";
  if (lines.size() > max_output_lines) {
    const std::size_t left_out = lines.size() - max_output_lines;
    const auto middle = lines.begin() + max_output_lines / 2;
    lines.erase(middle, middle + left_out);
    lines.insert(lines.begin() + max_output_lines / 2, fmt::format("... {} lines left out ...", left_out));
  }
  std::string text = "\n" + paint.heading(title) + "\n";
  text += "┌" + fmt::format("{:─<{}}", "", width - 1) + "\n";
  for (const std::string& line : lines) text += line.empty() ? "│\n" : "│ " + line + "\n";
  return text + "└" + fmt::format("{:─<{}}", "", width - 1) + "\n";
}

std::vector<std::string> next_steps(const result& result) {
  const std::string number = fmt::format("{:02}", result.lesson);
  const std::string file = is_other_file(result) ? " --file " + shell_word(result.source) : "";
  const std::string again =
      fmt::format("./streamlings check {}{}{}", number, is_on_gpu(result) ? " --backend gpu" : "", file);
  if (result.verdict == run_verdict::pass) {
    if (is_solution(result)) return {fmt::format("for your own file: {}", again)};
    std::vector<std::string> steps;
    if (is_on_gpu(result) && leaves_something_unseen(result))
      steps.push_back(
          fmt::format("have the rest judged on the virtual GPU: ./streamlings check {}{}", number, file));
    if (!is_other_file(result)) steps.emplace_back("go on: ./streamlings next");
    const std::string time = time_in_all(result);
    if (!time.empty() && !result.solution_time.empty()) {
      steps.push_back(
          fmt::format("compare with solutions/{}_{}/{}.cu: yours took {}, the solution takes {} "
                      "(./streamlings compare {} shows both)",
                      number, result.slug, result.slug, time, result.solution_time, number));
    }
    return steps;
  }
  if (is_solution(result) && is_beyond_its_profile(result)) {
    return {fmt::format(
        "the margins of this lesson are made for the profile {}: on {} its solution need not pass",
        trace::usual_profile, result.profile)};
  }
  if (!counts_against_learner(result.verdict)) return {fmt::format("try once more: {}", again)};
  if (is_solution(result)) return {"a solution must pass: please report this"};
  if (result.verdict == run_verdict::missing_file && !is_other_file(result))
    return {fmt::format("get the file back: ./streamlings reset {}", number)};
  std::vector<std::string> steps;
  if (is_beyond_its_profile(result)) {
    steps.push_back(
        fmt::format("the margins of this lesson are made for the profile {}; what its solution gets on {}: "
                    "./streamlings check {} --solution{}",
                    trace::usual_profile, result.profile, number, option_of_profile(result)));
  }
  if (is_other_file(result)) {
    steps.push_back(fmt::format("edit {}, then: {}", result.source, again));
  } else {
    steps.push_back(fmt::format("edit {}, then: {} (or: ctest -R lesson{})", result.source, again, number));
    steps.push_back(fmt::format("for a hint: ./streamlings hint {}", number));
  }
  return steps;
}

std::string next_text(const result& result, const painter& paint, int width) {
  const std::vector<std::string> steps = next_steps(result);
  if (steps.empty()) return "";
  std::string text = "\n" + paint.heading("Next") + "\n";
  for (const std::string& step : steps) text += hanging("  ", escaped(step), width);
  return text;
}

std::string origin_text(const result& result, int width) {
  std::vector<std::string> facts;
  if (!result.checked_at.empty()) facts.push_back(result.checked_at);
  if (!result.profile.empty()) facts.push_back("profile " + result.profile);
  if (is_on_gpu(result)) {
    facts.push_back(fmt::format("{} times on this machine's GPU", result.schedules.size()));
  } else if (result.schedules.size() > 1) {
    facts.push_back(fmt::format("schedules {}", fmt::join(result.schedules, ", ")));
  }
  return hanging("", escaped(fmt::format("This run: {}", fmt::join(facts, ", "))), width);
}

/// The command on one line, so that it can be copied.
std::string repetition_text(const result& result) {
  return fmt::format("Repeat exactly this run:\n  {}\n", escaped(repeat_command(result)));
}

}  // namespace

std::string repeat_command(const result& result) {
  std::string command;
  for (const std::string& variable : result.environment) {
    const std::size_t value = variable.find('=') + 1;
    command += variable.substr(0, value) + shell_word(variable.substr(value)) + " ";
  }
  command += fmt::format("./streamlings check {:02}", result.lesson);
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) command += fmt::format(" {} {}", option, shell_word(value));
  };
  if (is_solution(result)) command += " --solution";
  if (is_other_file(result)) add("--file", result.source);
  if (is_on_gpu(result)) command += " --backend gpu";
  command += option_of_profile(result);
  add("--compiler", result.compiler);
  add("--seed", std::to_string(result.seed));
  return command;
}

std::string verdict_text(const result& result, const verdict_text_options& options) {
  const painter paint(options.colour);
  const int width = std::max(options.width, 40);
  std::string text = head_text(result, paint, width);
  if (result.verdict == run_verdict::compile_error && !result.compiler_output.empty()) {
    // The compiler output, not wrapped.
    text += "\n" + escaped(result.compiler_output);
    if (result.compiler_output.back() != '\n') text += "\n";
    return options.with_next_steps ? text + next_text(result, paint, width) : text;
  }
  if (!result.criteria.empty()) text += "\n" + criteria_text(result, paint, width);
  text += changes_text(result, width);
  text += reasons_text(result, paint, width);
  text += remarks_text(result, paint, width);
  text += boxed("Your program printed", result.program_output, paint, width);
  text += boxed(result.verdict == run_verdict::infra_error ? "The compiler said" : "The compiler warned",
                result.compiler_output, paint, width);
  if (options.with_timeline && !result.timeline.empty()) {
    text += "\n" + paint.heading("Timeline of your part") + "\n" + result.timeline;
    if (result.timeline.back() != '\n') text += "\n";
  }
  if (options.with_next_steps) text += next_text(result, paint, width);
  const bool is_undecided = exit_status_of(result.verdict) == exit_status::undecided;
  if (!result.criteria.empty() || is_undecided) text += "\n";
  if (!result.criteria.empty()) text += origin_text(result, width);
  if (!result.criteria.empty() || is_undecided) text += repetition_text(result);
  return text;
}

std::string criterion_text(const result& result, const std::string& criterion,
                           const verdict_text_options& options) {
  const painter paint(options.colour);
  const int width = std::max(options.width, 40);
  const auto found =
      std::find_if(result.criteria.begin(), result.criteria.end(),
                   [&](const criterion_result& candidate) { return candidate.name == criterion; });
  if (found == result.criteria.end()) {
    return fmt::format("{} {}: not judged\n", paint.unsure("[ -- ]"), criterion) +
           hanging("  ", verdicts[static_cast<int>(result.verdict)].meaning, width) +
           evidence_text(result.why, paint, width) + next_text(result, paint, width);
  }
  std::string text = fmt::format("{} {}, {} points: {}\n", mark_of(found->verdict, paint), found->name,
                                 found->points, found->title);
  if (!found->note.empty()) text += hanging("  ", escaped(found->note), width);
  if (found->verdict != criterion_verdict::fail) return text;
  return text + evidence_text(found->why, paint, width) + next_text(result, paint, width);
}

}  // namespace report
