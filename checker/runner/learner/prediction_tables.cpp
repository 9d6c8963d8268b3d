#include "runner/learner/prediction_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "processes/cannot_do.h"
#include "processes/files.h"
#include "report/text_layout.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr int page_width = 120;
constexpr std::string_view list_begin = "<!-- predict -->\n";
constexpr std::string_view list_end = "<!-- end -->\n";

/// What a student typed, as a cell of a table.
std::string cell(const std::string& answer) {
  std::string text;
  for (const char letter : report::escaped(answer)) {
    if (letter == '|' || letter == '\\' || letter == '<' || letter == '`' || letter == '[') text += '\\';
    text += letter == '\n' ? ' ' : letter;
  }
  return text;
}

/// The median; the upper one of an even number. `values` is not empty.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median of what the runs of the class measured.
std::optional<double> measured_in_class(const question& question,
                                        const std::vector<student_predictions>& students) {
  std::vector<double> values;
  for (const student_predictions& one : students) {
    if (const auto value = one.kept.measured.find(question.id); value != one.kept.measured.end())
      values.push_back(value->second);
  }
  return values.empty() ? std::nullopt : std::optional(median(values));
}

/// "3 of 12", by what was measured in the learner's own run, else in the class.
std::string right_in_class(const question& question, const std::vector<student_predictions>& students) {
  const std::optional<double> usual = measured_in_class(question, students);
  if (!usual) return "";
  std::size_t answered = 0;
  std::size_t right = 0;
  for (const student_predictions& one : students) {
    const auto answer = one.kept.answers.find(question.id);
    if (answer == one.kept.answers.end()) continue;
    const auto own = one.kept.measured.find(question.id);
    ++answered;
    if (is_near(question, answer->second, own == one.kept.measured.end() ? *usual : own->second)) ++right;
  }
  return fmt::format("{} of {}", right, answered);
}

}  // namespace

std::string question_list(const std::vector<question>& questions) {
  std::string text;
  for (std::size_t i = 0; i < questions.size(); ++i)
    text += report::hanging(fmt::format("{}. ", i + 1), questions[i].text, page_width);
  return text;
}

std::string with_question_list(const std::string& page, const std::vector<question>& questions) {
  const std::size_t begin = page.find(list_begin);
  const std::size_t end = begin == page.npos ? page.npos : page.find(list_end, begin);
  if (end == page.npos) {
    throw std::runtime_error(
        "The questions of predict.json have no place: the page lacks the lines <!-- predict --> and "
        "<!-- end -->.");
  }
  return page.substr(0, begin + list_begin.size()) + question_list(questions) + page.substr(end);
}

std::string worksheet(const std::vector<course::lesson>& lessons) {
  std::string text =
      "# Predictions\n\nName: ______________________________\n\n"
      "Answer before you run anything. Write down what you expect, also when you are not sure.\n";
  for (const course::lesson& lesson : lessons) {
    const std::vector<question> questions = questions_of(lesson);
    if (questions.empty()) continue;
    text += fmt::format("\n## {} {}\n", lesson.two_digits(), lesson.title);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const std::string unit = questions[i].is_measured() ? " " + questions[i].unit : "";
      text += "\n" + report::hanging(fmt::format("{}. ", i + 1), questions[i].text, page_width) +
              fmt::format("\n   I predict: ____________________{}\n\n   Measured: ____________________{}\n",
                          unit, unit);
    }
  }
  return text;
}

std::vector<student_predictions> predictions_of_class(const fs::path& folder, const course::lesson& lesson) {
  if (!fs::is_directory(folder)) throw processes::cannot_do(folder.string() + " is no folder.");
  const std::string name = lesson.folder + ".json";
  std::vector<student_predictions> found;
  for (const fs::directory_entry& student : fs::directory_iterator(folder)) {
    if (!student.is_directory()) continue;
    for (const fs::path& file : {student.path() / ".streamlings/predictions" / name, student.path() / name}) {
      if (!fs::is_regular_file(file)) continue;
      found.push_back({student.path().filename().string(), load_predictions(file)});
      break;
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& left, const auto& right) { return left.student < right.student; });
  return found;
}

std::string class_table(const course::lesson& lesson, const std::vector<question>& questions,
                        const std::vector<student_predictions>& students) {
  if (students.empty()) return "";
  std::string head = "| Student |";
  std::string rule = "|---|";
  std::string measured = "| measured |";
  std::string right = "| right |";
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const question& one = questions[i];
    head += fmt::format(" {}{} |", i + 1, one.is_measured() ? " (" + one.unit + ")" : "");
    rule += one.is_measured() ? "--:|" : "---|";
    const std::optional<double> value = measured_in_class(one, students);
    measured += value ? fmt::format(" {:.3g} |", *value) : " |";
    const std::string count = right_in_class(one, students);
    right += count.empty() ? " |" : " " + count + " |";
  }
  std::string text = fmt::format("## {} {}\n\n{}\n{}\n{}\n", lesson.two_digits(), lesson.title,
                                 question_list(questions), head, rule);
  for (const student_predictions& student : students) {
    text += fmt::format("| {} |", cell(student.student));
    for (const question& one : questions) {
      const auto answer = student.kept.answers.find(one.id);
      const bool is_answered = answer != student.kept.answers.end();
      text += is_answered ? " " + cell(answer->second) + " |" : student.kept.is_skipped ? " skipped |" : " |";
    }
    text += "\n";
  }
  return text + measured + "\n" + right + "\n";
}

}  // namespace runner
