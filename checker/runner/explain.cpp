#include "explain/explain.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/profile.h"
#include "report/explanation_json.h"
#include "report/verdict_text.h"
#include "report/wording/explanation_text.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/progress.h"
#include "runner/terminal/terminal.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct explain_arguments {
  std::string lesson;
  std::string recording;
  trace::backend backend = trace::backend::virtual_gpu;
  bool is_solution = false;
  bool is_json = false;
};

void print(const explain_arguments& arguments, const course::checkout& checkout,
           const trace::recording& recording, std::string_view part_name) {
  const analysis::part part = analysis::part_of(recording, part_name);
  std::optional<device::profile> gpu;
  if (!recording.profile.empty()) gpu = device::load_profile(checkout.profile(recording.profile));
  const explain::explanation why = explain::explanation_of(part, gpu ? &*gpu : nullptr);
  fmt::print("{}", arguments.is_json ? report::explanation_json(recording, why)
                                     : report::explanation_text(recording, why, {.width = report_width()}));
}

int explain(const explain_arguments& arguments) {
  const course::checkout checkout = course::checkout::open();
  if (!arguments.recording.empty()) {
    print(arguments, checkout, load_recording(arguments.recording), "");
    return 0;
  }
  const course::lesson& lesson = named_or_current(checkout, arguments.lesson);
  const course::record_subject subject{
      arguments.is_solution ? course::whose_file::solution : course::whose_file::learner, arguments.backend};
  const report::result result = fresh_result(checkout, lesson, subject);
  if (result.recording.empty()) {
    fmt::print(stderr, "There is nothing to explain, because the run left no recording.\n\n{}",
               report::verdict_text(result, {.width = report_width()}));
    return report::exit_status_of(result.verdict);
  }
  const std::string doubt = arguments.is_json ? "" : doubt_about(lesson, result);
  if (!doubt.empty()) fmt::print("{}\n\n", doubt);
  print(arguments, checkout, recording_of(lesson, subject, result), "learner");
  return 0;
}

}  // namespace

void add_explain(parsing::command& program) {
  parsing::command& verb = program.verb(
      "explain", "Why the last run of a lesson took as long as it did, and what each cause cost");
  verb.footer("Example: streamlings explain 03");
  const auto arguments = std::make_shared<explain_arguments>();
  const parsing::argument lesson =
      verb.option("lesson", arguments->lesson, "Number, slug or folder; without it the current lesson");
  verb.choice("--backend", arguments->backend, backend_words,
              "Explain the last run on: virtual, or gpu (the GPU of this machine)");
  verb.option("--recording", arguments->recording, "Explain a recording that `run --record` wrote instead")
      .excludes(lesson);
  verb.flag("--solution", arguments->is_solution, "Explain the solution of the course instead of your file");
  verb.flag("--json", arguments->is_json, "For programs: the form is described in docs/explain.md");
  verb.does([arguments] { return explain(*arguments); });
}

}  // namespace runner
