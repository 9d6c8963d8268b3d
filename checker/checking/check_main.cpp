#include "checking/check_main.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "checking/build_exercise.h"
#include "checking/check_json.h"
#include "checking/check_run.h"
#include "checking/criterion.h"
#include "checking/expectation.h"
#include "checking/lesson_module.h"
#include "checking/sweep_run.h"
#include "checking/todo_regions.h"
#include "course/lesson.h"
#include "course/record.h"
#include "parsing/command_line.h"
#include "processes/files.h"
#include "report/hints.h"
#include "report/result.h"
#include "report/sweep_json.h"
#include "report/verdict_text.h"

namespace checking {

namespace {

namespace fs = std::filesystem;
using report::run_verdict;

using exit_status = report::exit_status;

struct check_options {
  course::lesson lesson;
  check_request check{};
  int limit_milliseconds = 120'000;
  std::string criterion{};
  std::array<std::vector<int>, 2> swept{};  // the values of both parameters, setting by setting
  std::string skeleton{};
  std::string solution{};
  bool is_skeleton = false;
  bool as_json = false;

  check_request request() const {
    check_request made = check;
    made.limit = std::chrono::milliseconds(limit_milliseconds);
    return made;
  }
  const checking::rubric& rubric() const { return load_rubric(module_of(lesson.folder)); }
};

exit_status::value status_of_run(const report::result& result) {
  switch (result.verdict) {
    case run_verdict::infra_error:
      return exit_status::undecided;
    // This machine has no GPU: then nothing was run.
    case run_verdict::not_measurable:
      return result.schedules.empty() ? exit_status::not_observable : exit_status::passed;
    case run_verdict::missing_file:
    case run_verdict::compile_error:
    case run_verdict::own_main:
      return exit_status::failed;
    // Found by the compiler, or only later by the run.
    case run_verdict::unsupported:
      return result.schedules.empty() ? exit_status::failed : exit_status::passed;
    default:
      return exit_status::passed;
  }
}

int run(const check_options& options) {
  const report::result result = check_run(options.lesson, options.rubric(), options.request());
  const exit_status::value status = status_of_run(result);
  if (status != exit_status::passed) fmt::print(stderr, "{}", report::verdict_text(result, {}));
  return status;
}

int build(const check_options& options) {
  const course::record_lock lock(options.check.record);
  const build_outcome built = build_exercise(
      options.lesson, {options.check.source, options.check.record, options.check.compiler,
                       options.check.backend, options.check.cache, options.rubric().null_stream});
  fmt::print(stderr, "{}", built.compiler_output);
  if (!built.failure) return exit_status::passed;
  fmt::print(stderr, "{} {}\n", built.failure->why.observation, built.failure->why.read_next);
  return built.failure->verdict == run_verdict::infra_error ? exit_status::undecided : exit_status::failed;
}

int sweep(const check_options& options) {
  sweep_request request{.source = options.check.source,
                        .record = options.check.record,
                        .profile = options.check.profile,
                        .compiler = options.check.compiler,
                        .seed = options.check.seed.value_or(0),
                        .settings = {}};
  if (options.swept[0].size() != options.swept[1].size())
    throw std::runtime_error("--first and --second give different numbers of values");
  for (std::size_t i = 0; i < options.swept[0].size(); ++i)
    request.settings.push_back({options.swept[0][i], options.swept[1][i]});
  const sweep_outcome done = sweep_run(options.lesson, options.rubric(), request);
  if (!done.failure) {
    fmt::print("{}", report::sweep_json(done.sweep));
    return exit_status::passed;
  }
  fmt::print(stderr, "{}{} {}\n", done.compiler_output, done.failure->why.observation,
             done.failure->why.read_next);
  return done.failure->verdict == run_verdict::infra_error ? exit_status::undecided : exit_status::failed;
}

bool counts_against_the_learner(run_verdict verdict) {
  return verdict != run_verdict::pass && report::exit_status_of(verdict) != exit_status::undecided;
}

int show_criterion(const check_options& options) {
  const report::result result = report::load(course::result_file_of(options.check.record));
  if (!options.rubric().find(options.criterion)) {
    fmt::print(stderr, "This lesson has no criterion '{}'. The verb `criteria` lists them.\n",
               options.criterion);
    return exit_status::undecided;
  }
  fmt::print("{}", report::criterion_text(result, options.criterion, {}));
  for (const report::criterion_result& criterion : result.criteria) {
    if (criterion.name != options.criterion) continue;
    if (criterion.verdict == report::criterion_verdict::pass) return exit_status::passed;
    return criterion.verdict == report::criterion_verdict::fail ? exit_status::failed
                                                                : exit_status::not_observable;
  }
  // A run that did not get as far as the criteria fails them all, unless the mistake is ours.
  return counts_against_the_learner(result.verdict) ? exit_status::failed : exit_status::not_observable;
}

int show_report(const check_options& options) {
  const report::result result = report::load(course::result_file_of(options.check.record));
  if (status_of_run(result) == exit_status::not_observable)
    return exit_status::not_observable;  // there is no GPU: nothing to show
  const std::string text = report::verdict_text(result, {});
  std::ofstream(course::report_file_of(options.check.record)) << text;
  // CTest keeps what a passing test prints to itself; the terminal is where the learner looks.
  std::ofstream terminal("/dev/tty");
  if (terminal && (terminal << '\n' << text << std::flush)) return exit_status::passed;
  fmt::print("The report is in {}.\n",
             fs::absolute(course::report_file_of(options.check.record)).lexically_normal().string());
  return exit_status::passed;
}

expectation declared_for(const check_options& options) {
  const rubric& rubric = options.rubric();
  if (options.is_skeleton) {
    if (rubric.skeleton_fails.empty()) throw std::runtime_error("check.cpp does not say SKELETON_FAILS(...)");
    return {.must_fail = rubric.skeleton_fails.front(),
            .may_fail = {rubric.skeleton_fails.begin() + 1, rubric.skeleton_fails.end()}};
  }
  return expectation_of(processes::read_whole(options.check.source), rubric);
}

/// Of a wrong answer, what is wrong with the hint that comes first; "" when it is for the declared failure.
std::string problem_of_hints(const check_options& options, const expectation& expected,
                             const report::result& result) {
  const bool is_wrong_answer = !options.is_skeleton && !expected.must_fail.empty();
  if (!is_wrong_answer || result.backend == "gpu") return "";
  const std::vector<report::hint> hints =
      report::parse_hints(processes::content_of(options.lesson.hints()).value_or(""));
  const auto first = report::unfitting_first_hint(hints, report::failures_in(result), expected.must_fail);
  if (!first) return "";
  return fmt::format("The first hint is \"{}\", which is not for {}: see the lines \"for:\" of hints.md.\n",
                     first->heading, expected.must_fail);
}

int expect(const check_options& options) {
  const expectation expected = declared_for(options);
  const report::result result = check_run(options.lesson, options.rubric(), options.request());
  const std::string problem = difference(expected, result);
  const std::string stored = expectation_json(expected, result);
  processes::write_whole(course::expectation_file_of(options.check.record), stored);
  fmt::print("{}", options.as_json ? stored : problem);
  if (const std::string missing = read_next_not_in(processes::read_whole(options.lesson.page()), result);
      !missing.empty()) {
    fmt::print(stderr, "The lesson's page does not have this: {}\n", missing);
    return exit_status::failed;
  }
  const std::string unfitting = problem_of_hints(options, expected, result);
  fmt::print(stderr, "{}", unfitting);
  switch (agreement_of(expected, result)) {
    case agreement::as_expected:
      return unfitting.empty() ? exit_status::passed : exit_status::failed;
    case agreement::undecided:
      return exit_status::not_observable;
    case agreement::otherwise:
      break;
  }
  return exit_status::failed;
}

int list_criteria(const check_options& options) {
  if (options.as_json) {
    fmt::print("{}", rubric_json(options.rubric()));
    return exit_status::passed;
  }
  int points = 0;
  for (const criterion& line : options.rubric().criteria) {
    fmt::print("{:<34} {:>3}  {}\n", line.name, line.points, line.title);
    points += line.points;
  }
  fmt::print("{:<34} {:>3}\n", "", points);
  return points == 100 ? exit_status::passed : exit_status::failed;
}

int compare_todos(const check_options& options) {
  const std::string problem = difference_outside_todos(processes::read_whole(options.skeleton),
                                                       processes::read_whole(options.solution));
  if (!problem.empty()) fmt::print("{}\n", problem);
  return problem.empty() ? exit_status::passed : exit_status::failed;
}

void add_source_options(parsing::command& verb, check_options& options) {
  verb.option("--source", options.check.source, "The .cu file to check").required();
  verb.option("--record", options.check.record, "Folder for the result, the recording and the program")
      .required();
  verb.option("--compiler", options.check.compiler, "Compiler of the .cu file");
}

void add_gpu_options(parsing::command& verb, check_options& options) {
  verb.option("--profile", options.check.profile, "Name of a GPU profile, or a file").shows_default();
  verb.option("--seed", options.check.seed, "Repeats the inputs of an earlier check");
}

void add_build_options(parsing::command& verb, check_options& options) {
  add_source_options(verb, options);
  verb.choice("--backend", options.check.backend,
              {{"virtual", trace::backend::virtual_gpu}, {"gpu", trace::backend::gpu}}, "virtual or gpu");
  verb.option("--cache", options.check.cache,
              "Folder of compiled objects; without it beside that of the record");
}

void add_run_options(parsing::command& verb, check_options& options) {
  add_build_options(verb, options);
  add_gpu_options(verb, options);
  verb.choice("--isolation", options.check.isolation,
              {{"best", std::nullopt},
               {"none", processes::isolation::none},
               {"landlock+seccomp", processes::isolation::landlock_seccomp},
               {"bwrap+seccomp", processes::isolation::bwrap_seccomp},
               {"bwrap+cgroup+seccomp", processes::isolation::bwrap_cgroup_seccomp}},
              "The sandbox of the program: best, none, or a level below which nothing is run");
  verb.option("--limit", options.limit_milliseconds, "Milliseconds that the whole check may take")
      .between(1, 3'600'000)
      .shows_default();
  verb.flag("--keep-schedules", options.check.keeps_schedules,
            "Also keep the recordings of the other schedules");
  verb.option("--work-scale", options.check.work_scale,
              "Times the usual work, an odd number: 1 on the virtual GPU, 9 on a real one unless given")
      .checked([](const std::string& text) {
        const bool is_odd = !text.empty() && text.find_first_not_of("0123456789") == text.npos &&
                            (text.back() - '0') % 2 == 1;
        return is_odd ? "" : "an odd number above 0 is needed";
      })
      .called("ODD");
}

}  // namespace

int check_main(int argument_count, char** arguments, const char* checkout) try {
  std::vector<std::string> words = parsing::words_behind_name(argument_count, arguments);
  if (words.empty())
    throw std::runtime_error("usage: streamlings-check FOLDER VERB ..., FOLDER as in checker/lessons");
  const std::string folder = words.front();
  words.erase(words.begin());
  check_options options{.lesson = course::lesson_of(checkout, folder)};
  parsing::command app(fmt::format("Checks lesson {:02}, {}.", options.lesson.number, options.lesson.slug),
                       "streamlings-check " + folder);
  app.needs_verb();
  parsing::command& run_verb = app.verb("run", "Build, run and judge a file, and write the record");
  add_run_options(run_verb, options);
  run_verb.does([&] { return run(options); });
  parsing::command& build_verb = app.verb("build", "Only compile a file");
  add_build_options(build_verb, options);
  build_verb.does([&] { return build(options); });
  parsing::command& criterion_verb = app.verb("criterion", "Say what a record says of one criterion");
  criterion_verb.option("name", options.criterion, "Name of the criterion").required();
  criterion_verb.option("--record", options.check.record, "Folder of the record").required();
  criterion_verb.does([&] { return show_criterion(options); });
  parsing::command& report_verb = app.verb("report", "Show the whole report of a record on the terminal");
  report_verb.option("--record", options.check.record, "Folder of the record").required();
  report_verb.does([&] { return show_report(options); });
  parsing::command& expect_verb =
      app.verb("expect", "Check a file and compare with what its first lines say");
  add_run_options(expect_verb, options);
  expect_verb.flag("--skeleton", options.is_skeleton, "Compare with SKELETON_FAILS of check.cpp instead");
  expect_verb.flag("--json", options.as_json, "Print JSON");
  expect_verb.does([&] { return expect(options); });
  parsing::command& criteria_verb = app.verb("criteria", "List the criteria and their points");
  criteria_verb.flag("--json", options.as_json, "Print JSON");
  criteria_verb.does([&] { return list_criteria(options); });
  parsing::command& sweep_verb =
      app.verb("sweep", "Time a file with settings of the two parameters that check.cpp declares");
  add_source_options(sweep_verb, options);
  add_gpu_options(sweep_verb, options);
  sweep_verb.option("--first", options.swept[0], "Values of the first parameter, one a setting")
      .separated_by(',')
      .required();
  sweep_verb.option("--second", options.swept[1], "Values of the second parameter, one a setting")
      .separated_by(',')
      .required();
  sweep_verb.does([&] { return sweep(options); });
  parsing::command& todos_verb = app.verb("todos", "Compare skeleton and solution outside the TODOs");
  todos_verb.option("--skeleton", options.skeleton, "The skeleton").required();
  todos_verb.option("--solution", options.solution, "The solution").required();
  todos_verb.does([&] { return compare_todos(options); });
  const int status = app.run(words, exit_status::undecided).value_or(exit_status::undecided);
  processes::require_written_output();
  return status;
} catch (const fs::filesystem_error& problem) {
  fmt::print(stderr, "{}\n", processes::plain_words(problem));
  return exit_status::undecided;
} catch (const std::exception& mistake) {
  fmt::print(stderr, "{}\n", mistake.what());
  return exit_status::undecided;
}

}  // namespace checking
