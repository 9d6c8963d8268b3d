#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "processes/files.h"
#include "report/verdict_text.h"
#include "runner/check_all.h"
#include "runner/check_diagnostics.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/predictions.h"
#include "runner/learner/progress.h"
#include "runner/terminal/terminal.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct check_arguments {
  std::string lesson;
  check_options check;
  bool is_solution = false;
  bool is_all = false;
  bool as_json = false;
  bool as_diagnostics = false;
  std::optional<int> width;
};

/// Without a name the lesson that the file is an answer to: the one whose contract it includes; else the current one.
const course::lesson& lesson_for(const course::checkout& checkout, const check_arguments& arguments) {
  if (arguments.lesson.empty() && !arguments.check.file.empty()) {
    const std::string text = processes::content_of(arguments.check.file).value_or("");
    for (const course::lesson& lesson : checkout.lessons())
      if (text.find("\"" + lesson.slug + ".h\"") != std::string::npos) return lesson;
  }
  return named_or_current(checkout, arguments.lesson);
}

int check(check_arguments& arguments) {
  const course::checkout checkout = course::checkout::open();
  if (arguments.is_solution) arguments.check.subject.whose = course::whose_file::solution;
  if (arguments.is_all)
    return check_all(checkout, arguments.check, arguments.as_json ? all_format::json : all_format::lines);
  const course::lesson& lesson = lesson_for(checkout, arguments);
  const report::result result = check_lesson(checkout, lesson, arguments.check);
  if (arguments.as_json) {
    fmt::print("{}", report::to_json(result));
  } else if (arguments.as_diagnostics) {
    fmt::print("{}", check_diagnostics(result));
  } else {
    const int width = arguments.width.value_or(report_width());
    fmt::print("{}", report::verdict_text(result, {.width = width, .colour = report_colour()}));
    const std::string predicted =
        is_of_learner(arguments.check) ? predictions_text(checkout, lesson, result, width) : "";
    if (!predicted.empty()) fmt::print("\n{}", predicted);
  }
  return report::exit_status_of(result.verdict);
}

}  // namespace

void add_check(parsing::command& program) {
  parsing::command& verb = program.verb("check", "Build, run and judge a lesson");
  verb.footer(
      "Example: streamlings check 03 --profile h200\n"
      "Exit status: 0 passed, 1 not passed, 2 could not be decided, 3 time limit.");
  const auto arguments = std::make_shared<check_arguments>();
  const parsing::argument lesson =
      verb.option("lesson", arguments->lesson, "Number, slug or folder; without it the current lesson");
  const parsing::argument all =
      verb.flag("--all", arguments->is_all, "Check all lessons, several at a time, with a line for each");
  all.excludes(lesson);
  const parsing::argument solution = verb.flag("--solution", arguments->is_solution,
                                               "Check the solution of the course instead of your file");
  verb.option("--file", arguments->check.file,
              "Check this .cu file instead of the lesson's; no progress is saved. Without a lesson: the one "
              "whose header it includes")
      .excludes(all)
      .excludes(solution);
  verb.choice("--backend", arguments->check.subject.backend, backend_words,
              "virtual, or gpu: the GPU of this machine");
  verb.option("--profile", arguments->check.subject.profile,
              "Which virtual GPU: a name of `streamlings profiles`, or a file");
  verb.option("--seed", arguments->check.seed, "Repeats the inputs of an earlier check");
  verb.option("--compiler", arguments->check.compiler, "Compiler of the .cu file");
  verb.option("--isolation", arguments->check.isolation,
              "The sandbox of the program: best (the default), none, or a level below which nothing is run")
      .one_of({"best", "none", "landlock+seccomp", "bwrap+seccomp", "bwrap+cgroup+seccomp"});
  const parsing::argument json = verb.flag("--json", arguments->as_json, "The result record as JSON");
  verb.flag("--diagnostics", arguments->as_diagnostics,
            "A line for each failure, in the form of compiler errors, for editors")
      .excludes(json)
      .excludes(all);
  verb.option("--width", arguments->width, "Columns of the report").between(40, 1000);
  verb.does([arguments] { return check(*arguments); });
}

}  // namespace runner
