// progress.h: how far the learner has come, from the state and the files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "course/checkout.h"
#include "report/result.h"
#include "runner/learner/state.h"

namespace runner {

/// How far the learner is with a lesson, by the content of the file.
enum class lesson_progress {
  untouched,  ///< the file is as it was delivered
  started,    ///< it was edited, or is missing
  done,       ///< exactly this file has passed
  outdated,   ///< exactly this file has passed, before the lesson's contract or check changed
  edited,     ///< another version of it has passed
};

/// "untouched", "started", "done", "outdated", "edited".
std::string_view word_of(lesson_progress progress);

/// What the words say that do not speak for themselves, for the foot of a list of lessons.
inline constexpr std::string_view legend_of_progress =
    "\"edited\" has passed and was changed since, \"outdated\" has passed before its lesson changed.";

/// The state of this checkout; the empty state when there is none.
state load_state(const course::checkout& checkout);
/// Replaces the state of this checkout in one step. Throws cannot_do.
void save_state(const course::checkout& checkout, const state& state);

/// Compares the learner's file with the skeleton and with what has passed.
lesson_progress progress_of(const state& state, const course::lesson& lesson);

/// How many lessons are done: files that have passed as they are now.
std::size_t done_count(const course::checkout& checkout, const state& state);

/// The chosen lesson; without a choice the first that is not done, or the first of all.
const course::lesson& current_lesson(const course::checkout& checkout, const state& state);

/// The named lesson, or the current one for "".
const course::lesson& named_or_current(const course::checkout& checkout, const std::string& name);

/// A learner's file that has passed on the virtual GPU is noted as done.
void note_result(const course::checkout& checkout, const course::lesson& lesson,
                 const report::result& result);
/// Makes this lesson the current one.
void note_current(const course::checkout& checkout, const course::lesson& lesson);

}  // namespace runner
