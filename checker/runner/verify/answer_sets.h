// answer_sets.h: the four sets of files that guard a lesson, and what ctest's entries of them leave.
//
// The skeleton must fail as check.cpp says, each wrong answer as its first line says; solution and right
// answers must pass.
//
//     const std::vector<runner::answer> answers = runner::answers_of(lesson);
//     const std::string printed = runner::run_answers(checkout, answers, 2);
//     runner::outcome_of(checkout, answers[0], printed).is_as_declared
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "report/result.h"

namespace runner {

/// The four sets.
enum class answer_set { skeleton, solution, wrong, right };

/// A file of one of the sets.
struct answer {
  answer_set set = answer_set::skeleton;
  /// "skeleton03", "solution03", "wrong03.crashes", "right03.ring"
  std::string name;
  std::filesystem::path source;

  /// Its entry in ctest.
  std::string entry() const { return set == answer_set::solution ? name + ".builds" : name; }
};

/// What its check came to, beside what it declares.
struct answer_outcome {
  bool is_as_declared = false;
  /// A criterion or "verdict:..."; "" when everything has to pass.
  std::string declared_failure;
  int line = 0;       ///< to which its report leads; 0: to none
  std::string cause;  ///< that its report names
  /// A table of what was declared and what came out, or what the check program printed; "" if none.
  std::string difference;
  /// Absent when the check came to no result.
  std::optional<report::result> result;
};

/// Skeleton and solution, whether they exist or not, then the wrong and the right answers by name.
std::vector<answer> answers_of(const course::lesson& lesson);

/// Where its check leaves the record.
std::filesystem::path record_of(const course::checkout& checkout, const answer& answer);

/// Runs ctest's entries of these answers, at most `jobs` at a time, and shows on a terminal's standard error how far
/// it is. Each leaves a record. The result is what ctest printed, with the output of entries that failed.
std::string run_answers(const course::checkout& checkout, const std::vector<answer>& answers,
                        std::size_t jobs);

/// Reads the record that run_answers() left. Nothing is as declared when a wrong answer declares no failure, or a
/// right one does.
answer_outcome outcome_of(const course::checkout& checkout, const answer& answer, const std::string& printed);
/// Reads the record that the answer's test left last. Nothing is as declared when the answer or the lesson's check
/// has changed since.
answer_outcome recorded_outcome_of(const course::checkout& checkout, const course::lesson& lesson,
                                   const answer& answer);

}  // namespace runner
