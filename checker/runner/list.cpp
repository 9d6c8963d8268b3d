#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/course.h"
#include "runner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

void print_text(const course& course, const state& state) {
  const lesson& current = current_lesson(course, state);
  std::size_t title_width = 0;
  for (const lesson& each : course.lessons()) title_width = std::max(title_width, each.title.size());
  for (const lesson& each : course.lessons()) {
    fmt::print("{} {}  {:<{}}  {:<9}  {}\n", &each == &current ? ">" : " ", each.two_digits(), each.title,
               title_width, word_of(progress_of(course, state, each)), course.shown(course.source_of(each)));
  }
  fmt::print("\n{} of {} done. \">\" is the current lesson; {}\n", done_count(course, state),
             course.lessons().size(), legend_of_progress);
}

void print_json(const course& course, const state& state) {
  const lesson& current = current_lesson(course, state);
  nlohmann::ordered_json lessons = nlohmann::ordered_json::array();
  for (const lesson& each : course.lessons()) {
    lessons.push_back({{"number", each.number},
                       {"slug", each.slug},
                       {"title", each.title},
                       {"state", word_of(progress_of(course, state, each))},
                       {"is_current", &each == &current},
                       {"file", course.shown(course.source_of(each))}});
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
    const course course = course::open();
    const state state = load_state(course);
    *as_json ? print_json(course, state) : print_text(course, state);
    return 0;
  });
}

}  // namespace runner
