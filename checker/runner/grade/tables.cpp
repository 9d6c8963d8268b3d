#include "runner/grade/tables.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runner/grade/csv.h"

namespace runner {
namespace {

nlohmann::ordered_json json_of(const graded_criterion& criterion) {
  nlohmann::ordered_json made{{"name", criterion.name},
                              {"points", criterion.points},
                              {"verdict", report::word_of(criterion.verdict)}};
  if (!criterion.mistake.empty()) made["mistake"] = criterion.mistake;
  if (!criterion.where.empty()) made["where"] = criterion.where;
  return made;
}

nlohmann::ordered_json json_of(const student_grades& student, const course::lesson& lesson,
                               const grade& grade) {
  nlohmann::ordered_json made{{"version", 1},
                              {"student", student.student},
                              {"lesson", lesson.two_digits()},
                              {"slug", lesson.slug},
                              {"verdict", grade.verdict}};
  made["points"] = grade.points ? nlohmann::ordered_json(*grade.points) : nlohmann::ordered_json(nullptr);
  made["max_points"] = max_points;
  if (!grade.detail.empty()) made["detail"] = printable(grade.detail);
  if (!grade.file_hash.empty()) made["file_sha256"] = grade.file_hash;
  if (grade.key.empty()) return made;
  made["record"] = grade.key;
  made["seed"] = grade.seed;
  made["profile"] = grade.profile;
  made["isolation"] = grade.isolation;
  if (!grade.where.empty()) made["where"] = grade.where;
  for (const suspicion& one : grade.suspicions)
    made["suspicions"].push_back({{"line", one.line}, {"what", one.name}});
  made["criteria"] = nlohmann::ordered_json::array();
  for (const graded_criterion& criterion : grade.criteria) made["criteria"].push_back(json_of(criterion));
  return made;
}

}  // namespace

std::string gradebook_csv(const gradebook& book, const scoring_rules& rules) {
  std::vector<std::string> header{"student", "score", "points", "max_points"};
  if (rules.deadline) header.push_back("late_days");
  for (const course::lesson& lesson : book.lessons) {
    header.push_back(lesson.two_digits() + "_points");
    header.push_back(lesson.two_digits() + "_verdict");
  }
  header.push_back("notes");
  std::string text = csv_line(header);
  for (const student_grades& student : book.students) {
    const score made = score_of(book, student, rules);
    std::vector<std::string> fields{student.student, score_words(made), std::to_string(student.points()),
                                    std::to_string(student.max())};
    if (rules.deadline) fields.push_back(made.is_date_missing ? "" : std::to_string(made.late_days));
    for (const grade& one : student.grades) {
      fields.push_back(one.points ? std::to_string(*one.points) : "");
      fields.push_back(one.verdict);
    }
    std::string notes = notes_of(book, student);
    if (made.is_date_missing) notes += notes.empty() ? "date not known" : "; date not known";
    fields.push_back(notes);
    text += csv_line(fields);
  }
  return text;
}

std::string grades_json_lines(const gradebook& book) {
  std::string text;
  for (const student_grades& student : book.students) {
    for (std::size_t i = 0; i < student.grades.size(); ++i)
      text += json_of(student, book.lessons[i], student.grades[i])
                  .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
              '\n';
  }
  return text;
}

}  // namespace runner
