#include <fmt/format.h>

#include "runner/errors.h"
#include "runner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

/// Makes the lesson `step` places behind the current one the current one.
int go(int step) {
  const course course = course::open();
  state state = load_state(course);
  const lesson& here = current_lesson(course, state);
  const auto place = static_cast<int>(&here - course.lessons().data()) + step;
  if (place < 0) throw cannot_do("lesson " + here.two_digits() + " is the first one.");
  if (place >= static_cast<int>(course.lessons().size())) {
    throw cannot_do("lesson " + here.two_digits() +
                    " is the last one. What is left to do: ./streamlings list");
  }
  const lesson& there = course.lessons()[place];
  state.current = there.slug;
  save_state(course, state);
  fmt::print("Lesson {} {}\n  read {}\n  edit {}\n", there.two_digits(), there.title,
             course.shown(course.source_of(there).parent_path() / "README.md"),
             course.shown(course.source_of(there)));
  return 0;
}

}  // namespace

void add_next(parsing::command& program) {
  parsing::command& verb = program.verb("next", "Go to the lesson after the current one");
  verb.footer("Example: streamlings next");
  verb.does([] { return go(1); });
}

void add_prev(parsing::command& program) {
  parsing::command& verb = program.verb("prev", "Go to the lesson before the current one");
  verb.footer("Example: streamlings prev");
  verb.does([] { return go(-1); });
}

}  // namespace runner
