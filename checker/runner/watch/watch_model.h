// watch_model.h: what the watch screen knows and what it does about keys, saves and checks.
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
#include "runner/terminal/key.h"
#include "runner/learner/lesson_outcome.h"
#include "runner/learner/progress.h"

namespace runner {

/// A lesson as the screen names it.
struct lesson_entry {
  std::string number;                                     ///< "03"
  std::string title;                                      ///< "Asynchronous copies"
  std::string source;                                     ///< the learner's file, relative to the checkout
  std::string link;                                       ///< the same as a URI
  std::string readme;                                     ///< relative to the checkout
  std::string solution;                                   ///< relative to the checkout
  lesson_progress progress = lesson_progress::untouched;  ///< as the list shows it
};

/// A check that has not ended.
struct running_check {
  std::string phase = "starting";        ///< "compiling", "running", "judging"
  std::chrono::milliseconds elapsed{0};  ///< since it was started
};

/// A hint on the screen.
struct shown_hint {
  std::string title;  ///< "Hint 1 of 2 for WorkIsOrdered: Who waits?"
  std::string text;   ///< Markdown
};

/// A check of all lessons, as far as it is.
struct all_checks {
  std::size_t next = 0;                            ///< the first lesson that was not started
  std::map<std::size_t, lesson_outcome> outcomes;  ///< of the lessons that are through
};

/// Which lessons the page of all shows.
enum class lesson_filter { all, done, to_do };

/// The page of all lessons: which are shown, and which is chosen.
struct lesson_list {
  lesson_filter filter = lesson_filter::all;  ///< by progress; `search` filters too
  std::string search;                         ///< part of a number, title or file name, in any case
  bool is_typing = false;                     ///< characters go into the search
  std::size_t chosen = 0;                     ///< a lesson; one of those shown, when any is
};

/// What fills the screen.
enum class watch_page { lesson, list, all, comparison, help };

/// A question that waits for y or another key.
enum class question {
  none,     ///< nothing is asked
  reset,    ///< whether to put the file back
  compare,  ///< whether to see the solution's run before one's own has passed
};

/// All that the screen shows, and all that decides what a key does.
struct watch_model {
  std::vector<lesson_entry> lessons;  ///< never empty
  std::size_t current = 0;            ///< the lesson that is worked on, a place in `lessons`
  bool is_manual = false;             ///< a save does not start a check
  std::size_t at_once = 1;            ///< how many checks run at a time in a check of all
  std::string welcome;  ///< shown until the first check has ended; "" for who has been here before

  watch_page page = watch_page::lesson;          ///< what is shown now
  std::optional<report::result> result;          ///< of the last check of the current lesson
  bool is_fresh = false;                         ///< the result speaks of the file as it is now
  std::map<std::size_t, running_check> running;  ///< by lesson
  std::optional<all_checks> all;    ///< the check of all that runs or ran last; nothing before the first
  std::optional<shown_hint> hint;   ///< below the result; nothing until it is asked for
  std::string problem;              ///< why the last check came to no verdict, or ""
  std::string notice;               ///< one line about the last key; gone at the next
  question asked = question::none;  ///< what the next key answers
  std::string comparison;           ///< with the solution; "" until it is made
  lesson_list list;                 ///< of the page of all lessons
  int scroll = 0;                   ///< lines above the screen
};

/// The learner's file was saved with another content.
struct file_changed {};
/// A check has come to its next phase, or time has passed.
struct check_progressed {
  std::size_t lesson;  ///< that is checked
  running_check now;   ///< how far it is
};
/// A check came to a verdict.
struct check_ended {
  std::size_t lesson;     ///< that was checked
  report::result result;  ///< its record
  bool is_fresh;          ///< the file is still the one that was checked
};
/// The check came to no verdict.
struct check_failed {
  std::size_t lesson;  ///< that was checked
  std::string reason;  ///< for the learner, with what to do
};
/// Another lesson is the current one.
struct lesson_opened {
  std::size_t lesson;                  ///< the current one
  std::optional<report::result> last;  ///< of an earlier check
  bool is_fresh;                       ///< that check was of the file as it is
};
/// The answer to the key that asks for a hint.
struct hint_given {
  std::optional<shown_hint> hint;  ///< nothing: there is none, or none is left
};
/// What is done may have changed.
struct progress_known {
  std::vector<lesson_progress> of_lessons;  ///< as many as there are lessons
};
/// The text timeline for another width.
struct timeline_drawn {
  std::string text;  ///< lines
};
/// The runs of the learner and of the solution, drawn; or why they are not.
struct comparison_made {
  std::string text;  ///< lines
};
/// Something to tell: where a file was kept, why something could not be done.
struct notice_given {
  std::string text;  ///< one line
};
/// What can happen to the screen.
using event = std::variant<key, file_changed, check_progressed, check_ended, check_failed, lesson_opened,
                           hint_given, progress_known, timeline_drawn, comparison_made, notice_given>;

/// Checks a lesson; answered by check_progressed, then by check_ended or check_failed.
struct start_check {
  std::size_t lesson;  ///< which one
  bool operator==(const start_check&) const = default;
};
/// Ends all checks that run; none of them is answered.
struct cancel_checks {
  bool operator==(const cancel_checks&) const = default;
};
/// Makes it the current lesson of the state and watches its file; answered by lesson_opened.
struct open_lesson {
  std::size_t lesson;  ///< which one
  bool operator==(const open_lesson&) const = default;
};
/// Answered by hint_given.
struct give_hint {
  bool operator==(const give_hint&) const = default;
};
/// Gives the terminal to the learner's editor, with the file of the current lesson.
struct edit_file {
  bool operator==(const edit_file&) const = default;
};
/// Puts the skeleton in the place of the learner's file, which is kept; answered by notice_given.
struct reset_file {
  bool operator==(const reset_file&) const = default;
};
/// The timeline of the learner's run as a page, opened in the browser; answered by notice_given.
struct open_timeline {
  bool operator==(const open_timeline&) const = default;
};
/// Answered by comparison_made.
struct compare_runs {
  bool operator==(const compare_runs&) const = default;
};
/// Ends the screen.
struct leave_watch {
  bool operator==(const leave_watch&) const = default;
};
/// What is to be done outside of the model.
using effect = std::variant<start_check, cancel_checks, open_lesson, give_hint, edit_file, reset_file,
                            open_timeline, compare_runs, leave_watch>;

/// Changes the model by the event and returns what is to be done, in this order.
std::vector<effect> update(watch_model& model, const event& event);

/// The lessons that the list shows, in order of the course.
std::vector<std::size_t> listed_lessons(const watch_model& model);

/// Whether the lesson's file has passed as it was when progress was last known.
bool is_done(const lesson_entry& lesson);
/// Whether the file as it is now has passed.
bool has_passed(const watch_model& model);
/// Whether is_done() says so of every lesson.
bool are_all_done(const watch_model& model);

}  // namespace runner
