#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "course/checkout.h"
#include "runner/learner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

/// "30 min, needs 01": how long the lesson takes, and the lessons that it builds on; "" when its page does not say.
std::string path_words(const course::lesson& lesson) {
  std::string words = lesson.minutes == 0 ? "" : fmt::format("{} min", lesson.minutes);
  for (std::size_t i = 0; i < lesson.needs.size(); ++i)
    words += fmt::format("{}{:02}", i > 0 ? " " : words.empty() ? "needs " : ", needs ", lesson.needs[i]);
  return words;
}

void print_text(const course::checkout& checkout, const state& state) {
  const course::lesson& current = current_lesson(checkout, state);
  std::size_t title_width = 0;
  for (const course::lesson& lesson : checkout.lessons())
    title_width = std::max(title_width, lesson.title.size());
  std::size_t path_width = 0;
  for (const course::lesson& lesson : checkout.lessons())
    path_width = std::max(path_width, path_words(lesson).size());
  for (const course::lesson& lesson : checkout.lessons()) {
    fmt::print("{} {}  {:<{}}  {:<9}  {:<{}}  {}\n", &lesson == &current ? ">" : " ", lesson.two_digits(),
               lesson.title, title_width, word_of(progress_of(state, lesson)), path_words(lesson), path_width,
               checkout.relative_path(lesson.source()));
  }
  fmt::print("\n{} of {} done. \">\" is the current lesson; {}\n", done_count(checkout, state),
             checkout.lessons().size(), legend_of_progress);
  const bool has_path = std::any_of(checkout.lessons().begin(), checkout.lessons().end(),
                                    [](const course::lesson& lesson) { return !lesson.needs.empty(); });
  if (has_path) fmt::print("\"needs\" names the lessons that one builds on: docs/course.md has the path.\n");
}

void print_json(const course::checkout& checkout, const state& state) {
  const course::lesson& current = current_lesson(checkout, state);
  nlohmann::ordered_json lessons = nlohmann::ordered_json::array();
  for (const course::lesson& lesson : checkout.lessons()) {
    lessons.push_back({{"number", lesson.number},
                       {"slug", lesson.slug},
                       {"title", lesson.title},
                       {"state", word_of(progress_of(state, lesson))},
                       {"minutes", lesson.minutes},
                       {"needs", lesson.needs},
                       {"is_current", &lesson == &current},
                       {"file", checkout.relative_path(lesson.source())}});
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"lessons", std::move(lessons)}}.dump(2));
}

}  // namespace

void add_list(parsing::command& program) {
  parsing::command& verb = program.verb("list", "The lessons, what is done, and which is the current one");
  verb.footer("Example: streamlings list");
  const auto as_json = std::make_shared<bool>(false);
  verb.flag("--json", *as_json, "The same as JSON");
  verb.does([as_json] {
    const course::checkout checkout = course::checkout::open();
    const state state = load_state(checkout);
    *as_json ? print_json(checkout, state) : print_text(checkout, state);
    return 0;
  });
}

}  // namespace runner
