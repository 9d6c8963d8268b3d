// class_plan.h: which file of whom is checked for which lesson, and with which seed.
//
//     const runner::class_plan plan = runner::planned(checkout, submissions, settings, results);
//     for (const runner::planned_check& check : plan.checks) ...   // identical files have one
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "processes/sandbox.h"
#include "runner/grade/hand_in.h"
#include "runner/grade/results_folder.h"
#include "runner/grade/submissions.h"
#include "runner/grade/suspicions.h"
#include "trace/backend.h"

namespace runner {

/// How a class is graded.
struct grade_settings {
  /// Those to grade; empty: those that somebody has handed in.
  std::vector<course::lesson> lessons = {};
  trace::backend backend = trace::backend::virtual_gpu;
  /// A name or a file; "": the usual one.
  std::string profile = "";
  /// In the place of the secret of the class.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// When was it handed in: of clones, where the table does not say.
  bool wants_dates = false;
  processes::isolation isolation = processes::isolation::bwrap_seccomp;
};

/// One run of the check program.
struct planned_check {
  std::string key;  ///< of the record; everything that decides the result goes into it
  course::lesson lesson;
  std::filesystem::path source;  ///< the file, as the results folder keeps it
  std::uint64_t seed = 0;
  std::vector<suspicion> suspicions = {};
};

/// One student and one lesson.
struct plan_cell {
  hand_in_problem problem = hand_in_problem::none;
  std::string detail = {};     ///< of the problem
  std::string path = {};       ///< in the submission
  std::string file_hash = {};  ///< SHA-256
  std::size_t check = 0;       ///< index in class_plan::checks when there is no problem
};

/// One student.
struct plan_row {
  runner::submission submission;
  std::vector<plan_cell> cells;  ///< one a lesson
};

/// The class: who has handed in what, and the checks that decide all of it.
struct class_plan {
  std::vector<course::lesson> lessons;
  std::vector<plan_row> rows;
  std::vector<planned_check> checks;
};

/// Reads all submissions and keeps the files of the lessons. Throws cannot_do.
class_plan planned(const course::checkout& checkout, const std::vector<submission>& submissions,
                   const grade_settings& settings, const results_folder& results);

/// The seed of a check: HMAC(secret, lesson, hash of the file).
std::uint64_t seed_of(const std::string& secret, const course::lesson& lesson, const std::string& file_hash);

/// The lessons of "01-04,06": numbers, slugs or folders, and ranges of numbers, in the order of the course. Throws cannot_do.
std::vector<course::lesson> lessons_in(const course::checkout& checkout, const std::string& text);

}  // namespace runner
