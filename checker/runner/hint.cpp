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

void print_hint(const std::vector<hint>& hints, const chosen_hint& choice) {
  const hint& hint = hints.at(static_cast<std::size_t>(choice.level) - 1);
  fmt::print("{}\n\n{}\n", title_of(hints, choice), hint.text);
}

int show_hints(const hint_arguments& arguments) {
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = named_or_current(checkout, arguments.lesson);
  const std::vector<hint> hints = hints_of(lesson);
  if (hints.empty())
    throw processes::cannot_do("lesson " + lesson.two_digits() +
                               " has no hints; its README.md is the place to look.");
  const int count = static_cast<int>(hints.size());
  if (arguments.level && (*arguments.level < 1 || *arguments.level > count)) {
    throw processes::cannot_do(fmt::format("lesson {} has the hints 1 to {}.", lesson.two_digits(), count));
  }
  state state = load_state(checkout);
  std::set<int>& levels_seen = state.hints_seen[lesson.slug];
  if (arguments.all) {
    for (const hint& hint : hints) {
      if (hint.level > 1) fmt::print("\n");
      print_hint(hints, hint_at(hints, hint.level));
      levels_seen.insert(hint.level);
    }
    save_state(checkout, state);
    return 0;
  }
  const std::vector<failure> failures = last_failures(lesson);
  if (!arguments.level && has_passed(lesson)) {
    fmt::print(
        "The last check of lesson {} passed, so no hint is needed. All of them: ./streamlings hint {} --all\n",
        lesson.two_digits(), lesson.two_digits());
    return 0;
  }
  const chosen_hint choice =
      arguments.level ? hint_at(hints, *arguments.level) : next_hint(hints, levels_seen, failures);
  if (choice.level == 0) {
    const bool saw_all = static_cast<int>(levels_seen.size()) == count;
    fmt::print("{} All {} of lesson {}: streamlings hint {} --all\n",
               saw_all ? "You have seen every hint." : "No hint is left for what failed last.", count,
               lesson.two_digits(), lesson.two_digits());
    return 0;
  }
  const bool ended_early = failures.size() == 1 && failures.front().criterion.empty();
  if (!arguments.level && ended_early && choice.about.empty())
    fmt::print("No hint left is about \"{}\", where the last check ended: its report says what to do.\n\n",
               report::words_of(failures.front().verdict));
  print_hint(hints, choice);
  levels_seen.insert(choice.level);
  save_state(checkout, state);
  if (!arguments.level && next_hint(hints, levels_seen, failures).level != 0)
    fmt::print("\nThe next one: ./streamlings hint {}\n", lesson.two_digits());
  return 0;
}

}  // namespace

void add_hint(parsing::command& program) {
  parsing::command& verb = program.verb("hint", "The next hint for a lesson, chosen by what failed last");
  verb.footer("Example: streamlings hint 03");
  const auto arguments = std::make_shared<hint_arguments>();
  verb.option("lesson", arguments->lesson, "Number, slug or folder; without it the current lesson");
  const parsing::argument all = verb.flag("--all", arguments->all, "All hints");
  verb.option("--level", arguments->level, "The hint with this number in --all").excludes(all);
  verb.does([arguments] { return show_hints(*arguments); });
}

}  // namespace runner
