#include "runner/progress.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "processes/content_hash.h"
#include "processes/files.h"
#include "report/content_hash.h"

namespace runner {
namespace {

std::filesystem::path state_file(const course& course) { return course.state_folder() / "state.txt"; }

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

state load_state(const course& course) { return load_state(state_file(course)); }
void save_state(const course& course, const state& what) { save_state(state_file(course), what); }

lesson_progress progress_of(const course& course, const state& state, const lesson& lesson) {
  const std::optional<std::string> content = processes::content_of(course.source_of(lesson));
  const auto passed = state.done.find(lesson.slug);
  const bool has_passed = passed != state.done.end();
  if (has_passed && content && processes::content_hash(*content) == passed->second.source_hash) {
    return passed->second.lesson_hash == report::lesson_hash(course.root(), lesson.folder)
               ? lesson_progress::done
               : lesson_progress::outdated;
  }
  if (content && content == processes::content_of(course.skeleton_of(lesson)))
    return lesson_progress::untouched;
  return has_passed ? lesson_progress::edited : lesson_progress::started;
}

std::size_t done_count(const course& course, const state& state) {
  const std::vector<lesson>& lessons = course.lessons();
  return static_cast<std::size_t>(std::count_if(lessons.begin(), lessons.end(), [&](const lesson& each) {
    return progress_of(course, state, each) == lesson_progress::done;
  }));
}

const lesson& current_lesson(const course& course, const state& state) {
  const std::vector<lesson>& lessons = course.lessons();
  auto found = std::find_if(lessons.begin(), lessons.end(),
                            [&](const lesson& each) { return each.slug == state.current; });
  if (found != lessons.end()) return *found;
  found = std::find_if(lessons.begin(), lessons.end(), [&](const lesson& each) {
    return progress_of(course, state, each) != lesson_progress::done;
  });
  return found != lessons.end() ? *found : lessons.front();
}

const lesson& named_or_current(const course& course, const std::string& name) {
  return name.empty() ? current_lesson(course, load_state(course)) : course.find(name);
}

void note_result(const course& course, const lesson& lesson, const report::result& result) {
  if (result.verdict != report::run_verdict::pass || result.backend != "virtual") return;
  state state = load_state(course);
  state.done[lesson.slug] = {result.source_hash, result.lesson_hash};
  save_state(course, state);
}

void note_current(const course& course, const lesson& lesson) {
  state state = load_state(course);
  state.current = lesson.slug;
  save_state(course, state);
}

}  // namespace runner
