// answer_sets.h: the four sets of files that guard a lesson, and what comes out when the lesson's check
// program compares them with what they declare.
//
// The skeleton must fail as check.cpp says, each wrong answer as its first line says; solution and right
// answers must pass.
//
//     std::vector<runner::answer> answers = runner::answers_of(course, lesson);
//     runner::answer_outcome seen = runner::answer_outcome_of(answers[0], child);   // what the command
//     printed
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "processes/child_process.h"
#include "report/result.h"

namespace runner {

/// The four sets.
enum class answer_set { skeleton, solution, wrong, right };

/// A file of one of the sets.
struct answer {
  int lesson = 0;                         ///< its number
  answer_set set = answer_set::skeleton;  ///< which one
  std::string name;                       ///< as in ctest: "skeleton03", "solution03", "wrong03.crashes"
  std::filesystem::path source;           ///< the file
};

/// What its check came to, beside what it declares.
struct answer_outcome {
  bool is_as_declared = false;   ///< verdict and criteria
  std::string declared_failure;  ///< a criterion or "verdict:..."; "" when everything has to pass
  std::string difference;        ///< a table of declared and seen, or what the check program said; "" if none
  std::optional<report::result> result;  ///< what the check found; nothing when it came to no result
};

/// Skeleton and solution, whether they exist or not, then the wrong and the right answers by name.
std::vector<answer> answers_of(const course::lesson& lesson);

/// Where its check leaves the record: the folder of the ctest of the same name. Throws cannot_do when the
/// check program is not built.
std::filesystem::path record_of(const course::checkout& checkout, const answer& what);

/// The call of the lesson's check program. Throws cannot_do
/// when the program is not built. `compiler` of the .cu file, "" for the one of the build.
std::vector<std::string> command_for(const course::checkout& checkout, const answer& what,
                                     const std::string& compiler);

/// Reads what the command printed. Nothing is as declared when a wrong answer declares no failure, or a right
/// one does.
answer_outcome answer_outcome_of(const answer& what, const processes::outcome& printed);

}  // namespace runner
