#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/files.h"
#include "report/timeline/timeline_html.h"
#include "report/timeline/timeline_text.h"
#include "report/verdict_text.h"
#include "report/wording/run_summary.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/progress.h"
#include "runner/terminal/terminal.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct compare_arguments {
  std::string lesson;
  std::string profile;
  trace::backend backend = trace::backend::virtual_gpu;
  std::string format = "text";
  std::string output;
  bool is_ascii = false;
  std::optional<int> width;
};

/// Both drawings, with columns of the same time.
std::string compared_in_text(const trace::recording& yours, const trace::recording& solution,
                             const std::string& remark, report::timeline_options look) {
  for (const trace::recording* recording : {&yours, &solution}) {
    const report::drawable_part drawable = report::part_to_draw(*recording, look.part);
    if (drawable.part) look.length = std::max(look.length, drawable.part->duration());
  }
  return fmt::format("Yours\n\n{}\nThe solution\n\n{}\n{}\n", report::timeline_text(yours, look),
                     report::timeline_text(solution, look), remark);
}

std::string compared_on_a_page(const trace::recording& yours, const trace::recording& solution,
                               const std::string& title, const std::string& remark) {
  std::vector<report::page_run> runs(2);
  runs[0].heading = "Yours";
  runs[0].recording = &yours;
  runs[1].heading = "The solution";
  runs[1].recording = &solution;
  return report::timeline_html(title, remark, runs);
}

int nothing_to_compare(std::string_view whose_run, const report::result& result) {
  fmt::print(stderr, "There is nothing to compare, because {} left no recording.\n\n{}", whose_run,
             report::verdict_text(result, {.width = report_width()}));
  return report::exit_status_of(result.verdict);
}

int compare(const compare_arguments& arguments) {
  if (arguments.format != "text" && (arguments.is_ascii || arguments.width))
    throw processes::cannot_do("--ascii and --width are for the format text.");
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = named_or_current(checkout, arguments.lesson);
  const course::record_subject learners{course::whose_file::learner, arguments.backend, arguments.profile};
  const course::record_subject solved{course::whose_file::solution, arguments.backend, arguments.profile};
  const report::result yours = fresh_result(checkout, lesson, learners);
  if (yours.recording.empty()) return nothing_to_compare("your run", yours);
  const report::result solution = fresh_result(checkout, lesson, solved);
  if (solution.recording.empty()) return nothing_to_compare("the run of the solution", solution);
  const trace::recording your_run = recording_of(lesson, learners, yours);
  const trace::recording its_run = recording_of(lesson, solved, solution);

  const report::drawable_part your_part = report::part_to_draw(your_run, "learner");
  const report::drawable_part its_part = report::part_to_draw(its_run, "learner");
  std::string remark =
      your_part.part && its_part.part ? report::comparison_words(*your_part.part, *its_part.part) : "";
  const std::string doubt = doubt_about(lesson, yours);
  if (!doubt.empty()) remark += (remark.empty() ? "" : " ") + doubt;
  const std::string title = fmt::format("Lesson {}: {}", lesson.two_digits(), lesson.title);
  report::timeline_options look;
  look.width = arguments.width.value_or(report_width());
  if (arguments.is_ascii) look.characters = report::character_set::ascii;
  const std::string text = arguments.format == "html" ? compared_on_a_page(your_run, its_run, title, remark)
                                                      : compared_in_text(your_run, its_run, remark, look);
  if (arguments.output.empty()) {
    fmt::print("{}", text);
  } else {
    processes::write_output(arguments.output, text);
  }
  return 0;
}

}  // namespace

void add_compare(parsing::command& program) {
  parsing::command& verb = program.verb("compare", "Draw your run of a lesson above that of the solution");
  verb.footer(
      "Example: streamlings compare 03 --format html -o compare.html\n"
      "Both have the same time scale. The solution's timeline is shown, not its code.");
  const auto arguments = std::make_shared<compare_arguments>();
  verb.option("lesson", arguments->lesson, "Number, slug or folder; without it the current lesson");
  verb.choice("--backend", arguments->backend, backend_words,
              "Compare on: virtual, or gpu (the GPU of this machine)");
  verb.option("--profile", arguments->profile, "On which GPU: a name of `streamlings profiles`");
  verb.option("--format", arguments->format, "text or html").one_of({"text", "html"});
  verb.option("--width", arguments->width, "text: columns of the drawing").between(40, 1000);
  verb.flag("--ascii", arguments->is_ascii, "text: draw with ASCII characters only");
  verb.option("-o,--output", arguments->output, "Write into this file");
  verb.does([arguments] { return compare(*arguments); });
}

}  // namespace runner
