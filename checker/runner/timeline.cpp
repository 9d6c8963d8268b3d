#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "processes/files.h"
#include "report/timeline/timeline_text.h"
#include "report/verdict_text.h"
#include "processes/cannot_do.h"
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

int draw(const timeline_arguments& given) {
  if (given.format != "text" && (given.is_ascii || given.width)) {
    throw processes::cannot_do("--ascii and --width are for the format text.");
  }
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = named_or_current(checkout, given.lesson);
  const course::record_subject subject{
      given.is_solution ? course::whose_file::solution : course::whose_file::learner, given.backend,
      given.profile};
  const report::result result = fresh_result(checkout, lesson, subject);
  if (result.recording.empty()) {
    fmt::print(stderr, "There is no timeline, because the run left no recording.\n\n{}",
               report::verdict_text(result, {.width = report_width()}));
    return report::exit_status_of(result.verdict);
  }
  report::timeline_options look;
  look.width = given.width.value_or(report_width());
  if (given.is_ascii) look.characters = report::character_set::ascii;
  const std::string heading = fmt::format("Lesson {}: {}{}", lesson.two_digits(), lesson.title,
                                          given.is_solution ? ", the solution" : "");
  const std::string text = drawn_timeline(given.format, recording_of(lesson, subject, result), heading, look);
  if (given.output.empty()) {
    fmt::print("{}", text);
  } else {
    processes::write_whole(given.output, text);
  }
  return 0;
}

}  // namespace

void add_timeline(parsing::command& program) {
  parsing::command& verb =
      program.verb("timeline", "Draw the last run of a lesson, checking it first when it changed");
  verb.footer("Example: streamlings timeline 03 --format html -o run.html");
  const auto given = std::make_shared<timeline_arguments>();
  verb.option("lesson", given->lesson, "Number, slug or folder; without it the current lesson");
  verb.flag("--solution", given->is_solution, "Draw the solution of the course instead of your file");
  verb.choice("--backend", given->backend, backend_words,
              "Draw the last run on: virtual, or gpu (the GPU of this machine)");
  verb.option("--profile", given->profile, "On which GPU: a name of `streamlings profiles`");
  verb.option("--format", given->format,
              "text, svg, html (a page to zoom and point at) or perfetto (for ui.perfetto.dev)")
      .one_of(timeline_formats());
  verb.option("--width", given->width, "text: columns of the drawing").between(40, 1000);
  verb.flag("--ascii", given->is_ascii, "text: draw with ASCII characters only");
  verb.option("-o,--output", given->output, "Write into this file");
  verb.does([given] { return draw(*given); });
}

}  // namespace runner
