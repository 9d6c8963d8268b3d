#include "checking/check_main.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
#include "checking/lesson_folders.h"
#include "checking/record_lock.h"
#include "checking/sweep_run.h"
#include "checking/todo_regions.h"
#include "parsing/command_line.h"
#include "report/result.h"
#include "report/sweep_json.h"
#include "report/verdict_text.h"

namespace checking {

namespace {

namespace fs = std::filesystem;
using report::run_verdict;

enum exit_status { passed = 0, failed = 1, undecided = 2, not_observable = 77 };

struct options {
  const checking::rubric& rubric;
  check_request check;
  std::string criterion;
  std::array<std::vector<int>, 2> swept;  // the values of both parameters, setting by setting
  std::string skeleton;
  std::string solution;
  bool is_skeleton = false;
  bool as_json = false;
};

exit_status status_of_run(const report::result& result) {
  switch (result.verdict) {
    case run_verdict::infra_error:
      return undecided;
    // This machine has no GPU: then nothing was run.
    case run_verdict::not_measurable:
      return result.schedules.empty() ? not_observable : passed;
    case run_verdict::missing_file:
    case run_verdict::compile_error:
    case run_verdict::own_main:
      return failed;
    // Found by the compiler, or only later by the run.
    case run_verdict::unsupported:
      return result.schedules.empty() ? failed : passed;
    default:
      return passed;
  }
}

int run(const lesson_folders& lesson, const options& given) {
  const report::result result = check_run(lesson, given.rubric, given.check);
  const exit_status status = status_of_run(result);
  if (status != passed) fmt::print(stderr, "{}", report::verdict_text(result, {}));
  return status;
}

int build(const lesson_folders& lesson, const options& given) {
  const record_lock lock(given.check.record);
  const build_outcome built = build_exercise(
      lesson, {given.check.source, given.check.record, given.check.compiler, given.check.backend});
  fmt::print(stderr, "{}", built.compiler_output);
  if (!built.failure) return passed;
  fmt::print(stderr, "{} {}\n", built.failure->why.seen, built.failure->why.read_next);
  return built.failure->verdict == run_verdict::infra_error ? undecided : failed;
}

int sweep(const lesson_folders& lesson, const options& given) {
  sweep_request request{.source = given.check.source,
                        .record = given.check.record,
                        .profile = given.check.profile,
                        .compiler = given.check.compiler,
                        .seed = given.check.seed.value_or(0),
                        .settings = {}};
  if (given.swept[0].size() != given.swept[1].size())
    throw std::runtime_error("--first and --second give different numbers of values");
  for (std::size_t i = 0; i < given.swept[0].size(); ++i)
    request.settings.push_back({given.swept[0][i], given.swept[1][i]});
  const sweep_outcome done = sweep_run(lesson, given.rubric, request);
  if (!done.failure) {
    fmt::print("{}", report::sweep_json(done.sweep));
    return passed;
  }
  fmt::print(stderr, "{}{} {}\n", done.compiler_output, done.failure->why.seen, done.failure->why.read_next);
  return done.failure->verdict == run_verdict::infra_error ? undecided : failed;
}

bool counts_against_the_learner(run_verdict verdict) {
  return verdict != run_verdict::pass && report::exit_status_of(verdict) != undecided;
}

int show_criterion(const options& given) {
  const report::result result = report::load(result_file_of(given.check.record));
  if (!given.rubric.find(given.criterion)) {
    fmt::print(stderr, "This lesson has no criterion '{}'. The verb `criteria` lists them.\n",
               given.criterion);
    return undecided;
  }
  fmt::print("{}", report::criterion_text(result, given.criterion, {}));
  for (const report::criterion_result& each : result.criteria) {
    if (each.name != given.criterion) continue;
    if (each.verdict == report::criterion_verdict::pass) return passed;
    return each.verdict == report::criterion_verdict::fail ? failed : not_observable;
  }
  // A run that did not get as far as the criteria fails them all, unless the mistake is ours.
  return counts_against_the_learner(result.verdict) ? failed : not_observable;
}

int show_report(const options& given) {
  const report::result result = report::load(result_file_of(given.check.record));
  if (status_of_run(result) == not_observable) return not_observable;  // there is no GPU: nothing to show
  const std::string text = report::verdict_text(result, {});
  std::ofstream(report_file_of(given.check.record)) << text;
  // CTest keeps what a passing test prints to itself; the terminal is where the learner looks.
  std::ofstream terminal("/dev/tty");
  if (terminal && (terminal << '\n' << text << std::flush)) return passed;
  fmt::print("The report is in {}.\n",
             fs::absolute(report_file_of(given.check.record)).lexically_normal().string());
  return passed;
}

expectation declared_for(const options& given) {
  const checking::rubric& known = given.rubric;
  if (given.is_skeleton) {
    if (known.skeleton_fails.empty()) throw std::runtime_error("check.cpp does not say SKELETON_FAILS(...)");
    return {known.skeleton_fails.front(), {known.skeleton_fails.begin() + 1, known.skeleton_fails.end()}};
  }
  const std::string text = content_of(given.check.source);
  return expectation_of(std::string_view(text).substr(0, text.find('\n')), known);
}

int expect(const lesson_folders& lesson, const options& given) {
  const expectation expected = declared_for(given);
  const report::result result = check_run(lesson, given.rubric, given.check);
  const std::string problem = difference(expected, result);
  fmt::print("{}", given.as_json ? expectation_json(expected, result) : problem);
  switch (agreement_of(expected, result)) {
    case agreement::as_expected:
      return passed;
    case agreement::undecided:
      return not_observable;
    case agreement::otherwise:
      break;
  }
  return failed;
}

int list_criteria(const options& given) {
  if (given.as_json) {
    fmt::print("{}", rubric_json(given.rubric));
    return passed;
  }
  int points = 0;
  for (const criterion& each : given.rubric.criteria) {
    fmt::print("{:<34} {:>3}  {}\n", each.name, each.points, each.title);
    points += each.points;
  }
  fmt::print("{:<34} {:>3}\n", "", points);
  return points == 100 ? passed : failed;
}

int compare_todos(const options& given) {
  const std::string problem =
      difference_outside_todos(content_of(given.skeleton), content_of(given.solution));
  if (!problem.empty()) fmt::print("{}\n", problem);
  return problem.empty() ? passed : failed;
}

void add_source_options(parsing::command& verb, options& given) {
  verb.option("--source", given.check.source, "The .cu file to check").required();
  verb.option("--record", given.check.record, "Folder for the result, the recording and the program")
      .required();
  verb.option("--compiler", given.check.compiler, "Compiler of the .cu file");
}

void add_gpu_options(parsing::command& verb, options& given) {
  verb.option("--profile", given.check.profile, "Name of a GPU profile, or a file").shows_default();
  verb.option("--seed", given.check.seed, "Repeats the inputs of an earlier check");
}

void add_build_options(parsing::command& verb, options& given) {
  add_source_options(verb, given);
  verb.choice("--backend", given.check.backend, {{"virtual", backend::virtual_gpu}, {"gpu", backend::gpu}},
              "virtual or gpu");
}

void add_run_options(parsing::command& verb, options& given) {
  add_build_options(verb, given);
  add_gpu_options(verb, given);
  verb.option("--work-scale", given.check.work_scale,
              "Times the usual work, an odd number: 1 on the virtual GPU, 9 on a real one unless given")
      .checked([](const std::string& text) {
        const bool is_odd = !text.empty() && text.find_first_not_of("0123456789") == text.npos &&
                            (text.back() - '0') % 2 == 1;
        return is_odd ? "" : "an odd number above 0 is needed";
      })
      .called("ODD");
}

}  // namespace

int check_main(int argument_count, char** arguments, const check_program& program) try {
  const lesson_folders lesson(program.checkout, program.lesson);
  options given{.rubric = program.rubric, .check = {}, .criterion = {}, .swept = {}, .skeleton = {}, .solution = {}};
  parsing::command app(fmt::format("Checks lesson {:02}, {}.", lesson.number(), lesson.slug()),
                       fmt::format("check{:02}", lesson.number()));
  app.needs_verb();
  parsing::command& run_verb = app.verb("run", "Build, run and judge a file, and write the record");
  add_run_options(run_verb, given);
  run_verb.does([&] { return run(lesson, given); });
  parsing::command& build_verb = app.verb("build", "Only compile a file");
  add_build_options(build_verb, given);
  build_verb.does([&] { return build(lesson, given); });
  parsing::command& criterion_verb = app.verb("criterion", "Say what a record says of one criterion");
  criterion_verb.option("name", given.criterion, "Name of the criterion").required();
  criterion_verb.option("--record", given.check.record, "Folder of the record").required();
  criterion_verb.does([&] { return show_criterion(given); });
  parsing::command& report_verb = app.verb("report", "Show the whole report of a record on the terminal");
  report_verb.option("--record", given.check.record, "Folder of the record").required();
  report_verb.does([&] { return show_report(given); });
  parsing::command& expect_verb =
      app.verb("expect", "Check a file and compare with what its first line says");
  add_run_options(expect_verb, given);
  expect_verb.flag("--skeleton", given.is_skeleton, "Compare with SKELETON_FAILS of check.cpp instead");
  expect_verb.flag("--json", given.as_json, "Print JSON");
  expect_verb.does([&] { return expect(lesson, given); });
  parsing::command& criteria_verb = app.verb("criteria", "List the criteria and their points");
  criteria_verb.flag("--json", given.as_json, "Print JSON");
  criteria_verb.does([&] { return list_criteria(given); });
  parsing::command& sweep_verb =
      app.verb("sweep", "Time a file with settings of the two parameters that check.cpp declares");
  add_source_options(sweep_verb, given);
  add_gpu_options(sweep_verb, given);
  sweep_verb.option("--first", given.swept[0], "Values of the first parameter, one a setting")
      .separated_by(',')
      .required();
  sweep_verb.option("--second", given.swept[1], "Values of the second parameter, one a setting")
      .separated_by(',')
      .required();
  sweep_verb.does([&] { return sweep(lesson, given); });
  parsing::command& todos_verb = app.verb("todos", "Compare skeleton and solution outside the TODOs");
  todos_verb.option("--skeleton", given.skeleton, "The skeleton").required();
  todos_verb.option("--solution", given.solution, "The solution").required();
  todos_verb.does([&] { return compare_todos(given); });
  return app.run(parsing::words_behind_name(argument_count, arguments), undecided).value_or(undecided);
} catch (const std::exception& mistake) {
  fmt::print(stderr, "{}\n", mistake.what());
  return undecided;
}

}  // namespace checking
