// watch_model.h: the state of the watch screen, and how keys, saves and checks change it.
//
// Pure: an event changes the model and asks for effects; nothing here reads a file or a clock. Not here: how
// it looks (watch_view.h), and carrying out the effects (watch.cpp).
//
//     for (const runner::effect& wanted : runner::update(model, runner::file_changed{})) ...
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/result.h"
#include "runner/learner/lesson_hints.h"
#include "runner/learner/lesson_outcome.h"
#include "runner/learner/predictions.h"
#include "runner/learner/progress.h"
#include "runner/terminal/key.h"

namespace runner {

/// A lesson as the screen names it.
struct lesson_entry {
  std::string number;    ///< "03"
  std::string title;     ///< "Asynchronous copies"
  std::string source;    ///< the learner's file, relative to the checkout
  std::string link;      ///< URI of `source`
  std::string readme;    ///< relative to the checkout
  std::string solution;  ///< relative to the checkout
  lesson_progress progress = lesson_progress::untouched;
};

/// A check that has not ended.
struct running_check {
  std::string phase = "starting";  ///< "compiling", "running", "judging"
  std::chrono::milliseconds elapsed{0};
};

/// The progress of a check of all lessons.
struct all_checks {
  std::size_t next = 0;                            ///< the first lesson that was not started
  std::map<std::size_t, lesson_outcome> outcomes;  ///< by lesson, for those that have ended
};

/// Which lessons the page of all shows.
enum class lesson_filter { all, done, to_do };

/// The page of all lessons.
struct lesson_list {
  lesson_filter filter = lesson_filter::all;  ///< combined with `search`
  std::string search;                         ///< part of a number, title or file name, case-insensitive
  bool is_typing = false;                     ///< characters go into the search
  std::size_t chosen = 0;                     ///< index of a lesson that is listed, if any is
};

/// What fills the screen.
enum class watch_page { lesson, predict, list, all, comparison, help };

/// The page that asks for predictions before the first check.
struct prediction_page {
  std::vector<question> questions;  ///< to ask
  std::size_t current = 0;          ///< index into `questions`
  std::string typed;                ///< the answer so far
};

/// A question that y confirms and any other key declines.
enum class confirmation {
  none,
  reset,    ///< put the file back?
  compare,  ///< show the solution's run before the learner's has passed?
};

/// The state of the screen.
struct watch_model {
  std::vector<lesson_entry> lessons;  ///< never empty
  std::size_t current = 0;            ///< index into `lessons`
  bool is_manual = false;             ///< a save does not start a check
  std::size_t max_parallel = 1;       ///< checks at a time, in a check of all
  std::string welcome;                ///< shown until the first check has ended; "" after the first start

  watch_page page = watch_page::lesson;
  std::optional<report::result> result;          ///< of the last check of the current lesson
  bool is_fresh = false;                         ///< `result` is of the file as it is now
  std::map<std::size_t, running_check> running;  ///< by lesson
  std::optional<all_checks> all;                 ///< the current or last check of all lessons
  std::optional<shown_hint> hint;                ///< below the result
  std::string problem;                           ///< why the last check has no verdict, or ""
  std::string notice;                            ///< one line about the last key, until the next
  confirmation pending = confirmation::none;     ///< answered by the next key
  std::string comparison;                        ///< with the solution; "" until it is drawn
  prediction_page predict;
  std::string predictions;  ///< what the result measured beside what was predicted, or ""
  lesson_list list;
  int scroll = 0;  ///< lines above the screen
};

/// The learner's file was saved with another content.
struct file_changed {};
/// A check has reached its next phase, or time has passed.
struct check_progressed {
  std::size_t lesson;
  running_check now;
};
/// A check has a verdict.
struct check_ended {
  std::size_t lesson;
  report::result result;
  bool is_fresh;                 ///< the file is still the one that was checked
  std::string predictions = "";  ///< what it measured beside what was predicted
};
/// A check ended without a verdict.
struct check_failed {
  std::size_t lesson;
  std::string reason;  ///< for the learner, with the next step
};
/// Another lesson is the current one.
struct lesson_opened {
  std::size_t lesson;
  std::optional<report::result> last;    ///< of an earlier check
  bool is_fresh;                         ///< `last` is of the file as it is now
  std::vector<question> questions = {};  ///< to ask before the first check
  std::string predictions = "";          ///< what `last` measured beside what was predicted
};
/// The answer to the key that asks for a hint.
struct hint_given {
  shown_hint hint;
};
/// The progress of lessons may have changed.
struct progress_known {
  std::vector<lesson_progress> progress;  ///< by lesson
};
/// The text timeline for another width.
struct timeline_drawn {
  std::string text;
};
/// The runs of the learner and of the solution, drawn, or why they cannot be.
struct comparison_made {
  std::string text;
};
/// A message: where a file was kept, why something could not be done.
struct notice_given {
  std::string text;  ///< one line
};
/// An event that the screen reacts to.
using event = std::variant<key, file_changed, check_progressed, check_ended, check_failed, lesson_opened,
                           hint_given, progress_known, timeline_drawn, comparison_made, notice_given>;

/// Checks a lesson; answered by check_progressed, then by check_ended or check_failed.
struct start_check {
  std::size_t lesson;
  bool operator==(const start_check&) const = default;
};
/// Ends all running checks without an answer.
struct cancel_checks {
  bool operator==(const cancel_checks&) const = default;
};
/// Makes the lesson current and watches its file; answered by lesson_opened.
struct open_lesson {
  std::size_t lesson;
  bool operator==(const open_lesson&) const = default;
};
/// Answered by hint_given.
struct give_hint {
  bool operator==(const give_hint&) const = default;
};
/// Opens the file of the current lesson in the learner's editor, on this terminal.
struct edit_file {
  bool operator==(const edit_file&) const = default;
};
/// Replaces the learner's file by the skeleton, after keeping a copy; answered by notice_given.
struct reset_file {
  bool operator==(const reset_file&) const = default;
};
/// Opens the timeline of the learner's run in the browser; answered by notice_given.
struct open_timeline {
  bool operator==(const open_timeline&) const = default;
};
/// Opens the lesson as a page in the browser, beside the screen; answered by notice_given.
struct open_page {
  bool operator==(const open_page&) const = default;
};
/// Answered by comparison_made.
struct compare_runs {
  bool operator==(const compare_runs&) const = default;
};
/// Keeps the answer to a question of the current lesson.
struct keep_prediction {
  std::string id;
  std::string answer;
  bool operator==(const keep_prediction&) const = default;
};
/// Asks no more questions of the current lesson.
struct skip_predictions {
  bool operator==(const skip_predictions&) const = default;
};
/// Ends the screen.
struct leave_watch {
  bool operator==(const leave_watch&) const = default;
};
/// An action outside the model.
using effect =
    std::variant<start_check, cancel_checks, open_lesson, give_hint, edit_file, reset_file, open_timeline,
                 open_page, compare_runs, keep_prediction, skip_predictions, leave_watch>;

/// Applies the event and returns the actions to carry out, in order.
std::vector<effect> update(watch_model& model, const event& event);

/// The lessons that pass the filter and the search, in course order.
std::vector<std::size_t> listed_lessons(const watch_model& model);

/// True when the lesson's file had passed at the last progress_known.
bool is_done(const lesson_entry& lesson);
/// True when the current lesson's file has passed as it is now.
bool has_passed(const watch_model& model);
/// True when is_done() holds for every lesson.
bool are_all_done(const watch_model& model);

}  // namespace runner
