#include "checking/check_run.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "analysis/limits.h"
#include "checking/build_exercise.h"
#include "checking/check_limit.h"
#include "checking/criterion.h"
#include "checking/evaluate.h"
#include "checking/gpu_runs.h"
#include "checking/real_gpu.h"
#include "checking/remarks.h"
#include "checking/repeated_rounds.h"
#include "checking/run_failure.h"
#include "checking/virtual_runs.h"
#include "course/checkout.h"
#include "course/lesson.h"
#include "course/profile_lookup.h"
#include "course/record.h"
#include "device/profile.h"
#include "matchers/facts/stages.h"
#include "matchers/facts/value_lines.h"
#include "processes/cannot_do.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "processes/process_tree.h"
#include "processes/sandbox.h"
#include "report/exit_status.h"
#include "report/figures.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_text.h"
#include "report/verdict_text.h"
#include "report/wording/run_summary.h"
#include "trace/recording_json.h"
#include "trace/words.h"

namespace checking {

namespace {

namespace fs = std::filesystem;

constexpr int gpu_work_scale = 9;

std::uint64_t fresh_seed() { return std::random_device{}(); }

void judge_as(report::result& result, const run_failure& failure) {
  result.verdict = failure.verdict;
  result.why = failure.why;
  result.is_over_real_time = failure.is_over_real_time;
}

/// CUDA needs devices that no sandbox of ours has. Looking for the best one starts two programs.
processes::isolation used_isolation(const check_request& request) {
  if (request.backend == trace::backend::gpu || request.isolation == processes::isolation::none)
    return processes::isolation::none;
  return processes::probed_isolation().best;
}

/// Where one is asked for and there is none.
std::string why_no_sandbox(const check_request& request) {
  if (request.isolation.value_or(processes::isolation::none) == processes::isolation::none) return "";
  if (request.backend == trace::backend::gpu) return "Programs on a real GPU run without one.";
  const processes::isolation_probe& probed = processes::probed_isolation();
  return *request.isolation <= probed.best ? "" : probed.why_no_more;
}

exercise::launch_options options_for(const check_request& request, const fs::path& checkout, int work_scale) {
  exercise::launch_options options;
  options.program = exercise_program(request.record);
  options.own_sources = {request.source};
  if (used_isolation(request) != processes::isolation::none) {
    const fs::path library = processes::sibling_program("../lib/libvirtual_gpu.so").lexically_normal();
    options.sandbox = exercise::sandbox_files{.readable = {library}, .hidden = {checkout}};
  }
  options.limits.cpu_time *= work_scale;
  options.limits.real_time *= work_scale;
  return options;
}

std::optional<run_failure> first_failure(const matchers::observations& observed) {
  for (const matchers::scheduled_run& run : observed.runs) {
    if (auto failure = failure_of(run, observed.source)) return failure;
  }
  return std::nullopt;
}

// The plans are drawn in this order, so that a seed always gives the same.
matchers::observations requests_of(const course::lesson& lesson, const fs::path& source, const rubric& rubric,
                                   std::uint64_t seed, int work_scale) {
  random_values values(seed);
  matchers::observations requests;
  requests.source = {source.filename().string(), processes::content_of(source).value_or(""),
                     processes::content_of(lesson.skeleton()).value_or("")};
  requests.request = rubric.make_request(values, {.scale = work_scale});
  requests.other_request = rubric.make_request(values, {.scale = work_scale, .is_of_other_plan = true});
  requests.first_request = rubric.make_request(values, {.scale = work_scale});
  return requests;
}

// Asked to check on the second profile, the usual one is the other.
fs::path second_profile(const course::lesson& lesson, const rubric& rubric, const fs::path& profile) {
  if (rubric.second_profile.empty()) return {};
  const fs::path second =
      course::find_profile(course::profiles_folder(lesson.checkout), rubric.second_profile);
  return second != profile ? second
                           : course::find_profile(course::profiles_folder(lesson.checkout),
                                                  std::string(trace::usual_profile));
}

bool has_learner_part(const trace::recording& recording) {
  return std::any_of(recording.marks.begin(), recording.marks.end(),
                     [](const trace::mark& mark) { return mark.name == "begin:learner"; });
}

// Where a real GPU's recorder was refused: why, and what is known all the same.
std::string words_without_timeline(const trace::recording& recording, const std::string& reason) {
  const trace::nanoseconds time = matchers::time_in_calls(analysis::part_of(recording, "learner"));
  std::string text = fmt::format("There is no timeline. {}.\n", reason);
  if (time.count() > 0)
    text += fmt::format("By events your part took {}, from its first call to the end of its work.\n",
                        report::duration_words(time));
  return text;
}

bool lacks_operations(const trace::recording& recording) {
  return std::any_of(
      recording.diagnostics.begin(), recording.diagnostics.end(),
      [](const trace::diagnostic& note) { return note.kind == trace::diagnostic_kind::not_recorded; });
}

std::string timeline_of(const trace::recording& recording) {
  for (const trace::diagnostic& note : recording.diagnostics) {
    if (note.kind == trace::diagnostic_kind::not_recorded)
      return words_without_timeline(recording, note.message);
  }
  return report::timeline_text(recording, {});
}

void write_recording(const fs::path& file, const trace::recording& recording) {
  const fs::path new_file = file.string() + ".new";
  std::ofstream out(new_file, std::ios::binary);
  trace::write_json(out, recording);
  out.close();
  if (!out) throw std::runtime_error("cannot write " + new_file.string());
  fs::rename(new_file, file);
}

/// The recordings under the other schedules; without `keeps_schedules` those of an earlier check are removed.
void settle_schedules(const std::vector<matchers::scheduled_run>& runs, const check_request& request) {
  for (const trace::schedule_kind kind :
       {trace::schedule_kind::slow_copies, trace::schedule_kind::slow_kernels,
        trace::schedule_kind::late_pageable})
    fs::remove(course::recording_file_of(request.record, std::string(trace::word_of(kind))));
  if (!request.keeps_schedules || runs.empty() || !runs.front().outcome.recording) return;
  const trace::recording& first = *runs.front().outcome.recording;
  for (const matchers::scheduled_run& run : runs) {
    const std::optional<trace::recording>& recording = run.outcome.recording;
    if (recording && recording->profile == first.profile &&
        recording->schedule != trace::schedule_kind::as_is)
      write_recording(
          course::recording_file_of(request.record, std::string(trace::word_of(recording->schedule))),
          *recording);
  }
}

void keep_recording(report::result& result, const trace::recording& recording, const fs::path& record) {
  write_recording(course::recording_file_of(record), recording);
  result.recording = course::recording_file_of(record).filename();
  if (!recording.profile.empty()) result.profile = recording.profile;
  if (!has_learner_part(recording)) return;
  result.timeline = timeline_of(recording);
  const report::drawable_part drawable = report::part_to_draw(recording, "learner");
  if (drawable.part && !lacks_operations(recording)) result.figures = report::figures_of(*drawable.part);
}

void keep_plain_run(report::result& result, const exercise::outcome& plain, const fs::path& record) {
  result.program_output = plain.output;
  if (plain.recording) keep_recording(result, *plain.recording, record);
}

void judge_by_criteria(report::result& result) {
  result.verdict = report::verdict_of(result.criteria);
  const auto failed = report::failures_in_report_order(result);
  if (!failed.empty()) result.why = failed.front()->why;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run_and_judge(report::result& result, const course::lesson& lesson, const rubric& rubric,
                   const check_request& request, const virtual_gpus& profiles,
                   const exercise::launch_options& options, int work_scale) {
  const auto begin = std::chrono::steady_clock::now();
  matchers::observations observed = requests_of(lesson, request.source, rubric, result.seed, work_scale);
  observed.runs = virtual_runs(observed, options, profiles);
  const auto failure = first_failure(observed);
  result.run_seconds = seconds_since(begin);
  for (const matchers::scheduled_run& run : observed.runs) result.schedules.push_back(name_of(run));
  keep_plain_run(result, observed.runs.front().outcome, request.record);
  settle_schedules(observed.runs, request);
  if (failure) return judge_as(result, *failure);
  observed.gpu = device::load_profile(profiles.usual);
  result.criteria = evaluate(rubric, observed);
  result.remarks = remarks_on({observed, "learner"}, result.criteria);
  judge_by_criteria(result);
}

/// Rounds of judging until nothing more can be learned from another run. A run that cannot be judged ends them.
std::optional<run_failure> judge_rounds(const rubric& rubric, gpu_runs& runs, std::vector<round>& rounds) {
  for (const std::size_t count : rounds_to_look_after()) {
    if (auto failure = runs.extend_to(count)) return failure;
    while (rounds.size() < runs.count()) {
      const std::size_t number = rounds.size();
      rounds.push_back(
          {evaluate(rubric, runs.observed(), number), matchers::was_disturbed(runs.observed().runs[number])});
    }
    if (verdict_of_rounds(rounds, runs.median()).is_decided) break;
  }
  return std::nullopt;
}

void run_and_judge_on_gpu(report::result& result, const course::lesson& lesson, const rubric& rubric,
                          const check_request& request, int work_scale) {
  const auto begin = std::chrono::steady_clock::now();
  gpu_runs runs(requests_of(lesson, request.source, rubric, result.seed, work_scale),
                exercise_program(request.record), request.source);
  std::vector<round> rounds;
  const auto failure = judge_rounds(rubric, runs, rounds);
  result.run_seconds = seconds_since(begin);
  for (const matchers::scheduled_run& run : runs.observed().runs) result.schedules.push_back(name_of(run));
  const std::size_t run_to_keep = failure ? runs.count() - 1 : runs.median();
  keep_plain_run(result, runs.observed().runs[run_to_keep].outcome, request.record);
  if (failure) return judge_as(result, *failure);
  result.criteria = verdict_of_rounds(rounds, runs.median()).criteria;
  judge_by_criteria(result);
}

void build_run_and_judge(report::result& result, const course::lesson& lesson, const rubric& rubric,
                         const check_request& request, const fs::path& profile) {
  const build_outcome built = build_exercise(lesson, {request.source, request.record, request.compiler,
                                                      request.backend, request.cache, rubric.null_stream});
  result.compiler_output = built.compiler_output;
  result.build_seconds = built.seconds;
  if (built.failure) return judge_as(result, *built.failure);
  const bool is_on_gpu = request.backend == trace::backend::gpu;
  const int work_scale = request.work_scale.value_or(is_on_gpu ? gpu_work_scale : 1);
  if (is_on_gpu) return run_and_judge_on_gpu(result, lesson, rubric, request, work_scale);
  run_and_judge(
      result, lesson, rubric, request,
      {profile, second_profile(lesson, rubric, profile), std::max(rubric.devices, rubric.virtual_devices)},
      options_for(request, lesson.checkout, work_scale), work_scale);
}

// Variables that CUDA documents and that can change a run. The program gets them as they are.
// Source: https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html
constexpr const char* cuda_variables[] = {"CUDA_VISIBLE_DEVICES",
                                          "CUDA_MANAGED_FORCE_DEVICE_ALLOC",
                                          "CUDA_DEVICE_ORDER",
                                          "CUDA_CACHE_DISABLE",
                                          "CUDA_CACHE_PATH",
                                          "CUDA_CACHE_MAXSIZE",
                                          "CUDA_FORCE_PTX_JIT",
                                          "CUDA_DISABLE_PTX_JIT",
                                          "CUDA_FORCE_JIT",
                                          "CUDA_DISABLE_JIT",
                                          "CUDA_LAUNCH_BLOCKING",
                                          "CUDA_DEVICE_MAX_CONNECTIONS",
                                          "CUDA_DEVICE_MAX_COPY_CONNECTIONS",
                                          "CUDA_SCALE_LAUNCH_QUEUES",
                                          "CUDA_GRAPHS_USE_NODE_PRIORITY",
                                          "CUDA_AUTO_BOOST",
                                          "CUDA_DEVICE_WAITS_ON_EXCEPTION",
                                          "CUDA_DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT",
                                          "CUDA_DISABLE_PERF_BOOST",
                                          "CUDA_MODULE_LOADING",
                                          "CUDA_MODULE_DATA_LOADING",
                                          "CUDA_BINARY_LOADER_THREAD_COUNT",
                                          "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
                                          "CUDA_ERROR_LEVEL",
                                          "CUDA_LOG_FILE"};

std::vector<std::string> variables_that_change_runs() {
  std::vector<std::string> set;
  for (const char* name : cuda_variables) {
    if (const char* value = std::getenv(name)) set.push_back(std::string(name) + "=" + value);
  }
  return set;
}

report::result begun(const course::lesson& lesson, const check_request& request, const fs::path& profile) {
  report::result result;
  result.lesson = lesson.number;
  result.slug = lesson.slug;
  result.title = lesson.title;
  result.source = course::relative_path(lesson.checkout, request.source);
  if (fs::is_regular_file(request.source))
    result.source_hash = processes::content_hash(processes::read_whole(request.source));
  result.lesson_hash = lesson.hash();
  result.backend = trace::word_of(request.backend);
  if (request.backend == trace::backend::virtual_gpu) {
    result.profile = profile.stem();
    if (profile.parent_path() != course::profiles_folder(lesson.checkout)) result.profile_file = profile;
  }
  result.compiler = request.compiler;
  result.environment = variables_that_change_runs();
  result.isolation = processes::word_of(used_isolation(request));
  result.seed = request.seed ? *request.seed : fresh_seed();
  return result;
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%F %T", &parts);
  return text;
}

/// Quotes the lines of the file in which the failures are, and those that gave what is wrong there its value.
void quote_lines(report::result& result, const fs::path& source) {
  const std::optional<std::string> content = processes::content_of(source);
  if (!content) return;
  const matchers::learner_source file{source.filename().string(), *content, ""};
  const report::evidence decided_by = result.why;
  if (result.verdict == report::run_verdict::crashed)
    result.why.values = matchers::lines_of_values(file, matchers::value_of::statement, result.why);
  matchers::quote_lines(file, "", result.why);
  for (report::criterion_result& criterion : result.criteria) {
    const bool decides = criterion.why == decided_by;
    matchers::quote_lines(file, criterion.mistake, criterion.why);
    if (decides) result.why = criterion.why;
  }
}

/// "715 us" of the picture of the solution's run on the page, which is of the usual profile; "" of any other.
std::string time_of_solution(const course::lesson& lesson, const std::string& profile) {
  if (!fs::exists(lesson.solution())) return "";
  const std::string page = processes::content_of(lesson.page()).value_or("");
  static constexpr std::string_view mark = "<!-- timeline: solution -->\n```text\n";
  const std::size_t begin = page.find(mark);
  if (begin == std::string::npos || profile != trace::usual_profile) return "";
  const std::string line =
      page.substr(begin + mark.size(), page.find('\n', begin + mark.size()) - begin - mark.size());
  const std::size_t end = line.find(" in all");
  return end == std::string::npos ? "" : line.substr(0, end);
}

/// What is not known before the verdict, and what came before it in the same folder.
void complete(report::result& result, const course::lesson& lesson, const check_request& request) {
  result.checked_at = local_time();
  result.solution_time = time_of_solution(lesson, result.profile);
  quote_lines(result, request.source);
  try {
    result.changes = report::changes_between(report::load(course::result_file_of(request.record)), result);
  } catch (const std::runtime_error&) {
    // There was none, or it is of another version.
  }
}

void save_with_report(const report::result& result, const fs::path& record) {
  const std::string text = report::verdict_text(result, {});
  try {
    report::save(course::result_file_of(record), result);
    processes::write_whole(course::report_file_of(record), text);
  } catch (const std::exception& reason) {
    // Whoever waits for the record shows this in its place.
    throw processes::cannot_do(fmt::format("{}\nThis verdict could not be saved. {}", text, reason.what()));
  }
}

int report_late_check(report::result result, const check_request& request) {
  judge_as(result,
           {report::run_verdict::infra_error,
            {"The whole check ends within its time limit.",
             fmt::format("It was still running after {}.", report::duration_words(request.limit)), "",
             "Check again when the machine has less to do. If that does not help, please report it."}});
  fmt::print(stderr, "{}", report::verdict_text(result, {}));
  std::fflush(stderr);
  try {
    save_with_report(result, request.record);
  } catch (const processes::cannot_do&) {
    // It was shown.
  }
  processes::end_children([] { return processes::children_of(getpid()); }, std::chrono::seconds(1),
                          std::chrono::seconds(5));
  return report::exit_status::undecided;
}

}  // namespace

report::result check_run(const course::lesson& lesson, const rubric& rubric, const check_request& request) {
  const bool is_virtual = request.backend == trace::backend::virtual_gpu;
  const fs::path profile =
      is_virtual ? course::find_profile(course::profiles_folder(lesson.checkout), request.profile)
                 : fs::path();
  const course::record_lock lock(request.record);
  report::result result = begun(lesson, request, profile);
  fs::remove(course::recording_file_of(request.record));
  try {
    const check_limit limit(request.limit, [&request, result] { return report_late_check(result, request); });
    if (is_virtual)
      device::load_profile(profile);  // what is wrong with it is told before anything is compiled
    const std::string no_gpu = is_virtual ? "" : why_no_gpu(rubric.devices);
    if (const std::string no_sandbox = why_no_sandbox(request); !no_sandbox.empty()) {
      judge_as(result, {report::run_verdict::infra_error,
                        {"The program runs in a sandbox, as --isolation asks.", no_sandbox, "",
                         "--isolation none runs it without one, with all rights of yours."}});
    } else if (no_gpu.empty()) {
      build_run_and_judge(result, lesson, rubric, request, profile);
    } else {
      judge_as(
          result,
          {report::run_verdict::not_measurable,
           {rubric.devices == 1
                ? "This machine has a GPU that the course can use."
                : fmt::format("This machine has {} GPUs that the course can use.", rubric.devices),
            no_gpu, "", "./streamlings doctor says more. The virtual GPU checks every lesson without one."}});
    }
  } catch (const fs::filesystem_error& problem) {
    result.criteria.clear();
    judge_as(result, {report::run_verdict::infra_error,
                      {"The check can use its files.", processes::plain_words(problem), "",
                       "This is a matter of the setup, not of your file."}});
  } catch (const analysis::too_large& reason) {
    result.criteria.clear();
    judge_as(result, {report::run_verdict::inconclusive,
                      {"The run is small enough to be judged.", reason.what(), "",
                       "Use fewer streams, or let them wait for one common event."}});
  } catch (const std::exception& mistake) {
    result.criteria.clear();
    judge_as(result, {report::run_verdict::infra_error,
                      {"The check itself works.", mistake.what(), "",
                       "This is a mistake of the course or of its setup, not yours."}});
  }
  complete(result, lesson, request);
  save_with_report(result, request.record);
  return result;
}

}  // namespace checking
