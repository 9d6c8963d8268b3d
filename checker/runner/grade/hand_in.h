// hand_in.h: the file of a lesson in what a student has handed in, or why there is none.
//
// Nothing is written and nothing is followed: links, device files, and paths that lead out are named, not used. Not here: where
// the files come from (submission_files.h).
//
//     const runner::hand_in file = runner::chosen_file(files, lesson);
//     if (file.problem == runner::hand_in_problem::none) check(file.content);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.h"

namespace runner {

/// Why a submission, or the file of a lesson in it, cannot be checked.
enum class hand_in_problem {
  none,
  // Of a whole submission
  missing_submission,   ///< the roster names the student, nothing was handed in
  several_submissions,  ///< two entries have the student's name
  unknown_kind,         ///< neither a folder nor an archive
  unreadable_archive,
  unsafe_archive,  ///< a path in it leads out of it
  large_archive,   ///< more than a submission can need
  // Of a lesson
  missing_file,
  several_files,    ///< of different content
  no_regular_file,  ///< a link, a device or a folder
  large_file,
  empty_file,
  binary_file,
};

/// The stable word: "several_files".
std::string_view word_of(hand_in_problem problem);

/// One file, by its path in the submission.
struct submitted_file {
  std::string path;
  hand_in_problem problem = hand_in_problem::none;  ///< none, no_regular_file or large_file
  std::string content = {};
};

/// All files with the name of a lesson's file, or why there are none.
struct submission_files {
  hand_in_problem problem = hand_in_problem::none;
  std::string detail = {};  ///< of the problem, a few words
  std::vector<submitted_file> files = {};
};

/// The file of one lesson.
struct hand_in {
  hand_in_problem problem = hand_in_problem::none;
  std::string detail = {};
  std::string path = {};
  std::string content = {};
};

/// The names under which the file of a lesson is found: "async_copy.cu", "03_async_copy.cu".
std::vector<std::string> names_of(const course::lesson& lesson);

/// Chooses the file of that lesson: that in lessons/03_async_copy/ where there is one, else the only one, wherever it lies.
/// solutions/03_async_copy/ holds the course's own and does not count.
hand_in chosen_file(const submission_files& submitted, const course::lesson& lesson);

}  // namespace runner
