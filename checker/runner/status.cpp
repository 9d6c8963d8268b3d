#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>

#include "runner/learner/lesson_check.h"
#include "runner/learner/lesson_outcome.h"
#include "runner/learner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

constexpr int bar_width = 20;

std::string bar(std::size_t done, std::size_t all) {
  const auto filled = static_cast<int>(bar_width * done / all);
  return fmt::format("[{:#<{}}{:-<{}}]", "", filled, "", bar_width - filled);
}

/// "no overlap, 65 of 100 points", or that there was no check yet.
std::string last_check_words(const course::lesson& lesson, trace::backend backend) {
  const std::optional<report::result> last = last_result(lesson, {.backend = backend});
  if (!last) return "none yet";
  std::string words = report::words_of(last->verdict);
  if (!last->criteria.empty()) words += fmt::format(", {} of 100 points", report::points_of(*last));
  if (!is_fresh(lesson, lesson.source(), *last)) words += " (the file has changed since)";
  return words;
}

}  // namespace

int show_status() {
  const course::checkout checkout = course::checkout::open();
  const state state = load_state(checkout);
  const course::lesson& current = current_lesson(checkout, state);
  const std::size_t done = done_count(checkout, state);
  const std::string number = current.two_digits();
  fmt::print("Progress     {} {} of {} lessons done\n", bar(done, checkout.lessons().size()), done,
             checkout.lessons().size());
  fmt::print("Lesson       {} {}, {}\n", number, current.title, word_of(progress_of(state, current)));
  fmt::print("Last check   {}\n", last_check_words(current, trace::backend::virtual_gpu));
  if (last_result(current, {.backend = trace::backend::gpu})) {
    fmt::print("  on the GPU {}\n", last_check_words(current, trace::backend::gpu));
  }
  fmt::print("\nNext\n");
  if (progress_of(state, current) == lesson_progress::done) {
    const bool is_last = &current == &checkout.lessons().back();
    fmt::print("  {}\n", is_last ? "this was the last lesson; what is left: ./streamlings list"
                                 : "go on: ./streamlings next");
    return 0;
  }
  fmt::print("  read {}\n", checkout.relative_path(current.source().parent_path() / "README.md"));
  fmt::print("  edit {}, then: ./streamlings check {} (or: ctest -R lesson{})\n",
             checkout.relative_path(current.source()), number, number);
  fmt::print("  for a hint: ./streamlings hint {}; for all verbs: ./streamlings --help\n", number);
  return 0;
}

}  // namespace runner
