#include <fmt/format.h>

#include <memory>
#include <string>

#include "runner/learner/lesson_reset.h"
#include "runner/verbs.h"

namespace runner {
namespace {

int reset(const std::string& name) {
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = checkout.find(name);
  const reset_outcome done = reset_lesson(checkout, lesson);
  if (!done.kept_as.empty()) fmt::print("Your file is kept as {}\n", checkout.relative_path(done.kept_as));
  fmt::print("{} is as it was at the beginning{}\n", checkout.relative_path(lesson.source()),
             done.has_changed ? "." : ": nothing to do.");
  if (!done.kept_as.empty()) fmt::print("To undo this: ./streamlings reset {} --undo\n", lesson.two_digits());
  return 0;
}

int undo(const std::string& name) {
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = checkout.find(name);
  const reset_outcome done = undo_reset(checkout, lesson);
  if (!done.kept_as.empty()) fmt::print("What it held is kept as {}\n", checkout.relative_path(done.kept_as));
  fmt::print("{} is again as in {}\n", checkout.relative_path(lesson.source()),
             checkout.relative_path(done.restored));
  return 0;
}

}  // namespace

void add_reset(parsing::command& program) {
  parsing::command& verb = program.verb("reset", "Put back the file of a lesson as it was; yours is kept");
  verb.footer("Example: streamlings reset 03");
  const auto name = std::make_shared<std::string>();
  const auto is_undo = std::make_shared<bool>(false);
  verb.option("lesson", *name, "Number, slug or folder").required();
  verb.flag("--undo", *is_undo, "Bring back the newest kept copy instead");
  verb.does([name, is_undo] { return *is_undo ? undo(*name) : reset(*name); });
}

}  // namespace runner
