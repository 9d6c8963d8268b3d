#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/errors.h"
#include "runner/lesson_hints.h"
#include "runner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct hint_arguments {
  std::string lesson;
  bool all = false;
  std::optional<int> level;
};

void print_hint(const hint& what, std::size_t count) {
  fmt::print("Hint {} of {}: {}\n\n{}\n", what.level, count, what.heading, what.text);
}

int show_hints(const hint_arguments& given) {
  const course course = course::open();
  const lesson& lesson = named_or_current(course, given.lesson);
  const std::vector<hint> hints = hints_of(course, lesson);
  if (hints.empty())
    throw cannot_do("lesson " + lesson.two_digits() + " has no hints; its README.md is the place to look.");
  const int count = static_cast<int>(hints.size());
  if (given.level && (*given.level < 1 || *given.level > count)) {
    throw cannot_do(fmt::format("lesson {} has the hints 1 to {}.", lesson.two_digits(), count));
  }
  state state = load_state(course);
  std::set<int>& seen = state.hints_seen[lesson.slug];
  if (given.all) {
    for (const hint& each : hints) {
      if (each.level > 1) fmt::print("\n");
      print_hint(each, hints.size());
      seen.insert(each.level);
    }
    save_state(course, state);
    return 0;
  }
  const chosen_hint chosen =
      given.level ? chosen_hint{*given.level, ""} : next_hint(hints, seen, hint_topics(course, lesson));
  const int level = chosen.level;
  if (level == 0) {
    fmt::print("You have seen all {} hints of lesson {}. Again: streamlings hint {} --all\n", count,
               lesson.two_digits(), lesson.two_digits());
    return 0;
  }
  print_hint(hints[level - 1], hints.size());
  if (!chosen.topic.empty()) fmt::print("\nIt is for {}, which failed in the last check.\n", chosen.topic);
  seen.insert(level);
  save_state(course, state);
  const int left = count - static_cast<int>(seen.size());
  if (left > 0) fmt::print("\n{} more: ./streamlings hint {}\n", left, lesson.two_digits());
  return 0;
}

}  // namespace

void add_hint(CLI::App& program, int& exit_status) {
  CLI::App* verb = program.add_subcommand("hint", "The next hint for a lesson, chosen by what failed last");
  verb->footer("Example: streamlings hint 03");
  const auto given = std::make_shared<hint_arguments>();
  verb->add_option("lesson", given->lesson, "Number, slug or folder; without it the current lesson");
  verb->add_flag("--all", given->all, "All hints");
  verb->add_option("--level", given->level, "The hint with this number")->excludes("--all");
  verb->callback([given, &exit_status] { exit_status = show_hints(*given); });
}

}  // namespace runner
