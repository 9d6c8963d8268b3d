#include "checking/check_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <stdexcept>
#include <utility>

#include "checking/build_exercise.h"
#include "checking/criterion.h"
#include "checking/evaluate.h"
#include "checking/gpu_runs.h"
#include "checking/real_gpu.h"
#include "checking/record_lock.h"
#include "checking/repeated_rounds.h"
#include "checking/run_failure.h"
#include "course/lesson.h"
#include "device/profile.h"
#include "matchers/gpu_of_the_run.h"
#include "matchers/stages.h"
#include "processes/content_hash.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_text.h"
#include "report/verdict_text.h"
#include "trace/recording_json.h"

namespace checking {

namespace {

namespace fs = std::filesystem;

// Answers with this prefix belong to the machine, not to one run: drive.cpp measures them in the plain run,
// and the other schedules are given them, or "kernels ten times slower" would be calibrated away.
constexpr std::string_view calibrated = "calibrated.";

constexpr int gpu_work_scale = 9;

std::uint64_t fresh_seed() { return std::random_device{}(); }

void judge_as(report::result& result, const matchers::finding& failure) {
  result.verdict = failure.failure;
  result.why = failure.why;
}

exercise::message with_calibration_of(const exercise::message& request, const exercise::message& answer) {
  exercise::message extended = request;
  for (const std::string& name : answer.unread_names()) {
    if (name.rfind(calibrated, 0) != 0) continue;
    const double value = answer.number(name);
    if (!(value > 0)) throw std::runtime_error(fmt::format("The calibration gave {} = {}.", name, value));
    extended.set(name, value);
  }
  return extended;
}

exercise::launch_options options_for(const check_request& what, const fs::path& profile, int work_scale) {
  exercise::launch_options options;
  options.program = exercise_program(what.record);
  options.own_sources = {what.source};
  options.limits.cpu_time *= work_scale;
  options.limits.real_time *= work_scale;
  options.environment = {{"STREAMLINGS_PROFILE", profile.string()}};
  return options;
}

matchers::scheduled_run run_under(const std::string& schedule, const exercise::message& request,
                                  exercise::launch_options options) {
  options.request = request;
  options.environment.emplace_back("STREAMLINGS_SCHEDULE", schedule);
  return {schedule, exercise::launch(options)};
}

// Stops at the first run that cannot be judged: the others would only say the same.
std::optional<matchers::finding> run_all(std::vector<matchers::scheduled_run>& runs,
                                         const exercise::message& request,
                                         const exercise::launch_options& options) {
  exercise::message fed = request;
  for (const std::string& schedule : matchers::all_schedules()) {
    runs.push_back(run_under(schedule, fed, options));
    if (auto failure = failure_of(runs.back())) return failure;
    if (runs.size() == 1) fed = with_calibration_of(request, runs.front().outcome.answer);
  }
  return std::nullopt;
}

bool has_learner_part(const trace::recording& seen) {
  return std::any_of(seen.marks.begin(), seen.marks.end(),
                     [](const trace::mark& each) { return each.name == "begin:learner"; });
}

// Where a real GPU's recorder was refused: why, and what is known all the same.
std::string words_without_timeline(const trace::recording& seen, const std::string& reason) {
  const trace::nanoseconds time = matchers::time_in_calls(analysis::part_of(seen, "learner"));
  std::string text = fmt::format("There is no timeline. {}.\n", reason);
  if (time.count() > 0)
    text += fmt::format("By events your part took {}, from its first call to the end of its work.\n",
                        report::duration_words(time));
  return text;
}

std::string timeline_of(const trace::recording& seen) {
  for (const trace::diagnostic& each : seen.diagnostics) {
    if (each.kind == trace::diagnostic_kind::not_recorded) return words_without_timeline(seen, each.message);
  }
  return report::timeline_text(seen, {});
}

void keep_recording(report::result& result, const trace::recording& seen, const fs::path& record) {
  const fs::path half = recording_file_of(record).string() + ".new";
  std::ofstream out(half, std::ios::binary);
  trace::write_json(out, seen);
  out.close();
  if (!out) throw std::runtime_error("cannot write " + half.string());
  fs::rename(half, recording_file_of(record));
  result.recording = recording_file_of(record).filename();
  if (!seen.profile.empty()) result.profile = seen.profile;
  if (has_learner_part(seen)) result.timeline = timeline_of(seen);
}

void keep_plain_run(report::result& result, const exercise::outcome& plain, const fs::path& record) {
  result.program_output = plain.output;
  if (plain.seen) keep_recording(result, *plain.seen, record);
}

void judge_by_criteria(report::result& result) {
  result.verdict = report::verdict_of(result.criteria);
  for (const report::criterion_result& each : result.criteria) {
    if (each.verdict != report::criterion_verdict::fail || each.failure != result.verdict) continue;
    result.why = each.why;
    return;
  }
}

void run_and_judge(report::result& result, const check_request& what, const fs::path& profile,
                   int work_scale) {
  const auto begin = std::chrono::steady_clock::now();
  random_values values(result.seed);
  matchers::observations seen;
  seen.request = registered_rubric().make_request(values);
  const auto failure = run_all(seen.runs, seen.request, options_for(what, profile, work_scale));
  result.run_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const matchers::scheduled_run& run : seen.runs) result.schedules.push_back(run.schedule);
  const exercise::outcome& plain = seen.runs.front().outcome;
  keep_plain_run(result, plain, what.record);
  if (failure) return judge_as(result, *failure);
  seen.learner = analysis::part_of(*plain.seen, "learner");
  matchers::use_gpu(device::load_profile(profile));
  result.criteria = evaluate(seen);
  judge_by_criteria(result);
}

/// Rounds of judging until nothing more can be learned from another run. A run that cannot be judged ends
/// them.
std::optional<matchers::finding> judge_rounds(gpu_runs& runs, std::vector<round>& rounds) {
  std::optional<matchers::finding> failure = runs.extend_to(rounds_to_look_after().front());
  if (failure) return failure;
  const auto next = [&]() -> const matchers::observations* {
    if (rounds.size() == runs.count()) {
      const auto& looks = rounds_to_look_after();
      const auto more = std::upper_bound(looks.begin(), looks.end(), runs.count());
      if (more == looks.end() || verdict_of_rounds(rounds, runs.median()).is_decided) return nullptr;
      failure = runs.extend_to(*more);
      if (failure) return nullptr;
    }
    return &runs.look_at(rounds.size());
  };
  evaluate_rounds(rounds_to_look_after().back() + 1, next, [&](std::vector<report::criterion_result> judged) {
    rounds.push_back({std::move(judged), matchers::was_disturbed(runs.run(rounds.size()))});
  });
  return failure;
}

void run_and_judge_on_gpu(report::result& result, const check_request& what) {
  const auto begin = std::chrono::steady_clock::now();
  random_values values(result.seed);
  gpu_runs runs(registered_rubric().make_request(values), exercise_program(what.record), what.source);
  std::vector<round> rounds;
  const auto failure = judge_rounds(runs, rounds);
  result.run_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t i = 0; i < runs.count(); ++i) result.schedules.push_back(runs.run(i).schedule);
  if (failure) {
    keep_plain_run(result, runs.run(runs.count() - 1).outcome, what.record);
    return judge_as(result, *failure);
  }
  keep_plain_run(result, runs.run(runs.median()).outcome, what.record);
  result.criteria = verdict_of_rounds(rounds, runs.median()).criteria;
  judge_by_criteria(result);
}

