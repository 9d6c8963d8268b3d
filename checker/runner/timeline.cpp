#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "processes/cannot_do.h"
#include "processes/files.h"
#include "report/timeline/timeline_text.h"
#include "report/verdict_text.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/progress.h"
#include "runner/terminal/terminal.h"
#include "runner/timeline_format.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct timeline_arguments {
  std::string lesson;
  std::string format = "text";
  std::string output;
  trace::backend backend = trace::backend::virtual_gpu;
  std::string profile;
  bool is_solution = false;
  bool is_ascii = false;
  std::optional<int> width;
};

int draw(const timeline_arguments& arguments) {
  if (arguments.format != "text" && (arguments.is_ascii || arguments.width)) {
    throw processes::cannot_do("--ascii and --width are for the format text.");
  }
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = named_or_current(checkout, arguments.lesson);
  const course::record_subject subject{
      arguments.is_solution ? course::whose_file::solution : course::whose_file::learner, arguments.backend,
      arguments.profile};
  const report::result result = fresh_result(checkout, lesson, subject);
  if (result.recording.empty()) {
    fmt::print(stderr, "There is no timeline, because the run left no recording.\n\n{}",
               report::verdict_text(result, {.width = report_width()}));
    return report::exit_status_of(result.verdict);
  }
  report::timeline_options look;
  look.width = arguments.width.value_or(report_width());
  if (arguments.is_ascii) look.characters = report::character_set::ascii;
  const std::string heading = fmt::format("Lesson {}: {}{}", lesson.two_digits(), lesson.title,
                                          arguments.is_solution ? ", the solution" : "");
  const std::string text =
      drawn_timeline(arguments.format, recording_of(lesson, subject, result), heading, look);
  if (arguments.output.empty()) {
    fmt::print("{}", text);
  } else {
    processes::write_output(arguments.output, text);
  }
  return 0;
}

}  // namespace

void add_timeline(parsing::command& program) {
  parsing::command& verb =
      program.verb("timeline", "Draw the last run of a lesson, checking it first when it changed");
  verb.footer("Example: streamlings timeline 03 --format html -o run.html");
  const auto arguments = std::make_shared<timeline_arguments>();
  verb.option("lesson", arguments->lesson, "Number, slug or folder; without it the current lesson");
  verb.flag("--solution", arguments->is_solution, "Draw the solution of the course instead of your file");
  verb.choice("--backend", arguments->backend, backend_words,
              "Draw the last run on: virtual, or gpu (the GPU of this machine)");
  verb.option("--profile", arguments->profile, "On which GPU: a name of `streamlings profiles`");
  verb.option("--format", arguments->format,
              "text, svg, html (a page to zoom and point at) or perfetto (for ui.perfetto.dev)")
      .one_of(timeline_formats());
  verb.option("--width", arguments->width, "text: columns of the drawing").between(40, 1000);
  verb.flag("--ascii", arguments->is_ascii, "text: draw with ASCII characters only");
  verb.option("-o,--output", arguments->output, "Write into this file");
  verb.does([arguments] { return draw(*arguments); });
}

}  // namespace runner
