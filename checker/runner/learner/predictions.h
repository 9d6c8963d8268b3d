// predictions.h: the questions of a lesson's predict.json, the learner's answers, and what runs measured.
//
// A question with a field of the result record has a number for an answer; the others are answered in words, and the
// lesson's page answers them. Not here: the verb (predict.cpp), worksheets and tables of a class (prediction_tables.h).
//
//     const std::vector<runner::question> questions = runner::questions_of(lesson);
//     runner::predictions kept = runner::load_predictions(runner::predictions_file(checkout, lesson));
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/checkout.h"
#include "report/result.h"

namespace runner {

/// One question of predict.json.
struct question {
  std::string id;
  std::string text;       ///< Markdown, one paragraph
  std::string unit = "";  ///< "ms"; measured questions only
  /// Path into the result record: "figures.took_ms", "criteria.NAME.measured.seen". "": answered by the page.
  std::string field = "";
  /// Which check answers: "as_it_comes" (of the unchanged file), "pass", or a condition on a field:
  /// "figures.streams >= 5".
  std::string answered_by = "";
  /// What the condition means for the file: "TODO 1 done and TODO 2 still open".
  std::string answered_with = "";
  double tolerance = 0;  ///< in the unit; a prediction so near counts as right
  bool is_measured() const { return !field.empty(); }
};

/// Throws std::runtime_error that says what is wrong with the text.
std::vector<question> parse_questions(std::string_view json);
/// Of the lesson's predict.json; none without that file. Throws cannot_do.
std::vector<question> questions_of(const course::lesson& lesson);

/// What the learner said of one lesson, and what was measured.
struct predictions {
  bool is_skipped = false;
  std::map<std::string, std::string> answers = {};  ///< as typed, by id
  std::map<std::string, double> measured = {};      ///< by the last check that answers, by id
  bool operator==(const predictions&) const = default;
};

/// .streamlings/predictions/03_async_copy.json
std::filesystem::path predictions_file(const course::checkout& checkout, const course::lesson& lesson);
/// Empty without a file. Throws cannot_do when it holds something else.
predictions load_predictions(const std::filesystem::path& file);
/// Throws cannot_do.
void save_predictions(const std::filesystem::path& file, const predictions& kept);

/// The questions to ask before the first check: none once they were skipped or a run has answered one.
std::vector<question> questions_to_ask(const std::vector<question>& questions, const predictions& kept);

/// The number that an answer begins with: 0.6 of "0.6 ms" and of "0,6"; nothing when it begins with none.
std::optional<double> number_in(std::string_view answer);
/// Why that is no answer to the question, as a sentence; "" when it is one.
std::string problem_of_answer(const question& question, std::string_view answer);
/// True when the answer is a number within the tolerance of the measured one.
bool is_near(const question& question, std::string_view answer, double measured);

/// What this check of the learner's file measured, by id.
std::map<std::string, double> measured_by(const report::result& check, const course::lesson& lesson,
                                          const std::vector<question>& questions);
/// Keeps what this check measured. Throws cannot_do.
void note_measurements(const course::checkout& checkout, const course::lesson& lesson,
                       const report::result& check);
/// What this check measured beside what was predicted; "" when it measured nothing that was. Of a broken file "" too.
std::string predictions_text(const course::checkout& checkout, const course::lesson& lesson,
                             const report::result& check, int width);

/// "2.47 ms"
std::string with_unit(double value, const question& question);
/// "0.6 ms": a number gets the unit that it lacks.
std::string answer_words(const question& question, const std::string& answer);
/// "predicted 0.6 ms, measured 2.47 ms"
std::string comparison_of(const question& question, const predictions& kept);

}  // namespace runner
