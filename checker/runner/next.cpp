#include <fmt/format.h>

#include "processes/cannot_do.h"
#include "runner/learner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

/// Makes the lesson `step` places behind the current one the current one.
int go(int step) {
  const course::checkout checkout = course::checkout::open();
  state state = load_state(checkout);
  const course::lesson& here = current_lesson(checkout, state);
  const auto place = static_cast<int>(&here - checkout.lessons().data()) + step;
  if (place < 0) throw processes::cannot_do("lesson " + here.two_digits() + " is the first one.");
  if (place >= static_cast<int>(checkout.lessons().size())) {
    throw processes::cannot_do("lesson " + here.two_digits() +
                               " is the last one. What is left to do: ./streamlings list");
  }
  const course::lesson& there = checkout.lessons()[place];
  state.current = there.slug;
  save_state(checkout, state);
  fmt::print("Lesson {} {}\n  read {}\n  edit {}\n", there.two_digits(), there.title,
             checkout.relative_path(there.source().parent_path() / "README.md"),
             checkout.relative_path(there.source()));
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
