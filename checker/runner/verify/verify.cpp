#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runner/verbs.h"
#include "runner/verify/verification.h"
#include "runner/verify/verification_text.h"
#include "trace/run_control.h"

namespace runner {
namespace {

struct verify_arguments {
  std::vector<std::string> lessons;
  verify_options verify;
  bool is_static = false;
  bool is_recorded = false;
  bool is_update = false;
  bool as_json = false;
};

std::vector<course::lesson> named_or_all(const course::checkout& checkout,
                                         const std::vector<std::string>& names) {
  if (names.empty()) return checkout.lessons();
  std::vector<course::lesson> lessons;
  for (const std::string& name : names) lessons.push_back(checkout.find(name));
  return lessons;
}

int verify_course(verify_arguments& arguments) {
  const course::checkout checkout = course::checkout::open();
  if (arguments.is_static) arguments.verify.extent = verify_extent::without_wrong_and_right_answers;
  if (arguments.is_recorded) arguments.verify.checks = answer_checks::last_run;
  if (arguments.is_update) arguments.verify.pictures = page_pictures::rewritten;
  const verification found = verify(checkout, named_or_all(checkout, arguments.lessons), arguments.verify);
  fmt::print("{}", arguments.as_json ? verification_json(found) : verification_text(found));
  return found.problems.empty() ? 0 : 1;
}

}  // namespace

void add_verify(parsing::command& program) {
  parsing::command& verb = program.verb("verify", "For authors: check the lessons themselves");
  verb.footer(
      "Example: streamlings verify 03\n"
      "Skeleton, solution, wrong and right answers are run; contract, TODO regions, points, hints, the hint "
      "that each\n"
      "wrong answer brings up first, sections, links, pictures and measured numbers are looked at. Exit "
      "status: 0 all as\n"
      "it should be, 1 something is not, 2 could not be done.");
  const auto arguments = std::make_shared<verify_arguments>();
  arguments->verify.jobs = trace::usable_cores();
  verb.option("lessons", arguments->lessons, "Numbers, slugs or folders; without them all lessons");
  verb.flag("--static", arguments->is_static, "Leave out the wrong and the right answers");
  verb.flag("--recorded", arguments->is_recorded,
            "Run nothing: look at what the tests recorded of the answers as they are");
  verb.flag("--update", arguments->is_update,
            "Write pictures and measured numbers into the pages anew, from runs of now");
  verb.option("--jobs", arguments->verify.jobs, "Answers checked at once; without it one for each core")
      .between(1, 1024);
  verb.flag("--json", arguments->as_json, "Print JSON");
  verb.does([arguments] { return verify_course(*arguments); });
}

}  // namespace runner
