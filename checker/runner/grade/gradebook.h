// gradebook.h: the results of a class as data.
//
// Not here: what a student gets for them (scoring.h), and how they are written (tables.h, platforms.h, class_page.h).
//
//     const runner::gradebook book = runner::gradebook_of(plan, results);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson.h"
#include "report/result.h"
#include "runner/grade/class_plan.h"
#include "runner/grade/results_folder.h"

namespace runner {

/// Of each lesson.
inline constexpr int max_points = 100;

/// One criterion of a check, without its sentences.
struct graded_criterion {
  std::string name;
  std::string title;
  int points = 0;  ///< that it is worth
  report::criterion_verdict verdict = report::criterion_verdict::not_observable;
  report::run_verdict failure = report::run_verdict::pass;  ///< that it leads to
  std::string mistake;                                      ///< of a failure; "" when not known
  std::string where;                                        ///< "async_copy.cu:41", the first place
  std::string quoted;                                       ///< that line
};

/// The result of one student in one lesson.
struct grade {
  /// A word of report::run_verdict or hand_in_problem, or "not_graded".
  std::string verdict;
  bool has_passed = false;
  /// Absent when nothing could be decided, which never counts against the student.
  std::optional<int> points;
  std::string detail;     ///< of a problem with what was handed in
  std::string file_hash;  ///< SHA-256; "" without a file
  // Of a check:
  std::string key;  ///< of its record; "" when there is none
  std::uint64_t seed = 0;
  std::string profile;
  std::string isolation;
  std::string where;  ///< of the verdict
  std::vector<graded_criterion> criteria;
  std::vector<suspicion> suspicions;  ///< of the file
};

/// All results of one student.
struct student_grades {
  std::string student;  ///< printable
  std::string date;     ///< as submission has it
  bool is_on_roster = true;
  bool was_missing = false;   ///< nothing was handed in
  std::vector<grade> grades;  ///< one a lesson

  int points() const;
  /// Of what could be decided.
  int max() const;
};

/// All results of a class, in the order of the table.
struct gradebook {
  std::vector<course::lesson> lessons;
  std::vector<student_grades> students;
};

/// The grades from the records that are there.
gradebook gradebook_of(const class_plan& plan, const results_folder& results);

/// What needs an instructor's eye, in a few words; "" for most.
std::string notes_of(const gradebook& book, const student_grades& student);

}  // namespace runner
