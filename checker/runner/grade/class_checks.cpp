#include "runner/grade/class_checks.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "course/record.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "runner/learner/lesson_check.h"
#include "runner/terminal/terminal.h"

namespace runner {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

/// On a terminal one line that changes with each check, elsewhere a line now and then.
class grading_progress {
 public:
  explicit grading_progress(std::size_t total)
      : total_(total), has_terminal_(is_terminal(output_stream::error)) {}
  ~grading_progress() {
    if (has_terminal_ && done_ > 0) fmt::print(stderr, "{}", clear_line);
  }
  grading_progress(const grading_progress&) = delete;
  grading_progress& operator=(const grading_progress&) = delete;

  /// Checks that are done once more.
  void add(std::size_t more) { total_ += more; }
  void count_one() {
    ++done_;
    const auto now = steady_clock::now();
    if (!has_terminal_ && now - last_line_time_ < std::chrono::seconds(30)) return;
    last_line_time_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double rate = static_cast<double>(done_) / std::max(seconds, 0.001);
    fmt::print(stderr, "{}{} of {} checks, {:.1f} a second, {} left{}", has_terminal_ ? clear_line : "",
               done_, total_, rate, time_left(total_ - done_, rate), has_terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  std::size_t total_;
  bool has_terminal_;
  std::size_t done_ = 0;
  steady_clock::time_point begin_ = steady_clock::now();
  steady_clock::time_point last_line_time_ = begin_;
};

bool is_final(const std::optional<report::result>& record) {
  return record && record->verdict != report::run_verdict::infra_error;
}

/// In the place of the record that a check did not leave.
report::result record_of_lost_check(const planned_check& check, const std::string& reason) {
  report::result record;
  record.lesson = check.lesson.number;
  record.slug = check.lesson.slug;
  record.title = check.lesson.title;
  record.source = check.source;
  record.seed = check.seed;
  record.verdict = report::run_verdict::infra_error;
  record.why = {"The check comes to an end.", reason, "",
                "This is a matter of the machine or of the course, not of the file."};
  return record;
}

/// Whether a limit of real time counts against a file.
enum class real_time { is_doubted, is_believed };

/// Returns the checks that are to be done once more. A record that is doubted is not kept: after kill -9 it is doubted again.
std::vector<const planned_check*> run_once(const course::checkout& checkout,
                                           const std::vector<const planned_check*>& checks,
                                           const grade_settings& settings, const results_folder& results,
                                           const running_slot& slot, std::size_t jobs, real_time limit,
                                           grading_progress& progress) {
  std::vector<const planned_check*> again;
  std::vector<check_job> started;
  std::vector<std::vector<std::string>> commands;
  for (const planned_check* check : checks) {
    check_options options{.subject = {.backend = settings.backend, .profile = settings.profile},
                          .file = check->source,
                          .seed = check->seed,
                          .isolation = std::string(processes::word_of(settings.isolation)),
                          .record = slot.begin(check->key)};
    commands.push_back(started.emplace_back(checkout, check->lesson, options).command());
  }
  const auto ended = [&](std::size_t index, const processes::outcome& done) {
    const planned_check& check = *checks[index];
    std::optional<report::result> record;
    try {
      record = started[index].result(done);
    } catch (const processes::cannot_do& reason) {
      record = record_of_lost_check(check, reason.what());
      report::save(course::result_file_of(slot.folder_of(check.key)), *record);
    }
    const bool is_doubted = limit == real_time::is_doubted && record->is_over_real_time;
    if (is_doubted || !is_final(record)) again.push_back(&check);
    if (is_doubted) {
      fs::remove_all(slot.folder_of(check.key));
    } else {
      slot.keep(results, check.key);
    }
    progress.count_one();
  };
  processes::run_children(commands, checkout.root(), jobs, ended, limit_of_check);
  return again;
}

}  // namespace

std::optional<report::result> record_of(const results_folder& results, const planned_check& check) {
  try {
    return report::load(course::result_file_of(results.record(check.key)));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::string time_left(std::size_t left, double per_second) {
  const auto minutes = static_cast<long>(std::ceil(static_cast<double>(left) / per_second / 60));
  if (left == 0) return "0 min";
  return minutes < 60 ? fmt::format("{} min", minutes)
                      : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

check_counts run_checks(const course::checkout& checkout, const class_plan& plan,
                        const grade_settings& settings, const results_folder& results,
                        const check_share& share) {
  check_counts counts;
  std::vector<const planned_check*> waiting;
  for (std::size_t i = 0; i < plan.checks.size(); ++i) {
    if (is_final(record_of(results, plan.checks[i]))) {
      ++counts.known;
    } else if (!share.is_collecting && i % share.shard.count == share.shard.index) {
      waiting.push_back(&plan.checks[i]);
    } else {
      ++counts.left_out;
    }
  }
  counts.run = waiting.size();
  if (waiting.empty()) return counts;
  const running_slot slot(results, fmt::format("{}-of-{}", share.shard.index, share.shard.count));
  grading_progress progress(waiting.size());
  waiting = run_once(checkout, waiting, settings, results, slot, share.jobs, real_time::is_doubted, progress);
  progress.add(waiting.size());
  if (!waiting.empty())
    run_once(checkout, waiting, settings, results, slot, 1, real_time::is_believed, progress);
  return counts;
}

}  // namespace runner