void build_run_and_judge(report::result& result, const lesson_folders& lesson, const check_request& what,
                         const fs::path& profile) {
  const build_outcome built = build_exercise(lesson, {what.source, what.record, what.compiler, what.on});
  result.compiler_output = built.compiler_output;
  result.build_seconds = built.seconds;
  if (built.failure) return judge_as(result, *built.failure);
  const int work_scale = what.work_scale.value_or(what.on == backend::gpu ? gpu_work_scale : 1);
  lesson_check::set_work_scale(work_scale);
  if (what.on == backend::gpu) return run_and_judge_on_gpu(result, what);
  run_and_judge(result, what, profile, work_scale);
}

// Those that the program inherits and that CUDA or the virtual GPU reads.
std::vector<std::string> variables_that_change_runs() {
  std::vector<std::string> set;
  for (const char* name : {"CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_LAUNCH_BLOCKING", "CUDA_VISIBLE_DEVICES",
                           "STREAMLINGS_DEVICES"}) {
    if (const char* value = std::getenv(name)) set.push_back(std::string(name) + "=" + value);
  }
  return set;
}

report::result begun(const lesson_folders& lesson, const check_request& what, const fs::path& profile) {
  report::result result;
  result.lesson = lesson.number();
  result.slug = lesson.slug();
  result.title = lesson.title();
  result.source = lesson.shown(what.source);
  if (fs::is_regular_file(what.source)) result.source_hash = processes::content_hash(content_of(what.source));
  result.lesson_hash = course::lesson_of(lesson.checkout(), lesson.contract().filename().string()).hash();
  result.backend = word_of(what.on);
  if (what.on == backend::virtual_gpu) {
    result.profile = profile.stem();
    if (profile.parent_path() != lesson.profiles()) result.profile_file = profile;
  }
  result.compiler = what.compiler;
  result.environment = variables_that_change_runs();
  result.seed = what.seed ? *what.seed : fresh_seed();
  return result;
}

}  // namespace

report::result check_run(const lesson_folders& lesson, const check_request& what) {
  const bool is_virtual = what.on == backend::virtual_gpu;
  const fs::path profile = is_virtual ? lesson.profile(what.profile) : fs::path();
  const record_lock lock(what.record);
  report::result result = begun(lesson, what, profile);
  fs::remove(recording_file_of(what.record));
  try {
    const std::string no_gpu = is_virtual ? "" : why_no_gpu();
    if (no_gpu.empty()) {
      build_run_and_judge(result, lesson, what, profile);
    } else {
      judge_as(result,
               {report::run_verdict::not_measurable,
                {"This machine has a GPU that the course can use.", no_gpu, "",
                 "./streamlings doctor says more. The virtual GPU checks every lesson without one."}});
    }
  } catch (const std::exception& mistake) {
    result.criteria.clear();
    judge_as(result, {report::run_verdict::infra_error,
                      {"The check itself works.", mistake.what(), "",
                       "This is a mistake of the course or of its setup, not yours."}});
  }
  report::save(result_file_of(what.record), result);
  std::ofstream(report_file_of(what.record)) << report::verdict_text(result, {});
  return result;
}

}  // namespace checking
