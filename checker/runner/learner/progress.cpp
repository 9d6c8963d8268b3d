#include "runner/learner/progress.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "processes/content_hash.h"
#include "processes/files.h"

namespace runner {
namespace {

std::filesystem::path state_file(const course::checkout& checkout) {
  return checkout.state_folder() / "state.txt";
}

}  // namespace

std::string_view word_of(lesson_progress progress) {
  switch (progress) {
    case lesson_progress::untouched:
      return "untouched";
    case lesson_progress::started:
      return "started";
    case lesson_progress::done:
      return "done";
    case lesson_progress::outdated:
      return "outdated";
    case lesson_progress::edited:
      return "edited";
  }
  throw std::logic_error("a progress without a word");
}

state load_state(const course::checkout& checkout) { return load_state(state_file(checkout)); }
void save_state(const course::checkout& checkout, const state& state) {
  save_state(state_file(checkout), state);
}

lesson_progress progress_of(const state& state, const course::lesson& lesson) {
  const std::optional<std::string> content = processes::content_of(lesson.source());
  const auto passed = state.done.find(lesson.slug);
  const bool has_passed = passed != state.done.end();
  if (has_passed && content && processes::content_hash(*content) == passed->second.source_hash) {
    return passed->second.lesson_hash == lesson.hash() ? lesson_progress::done : lesson_progress::outdated;
  }
  if (content && content == processes::content_of(lesson.skeleton())) return lesson_progress::untouched;
  return has_passed ? lesson_progress::edited : lesson_progress::started;
}

std::size_t done_count(const course::checkout& checkout, const state& state) {
  const std::vector<course::lesson>& lessons = checkout.lessons();
  return static_cast<std::size_t>(std::count_if(
      lessons.begin(), lessons.end(),
      [&](const course::lesson& lesson) { return progress_of(state, lesson) == lesson_progress::done; }));
}

const course::lesson& current_lesson(const course::checkout& checkout, const state& state) {
  const std::vector<course::lesson>& lessons = checkout.lessons();
  auto found = std::find_if(lessons.begin(), lessons.end(),
                            [&](const course::lesson& lesson) { return lesson.slug == state.current; });
  if (found != lessons.end()) return *found;
  found = std::find_if(lessons.begin(), lessons.end(), [&](const course::lesson& lesson) {
    return progress_of(state, lesson) != lesson_progress::done;
  });
  return found != lessons.end() ? *found : lessons.front();
}

const course::lesson& named_or_current(const course::checkout& checkout, const std::string& name) {
  return name.empty() ? current_lesson(checkout, load_state(checkout)) : checkout.find(name);
}

void note_result(const course::checkout& checkout, const course::lesson& lesson,
                 const report::result& result) {
  if (result.verdict != report::run_verdict::pass || result.backend != "virtual") return;
  state state = load_state(checkout);
  state.done[lesson.slug] = {result.source_hash, result.lesson_hash};
  save_state(checkout, state);
}

void note_current(const course::checkout& checkout, const course::lesson& lesson) {
  state state = load_state(checkout);
  state.current = lesson.slug;
  save_state(checkout, state);
}

}  // namespace runner
