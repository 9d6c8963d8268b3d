#include "runner/learner/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "parsing/pattern.h"
#include "processes/cannot_do.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "report/text_layout.h"

namespace runner {
namespace {

using prediction_json = nlohmann::ordered_json;

constexpr int predictions_version = 1;

/// "FIELD >= NUMBER"
struct field_condition {
  std::string field;
  double at_least = 0;
};

std::optional<field_condition> condition_in(const std::string& words) {
  static const parsing::pattern form(R"(([\w.]+) >= ([0-9.]+))");
  const auto found = form.match(words);
  if (!found) return std::nullopt;
  return field_condition{found->at(1), std::strtod(found->at(2).c_str(), nullptr)};
}

question question_from(const prediction_json& stored) {
  const question read{.id = stored.at("id"),
                      .text = stored.at("question"),
                      .unit = stored.value("unit", ""),
                      .field = stored.value("field", ""),
                      .answered_by = stored.value("answered_by", ""),
                      .answered_with = stored.value("answered_with", ""),
                      .tolerance = stored.value("tolerance", 0.0)};
  const bool is_known = read.answered_by == "as_it_comes" || read.answered_by == "pass" ||
                        condition_in(read.answered_by).has_value();
  if (read.is_measured() && !is_known) {
    throw std::runtime_error(
        fmt::format("the question '{}' is answered by '{}'; write as_it_comes, pass, or FIELD >= NUMBER",
                    read.id, read.answered_by));
  }
  if (condition_in(read.answered_by) && read.answered_with.empty())
    throw std::runtime_error(fmt::format(
        "the question '{}' is answered by a condition; write answered_with, the state of the file that meets it",
        read.id));
  if (read.is_measured() == read.unit.empty())
    throw std::runtime_error(
        fmt::format("the question '{}' needs both a field and a unit, or neither", read.id));
  return read;
}

/// The number at the end of the path. In a list, a part of the path is the name of an element.
std::optional<double> number_at(const prediction_json& record, std::string_view path) {
  const prediction_json* here = &record;
  while (!path.empty()) {
    const std::string part(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (here->is_array()) {
      const auto element = std::find_if(here->begin(), here->end(), [&](const prediction_json& one) {
        return one.value("name", "") == part;
      });
      if (element == here->end()) return std::nullopt;
      here = &*element;
    } else if (here->is_object() && here->contains(part)) {
      here = &here->at(part);
    } else {
      return std::nullopt;
    }
  }
  if (here->is_number()) return here->get<double>();
  return here->is_string() ? number_in(here->get<std::string>()) : std::nullopt;
}

bool answers(const report::result& check, const prediction_json& record, const course::lesson& lesson,
             const question& question) {
  if (question.answered_by == "pass") return check.verdict == report::run_verdict::pass;
  if (question.answered_by == "as_it_comes") {
    const std::optional<std::string> skeleton = processes::content_of(lesson.skeleton());
    return skeleton && processes::content_hash(*skeleton) == check.source_hash;
  }
  // What has no order, or does not do the work, takes some other time.
  if (check.verdict == report::run_verdict::wrong_answer ||
      check.verdict == report::run_verdict::race_detected)
    return false;
  const std::optional<field_condition> condition = condition_in(question.answered_by);
  return condition && number_at(record, condition->field).value_or(-INFINITY) >= condition->at_least;
}

}  // namespace

std::vector<question> parse_questions(std::string_view json) {
  std::vector<question> questions;
  std::set<std::string> ids;
  const prediction_json file = prediction_json::parse(json);
  for (const prediction_json& stored : file.at("questions")) {
    questions.push_back(question_from(stored));
    if (!ids.insert(questions.back().id).second)
      throw std::runtime_error(fmt::format("two questions are called '{}'", questions.back().id));
  }
  return questions;
}

std::vector<question> questions_of(const course::lesson& lesson) {
  const std::filesystem::path file = lesson.contract() / "predict.json";
  const std::optional<std::string> text = processes::content_of(file);
  if (!text) return {};
  try {
    return parse_questions(*text);
  } catch (const std::exception& reason) {
    throw processes::cannot_do(file.string() + ": " + reason.what() + ".");
  }
}

std::filesystem::path predictions_file(const course::checkout& checkout, const course::lesson& lesson) {
  return checkout.state_folder() / "predictions" / (lesson.folder + ".json");
}

predictions load_predictions(const std::filesystem::path& file) {
  const std::optional<std::string> text = processes::content_of(file);
  if (!text) return {};
  try {
    const prediction_json stored = prediction_json::parse(*text);
    if (stored.at("streamlings_predictions") != predictions_version)
      throw std::runtime_error("written by another version");
    return {.is_skipped = stored.at("is_skipped"),
            .answers = stored.at("answers"),
            .measured = stored.at("measured")};
  } catch (const std::exception& reason) {
    throw processes::cannot_do(file.string() + " holds no predictions: " + reason.what() + ".");
  }
}

void save_predictions(const std::filesystem::path& file, const predictions& kept) {
  const prediction_json stored{{"streamlings_predictions", predictions_version},
                               {"is_skipped", kept.is_skipped},
                               {"answers", kept.answers},
                               {"measured", kept.measured}};
  processes::write_whole(file, stored.dump(2, ' ', false, prediction_json::error_handler_t::replace) + "\n");
}

std::vector<question> questions_to_ask(const std::vector<question>& questions, const predictions& kept) {
  std::vector<question> wanted;
  if (kept.is_skipped || !kept.measured.empty()) return wanted;
  for (const question& one : questions) {
    if (kept.answers.count(one.id) == 0) wanted.push_back(one);
  }
  return wanted;
}

std::optional<double> number_in(std::string_view answer) {
  static const parsing::pattern form(R"(\s*(-?[0-9]+(?:[.,][0-9]+)?|-?[.,][0-9]+)(.*))");
  const auto found = form.match(std::string(answer.substr(0, answer.find('\n'))));
  if (!found) return std::nullopt;
  std::string digits = found->at(1);
  std::replace(digits.begin(), digits.end(), ',', '.');
  return std::strtod(digits.c_str(), nullptr);
}

std::string problem_of_answer(const question& question, std::string_view answer) {
  if (answer.find_first_not_of(" \t") == std::string_view::npos) return "An answer is not empty.";
  if (question.is_measured() && !number_in(answer))
    return fmt::format("The answer is a number, in {}.", question.unit);
  return "";
}

bool is_near(const question& question, std::string_view answer, double measured) {
  constexpr double rounding = 1e-9;
  const std::optional<double> predicted = number_in(answer);
  return predicted && std::abs(*predicted - measured) <= question.tolerance + rounding;
}

std::map<std::string, double> measured_by(const report::result& check, const course::lesson& lesson,
                                          const std::vector<question>& questions) {
  const prediction_json record = prediction_json::parse(report::to_json(check));
  std::map<std::string, double> found;
  for (const question& one : questions) {
    if (!one.is_measured() || !answers(check, record, lesson, one)) continue;
    if (const std::optional<double> value = number_at(record, one.field)) found[one.id] = *value;
  }
  return found;
}

void note_measurements(const course::checkout& checkout, const course::lesson& lesson,
                       const report::result& check) {
  const std::map<std::string, double> measured = measured_by(check, lesson, questions_of(lesson));
  if (measured.empty()) return;
  const std::filesystem::path file = predictions_file(checkout, lesson);
  predictions kept = load_predictions(file);
  const predictions before = kept;
  for (const auto& [id, value] : measured) kept.measured[id] = value;
  if (kept != before) save_predictions(file, kept);
}

std::string predictions_text(const course::checkout& checkout, const course::lesson& lesson,
                             const report::result& check, int width) {
  try {
    const std::vector<question> questions = questions_of(lesson);
    predictions kept = load_predictions(predictions_file(checkout, lesson));
    kept.measured = measured_by(check, lesson, questions);
    std::string text;
    for (const question& one : questions) {
      const bool is_told_by_the_page = !one.is_measured() && check.verdict == report::run_verdict::pass;
      if ((kept.measured.count(one.id) == 0 && !is_told_by_the_page) || kept.answers.count(one.id) == 0)
        continue;
      text += report::hanging("  ", report::escaped(one.text), width) +
              report::hanging("    -> ", report::escaped(comparison_of(one, kept)), width);
    }
    return text.empty() ? "" : "Your predictions\n" + text;
  } catch (const processes::cannot_do&) {
    return "";
  }
}

std::string with_unit(double value, const question& question) {
  // Three digits, without a fraction that a count does not have.
  const std::string number =
      std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  return number + " " + question.unit;
}

std::string answer_words(const question& question, const std::string& answer) {
  const bool is_bare =
      question.is_measured() && answer.find_first_not_of("0123456789.,- ") == std::string::npos;
  return is_bare ? answer + " " + question.unit : answer;
}

std::string comparison_of(const question& question, const predictions& kept) {
  const auto answer = kept.answers.find(question.id);
  const auto measured = kept.measured.find(question.id);
  std::string text =
      answer == kept.answers.end() ? "not predicted" : "predicted " + answer_words(question, answer->second);
  if (!question.is_measured()) return text + "; \"The surprise\" on the lesson's page answers it";
  if (measured == kept.measured.end()) {
    if (question.answered_by == "as_it_comes") return text + "; a check of the file as it comes measures it";
    if (question.answered_by == "pass") return text + "; the first check that passes measures it";
    return fmt::format("{}; a check with {} measures it", text, question.answered_with);
  }
  text += ", measured " + with_unit(measured->second, question);
  if (answer != kept.answers.end() && is_near(question, answer->second, measured->second)) text += ": right";
  return text;
}

}  // namespace runner
