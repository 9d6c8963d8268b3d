#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "processes/cannot_do.h"
#include "runner/learner/lesson_hints.h"
#include "runner/learner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct hint_arguments {
  std::string lesson;
  bool all = false;
  std::optional<int> level;
};

void print_hint(const std::vector<hint>& hints, const chosen_hint& chosen) {
  const hint& what = hints.at(static_cast<std::size_t>(chosen.level) - 1);
  fmt::print("{}\n\n{}\n", title_of(hints, chosen), what.text);
}

int show_hints(const hint_arguments& given) {
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = named_or_current(checkout, given.lesson);
  const std::vector<hint> hints = hints_of(lesson);
  if (hints.empty())
    throw processes::cannot_do("lesson " + lesson.two_digits() + " has no hints; its README.md is the place to look.");
  const int count = static_cast<int>(hints.size());
  if (given.level && (*given.level < 1 || *given.level > count)) {
    throw processes::cannot_do(fmt::format("lesson {} has the hints 1 to {}.", lesson.two_digits(), count));
  }
  state state = load_state(checkout);
  std::set<int>& seen = state.hints_seen[lesson.slug];
  if (given.all) {
    for (const hint& each : hints) {
      if (each.level > 1) fmt::print("\n");
      print_hint(hints, {.level = each.level, .about = ""});
      seen.insert(each.level);
    }
    save_state(checkout, state);
    return 0;
  }
  const std::vector<failure> failures = last_failures(lesson);
  const chosen_hint chosen =
      given.level ? chosen_hint{.level = *given.level, .about = ""} : next_hint(hints, seen, failures);
  if (chosen.level == 0) {
    fmt::print("You have seen all {} hints of lesson {}. Again: streamlings hint {} --all\n", count,
               lesson.two_digits(), lesson.two_digits());
    return 0;
  }
  const bool ended_early = failures.size() == 1 && failures.front().criterion.empty();
  if (!given.level && ended_early && chosen.about.empty())
    fmt::print("No hint left is about \"{}\", where the last check ended: its report says what to do.\n\n",
               report::words_of(failures.front().verdict));
  print_hint(hints, chosen);
  seen.insert(chosen.level);
  save_state(checkout, state);
  const int left = count - static_cast<int>(seen.size());
  if (left > 0) fmt::print("\n{} more: ./streamlings hint {}\n", left, lesson.two_digits());
  return 0;
}

}  // namespace

void add_hint(parsing::command& program) {
  parsing::command& verb = program.verb("hint", "The next hint for a lesson, chosen by what failed last");
  verb.footer("Example: streamlings hint 03");
  const auto given = std::make_shared<hint_arguments>();
  verb.option("lesson", given->lesson, "Number, slug or folder; without it the current lesson");
  const parsing::argument all = verb.flag("--all", given->all, "All hints");
  verb.option("--level", given->level, "The hint with this number").excludes(all);
  verb.does([given] { return show_hints(*given); });
}

}  // namespace runner
