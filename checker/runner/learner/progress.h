// progress.h: the learner's progress, from the state and the files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "course/checkout.h"
#include "report/result.h"
#include "runner/learner/state.h"

namespace runner {

/// Progress in a lesson, by the content of the file.
enum class lesson_progress {
  untouched,  ///< the file is the skeleton
  started,    ///< the file was edited, or is missing
  done,       ///< this content has passed
  outdated,   ///< this content has passed, before the lesson's contract or check changed
  edited,     ///< another content has passed
};

/// "untouched", "started", "done", "outdated", "edited".
std::string_view word_of(lesson_progress progress);

/// Explains two of the words, below a list of lessons.
inline constexpr std::string_view legend_of_progress =
    "\"edited\" has passed and was changed since, \"outdated\" has passed before its lesson changed.";

/// The state of this checkout; empty when there is none.
state load_state(const course::checkout& checkout);
/// Replaces the state of this checkout in one step. Throws cannot_do.
void save_state(const course::checkout& checkout, const state& state);

/// Compares the learner's file with the skeleton and with the content that has passed.
lesson_progress progress_of(const state& state, const course::lesson& lesson);

/// The number of lessons with progress `done`.
std::size_t done_count(const course::checkout& checkout, const state& state);

/// The lesson that the state names; else the first that is not done, else the first.
const course::lesson& current_lesson(const course::checkout& checkout, const state& state);

/// The named lesson, or the current one for "".
const course::lesson& named_or_current(const course::checkout& checkout, const std::string& name);

/// Notes a learner's file that has passed on the virtual GPU as done.
void note_result(const course::checkout& checkout, const course::lesson& lesson,
                 const report::result& result);
/// Makes this lesson the current one.
void note_current(const course::checkout& checkout, const course::lesson& lesson);

}  // namespace runner
