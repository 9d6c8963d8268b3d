#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "report/run_summary.h"
#include "report/timeline_html.h"
#include "report/timeline_text.h"
#include "report/verdict_text.h"
#include "runner/files.h"
#include "runner/lesson_check.h"
#include "runner/progress.h"
#include "runner/terminal.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct compare_arguments {
  std::string lesson;
  std::string profile;
  backend on = backend::virtual_gpu;
  std::string format = "text";
  std::string output;
};

/// Both drawings, with columns of the same time.
std::string compared_in_text(const trace::recording& yours, const trace::recording& solution,
                             const std::string& remark) {
  report::timeline_options look{.width = report_width()};
  for (const trace::recording* each : {&yours, &solution}) {
    const report::drawable_part what = report::part_to_draw(*each, look.part);
    if (what.part) look.length = std::max(look.length, what.part->duration());
  }
  return fmt::format("Yours\n\n{}\nThe solution\n\n{}\n{}\n", report::timeline_text(yours, look),
                     report::timeline_text(solution, look), remark);
}

int compare(const compare_arguments& given) {
  const course course = course::open();
  const lesson& lesson = named_or_current(course, given.lesson);
  const report::result yours = fresh_result(course, lesson, whose_file::learner, given.on, given.profile);
  if (yours.recording.empty()) {
    fmt::print(stderr, "There is nothing to compare, because your run left no recording.\n\n{}",
               report::verdict_text(yours, {.width = report_width()}));
    return report::exit_status_of(yours.verdict);
  }
  const std::string same_profile = given.on == backend::virtual_gpu ? yours.profile : "";
  const report::result solution = fresh_result(course, lesson, whose_file::solution, given.on, same_profile);
  const trace::recording your_run = recording_of(course, lesson, whose_file::learner, given.on, yours);
  const trace::recording its_run = recording_of(course, lesson, whose_file::solution, given.on, solution);

  const report::drawable_part your_part = report::part_to_draw(your_run, "learner");
  const report::drawable_part its_part = report::part_to_draw(its_run, "learner");
  const std::string remark =
      your_part.part && its_part.part ? report::comparison_words(*your_part.part, *its_part.part) : "";
  const std::string title = fmt::format("Lesson {}: {}", lesson.two_digits(), lesson.title);
  const std::string text = given.format == "html"
                               ? report::timeline_html(title, remark,
                                                       {{.heading = "Yours", .seen = &your_run},
                                                        {.heading = "The solution", .seen = &its_run}})
                               : compared_in_text(your_run, its_run, remark);
  if (given.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_whole(given.output, text);
  }
  return 0;
}

}  // namespace

void add_compare(CLI::App& program, int& exit_status) {
  CLI::App* verb = program.add_subcommand("compare", "Draw your run of a lesson above that of the solution");
  verb->footer(
      "Example: streamlings compare 03 --format html -o compare.html\n"
      "Both have the same time scale. The solution's timeline is shown, not its code.");
  const auto given = std::make_shared<compare_arguments>();
  verb->add_option("lesson", given->lesson, "Number, slug or folder; without it the current lesson");
  verb->add_option("--backend", given->on, "Compare on: virtual, or gpu (the GPU of this machine)")
      ->transform(CLI::CheckedTransformer(backend_words).description(""))
      ->type_name("{virtual,gpu}");
  verb->add_option("--profile", given->profile, "On which GPU: a name of `streamlings profiles`");
  verb->add_option("--format", given->format, "text or html")->check(CLI::IsMember({"text", "html"}));
  verb->add_option("-o,--output", given->output, "Write into this file");
  verb->callback([given, &exit_status] { exit_status = compare(*given); });
}

}  // namespace runner
