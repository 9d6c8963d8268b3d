#include "runner/grade/gradebook.h"

#include <fmt/format.h>

#include <map>

#include "runner/grade/class_checks.h"
#include "runner/grade/csv.h"

namespace runner {
namespace {

constexpr const char* not_graded = "not_graded";

bool is_decided(report::run_verdict verdict) {
  return verdict == report::run_verdict::pass ||
         report::exit_status_of(verdict) != report::exit_status::undecided;
}

std::string first_place(const report::evidence& why) {
  const std::vector<std::string> places = report::places_in(why);
  return places.empty() ? "" : places.front();
}

/// What the record says, without the sentences; those of a class do not fit into memory.
grade summary_of(const report::result& record) {
  grade made;
  made.verdict = report::word_of(record.verdict);
  made.has_passed = record.verdict == report::run_verdict::pass;
  if (is_decided(record.verdict)) made.points = report::points_of(record);
  made.seed = record.seed;
  made.profile = record.profile;
  made.isolation = record.isolation;
  made.where = first_place(record.why);
  for (const report::criterion_result& criterion : record.criteria) {
    made.criteria.push_back({criterion.name, criterion.title, criterion.points, criterion.verdict,
                             criterion.failure, criterion.mistake, first_place(criterion.why),
                             criterion.why.quoted});
  }
  return made;
}

}  // namespace

int student_grades::points() const {
  int sum = 0;
  for (const grade& one : grades) sum += one.points.value_or(0);
  return sum;
}

int student_grades::max() const {
  int sum = 0;
  for (const grade& one : grades) sum += one.points ? max_points : 0;
  return sum;
}

gradebook gradebook_of(const class_plan& plan, const results_folder& results) {
  gradebook book{plan.lessons, {}};
  std::map<std::size_t, grade> of_checks;
  for (const plan_row& row : plan.rows) {
    student_grades& student = book.students.emplace_back();
    student.student = printable(row.submission.student);
    student.date = row.submission.date;
    student.was_missing = row.submission.problem == hand_in_problem::missing_submission;
    student.is_on_roster = row.submission.is_on_roster;
    for (const plan_cell& cell : row.cells) {
      grade& made = student.grades.emplace_back();
      if (cell.problem != hand_in_problem::none) {
        made.verdict = word_of(cell.problem);
        made.points = 0;
      } else {
        const auto [known, is_new] = of_checks.try_emplace(cell.check);
        if (is_new) {
          const planned_check& check = plan.checks[cell.check];
          const auto record = record_of(results, check);
          if (record) known->second = summary_of(*record);
          if (!record) known->second.verdict = not_graded;
          known->second.suspicions = check.suspicions;
          if (record) known->second.key = check.key;
        }
        made = known->second;
      }
      made.detail = cell.detail;
      made.file_hash = cell.file_hash;
    }
  }
  return book;
}

std::string notes_of(const gradebook& book, const student_grades& student) {
  std::string notes;
  const auto add = [&](const std::string& note) { notes += (notes.empty() ? "" : "; ") + note; };
  if (!student.is_on_roster) add("not on the roster");
  std::string last;
  for (std::size_t i = 0; i < student.grades.size(); ++i) {
    const grade& one = student.grades[i];
    for (const suspicion& suspicious : one.suspicions)
      add(fmt::format("{}: line {}: {}", book.lessons[i].two_digits(), suspicious.line, suspicious.name));
    if (one.detail.empty() || one.detail == last) continue;  // of the whole submission: once
    last = one.detail;
    add(fmt::format("{}: {}", book.lessons[i].two_digits(), printable(one.detail)));
  }
  return notes;
}

}  // namespace runner
