#include "runner/check_all.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"
#include "runner/learner/lesson_outcome.h"
#include "runner/learner/progress.h"
#include "runner/terminal/terminal.h"
#include "trace/run_control.h"

namespace runner {
namespace {

/// The record of one check, or the reason why there is none.
struct all_result {
  std::optional<report::result> record;
  std::string problem;
};

all_result result_from(const course::checkout& checkout, const course::lesson& lesson,
                       const check_options& options, const check_job& job, const processes::outcome& done) {
  try {
    const report::result record = job.result(done);
    say_not_kept(job);
    if (is_of_learner(options)) note_result(checkout, lesson, record);
    return {record, ""};
  } catch (const processes::cannot_do& reason) {
    return {std::nullopt, reason.what()};
  }
}

void print_line(const course::lesson& lesson, const all_result& result) {
  const lesson_outcome outcome = result.record ? outcome_of(*result.record) : lesson_outcome{};
  const std::string name = fmt::format("{} {}", lesson.two_digits(), lesson.title);
  fmt::print("{}\n", outcome_line(name, outcome, styles{report_colour()}));
  if (!result.problem.empty()) fmt::print(stderr, "{}\n", result.problem);
  std::fflush(stdout);
}

/// 0: all passed; 1: one failed; 2: none failed, one is undecided.
int exit_status_of(const std::vector<all_result>& results) {
  using report::exit_status;
  int status = exit_status::passed;
  for (const all_result& result : results) {
    const int own = result.record ? report::exit_status_of(result.record->verdict) : exit_status::undecided;
    if (own == exit_status::failed || own == exit_status::time_limit) return exit_status::failed;
    status = std::max(status, own);
  }
  return status;
}

}  // namespace

int check_all(const course::checkout& checkout, const check_options& options, all_format format) {
  const std::vector<course::lesson>& lessons = checkout.lessons();
  std::vector<check_job> jobs;
  std::vector<std::vector<std::string>> commands;
  for (const course::lesson& lesson : lessons)
    commands.push_back(jobs.emplace_back(checkout, lesson, options).command());
  const std::size_t at_once = options.subject.backend == trace::backend::gpu ? 1 : trace::usable_cores();
  trace::share_cores(at_once);
  std::vector<all_result> results(lessons.size());
  std::vector<bool> is_through(lessons.size());
  std::size_t printed = 0;
  processes::run_children(
      commands, checkout.root(), at_once,
      [&](std::size_t index, const processes::outcome& done) {
        results[index] = result_from(checkout, lessons[index], options, jobs[index], done);
        is_through[index] = true;
        for (; format == all_format::lines && printed < lessons.size() && is_through[printed]; ++printed)
          print_line(lessons[printed], results[printed]);
      },
      limit_of_check);
  if (format == all_format::lines) {
    const auto passed = std::count_if(results.begin(), results.end(), [](const all_result& result) {
      return result.record && result.record->verdict == report::run_verdict::pass;
    });
    fmt::print("\n{} of {} lessons passed.\n", passed, lessons.size());
    return exit_status_of(results);
  }
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (const all_result& result : results) {
    if (result.record) records.push_back(nlohmann::ordered_json::parse(report::to_json(*result.record)));
    if (!result.problem.empty()) fmt::print(stderr, "{}\n", result.problem);
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"results", std::move(records)}}.dump(2));
  return exit_status_of(results);
}

}  // namespace runner
