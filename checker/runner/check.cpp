#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "report/verdict_text.h"
#include "runner/check_all.h"
#include "runner/check_diagnostics.h"
#include "runner/lesson_check.h"
#include "runner/progress.h"
#include "runner/terminal.h"
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

int check(check_arguments& given) {
  const course course = course::open();
  if (given.is_solution) given.check.whose = whose_file::solution;
  if (given.is_all)
    return check_all(course, given.check, given.as_json ? all_format::json : all_format::lines);
  const report::result result = check_lesson(course, named_or_current(course, given.lesson), given.check);
  if (given.as_json) {
    fmt::print("{}", report::to_json(result));
  } else if (given.as_diagnostics) {
    fmt::print("{}", check_diagnostics(result));
  } else {
    const int width = given.width.value_or(report_width());
    fmt::print("{}", report::verdict_text(result, {.width = width, .colour = report_colour()}));
  }
  return report::exit_status_of(result.verdict);
}

}  // namespace

void add_check(CLI::App& program, int& exit_status) {
  CLI::App* verb = program.add_subcommand("check", "Build, run and judge a lesson");
  verb->footer(
      "Example: streamlings check 03 --profile h200\n"
      "Exit status: 0 passed, 1 not passed, 2 could not be decided, 3 time limit.");
  const auto given = std::make_shared<check_arguments>();
  CLI::Option* lesson =
      verb->add_option("lesson", given->lesson, "Number, slug or folder; without it the current lesson");
  verb->add_flag("--all", given->is_all, "Check all lessons, several at a time, with a line for each")
      ->excludes(lesson);
  verb->add_flag("--solution", given->is_solution, "Check the solution of the course instead of your file");
  verb->add_option("--backend", given->check.on, "virtual, or gpu: the GPU of this machine")
      ->transform(CLI::CheckedTransformer(backend_words).description(""))
      ->type_name("{virtual,gpu}");
  verb->add_option("--profile", given->check.profile,
                   "Which virtual GPU: a name of `streamlings profiles`, or a file");
  verb->add_option("--seed", given->check.seed, "Repeats the inputs of an earlier check");
  verb->add_option("--compiler", given->check.compiler, "Compiler of the .cu file");
  CLI::Option* json = verb->add_flag("--json", given->as_json, "The result record as JSON");
  verb->add_flag("--diagnostics", given->as_diagnostics,
                 "A line for each failure, in the form of compiler errors, for editors")
      ->excludes(json)
      ->excludes("--all");
  verb->add_option("--width", given->width, "Columns of the report")->check(CLI::Range(40, 1000));
  verb->callback([given, &exit_status] { exit_status = check(*given); });
}

}  // namespace runner
