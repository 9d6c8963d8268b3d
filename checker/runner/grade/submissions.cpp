#include "runner/grade/submissions.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "processes/cannot_do.h"
#include "runner/grade/csv.h"
#include "runner/grade/submission_files.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

submission submission_of(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code ignored;
  if (entry.is_symlink(ignored)) return {name, entry.path(), "", hand_in_problem::unknown_kind};
  if (entry.is_directory(ignored)) return {name, entry.path()};
  if (!is_archive_name(name)) return {name, entry.path(), "", hand_in_problem::unknown_kind};
  return {without_archive_suffix(name), entry.path()};
}

std::vector<submission> entries_of(const fs::path& folder) {
  std::vector<submission> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with('.')) found.push_back(submission_of(entry));
  }
  return found;
}

std::vector<submission> rows_of(const fs::path& file) {
  const csv_table table = read_csv(file);
  const auto student = table.column({"student"});
  const auto path = table.column({"path"});
  const auto date = table.column({"date"});
  if (!student || !path) throw processes::cannot_do(file.string() + " needs the columns student and path.");
  std::vector<submission> found;
  for (const std::vector<std::string>& row : table.rows) {
    const std::string& named = row[*path];
    submission& one =
        found.emplace_back(submission{row[*student], file.parent_path() / named, date ? row[*date] : ""});
    if (named.empty() || !fs::exists(one.path)) one.problem = hand_in_problem::missing_submission;
  }
  return found;
}

/// One a student, by name.
std::map<std::string, submission> by_student(std::vector<submission> found) {
  std::map<std::string, submission> students;
  for (submission& one : found) {
    const auto [place, is_new] = students.try_emplace(one.student, std::move(one));
    if (!is_new) place->second.problem = hand_in_problem::several_submissions;
  }
  return students;
}

std::vector<std::string> names_on(const fs::path& roster) {
  const csv_table table = read_csv(roster);
  const std::size_t column = table
                                 .column({"sis login id", "student", "username", "id", "id number", "email",
                                          "email address", "name"})
                                 .value_or(0);
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const std::vector<std::string>& row : table.rows) {
    if (!row[column].empty() && known.insert(row[column]).second) names.push_back(row[column]);
  }
  return names;
}

}  // namespace

std::vector<submission> submissions_in(const fs::path& source, const fs::path& roster) {
  if (!fs::exists(source)) throw processes::cannot_do(source.string() + " does not exist.");
  std::map<std::string, submission> students =
      by_student(fs::is_directory(source) ? entries_of(source) : rows_of(source));
  std::vector<submission> ordered;
  if (!roster.empty()) {
    for (const std::string& name : names_on(roster)) {
      const auto found = students.find(name);
      if (found == students.end()) {
        ordered.push_back({name, "", "", hand_in_problem::missing_submission});
      } else {
        ordered.push_back(std::move(found->second));
        students.erase(found);
      }
    }
  }
  for (auto& [name, one] : students) {
    one.is_on_roster = roster.empty();
    ordered.push_back(std::move(one));
  }
  if (ordered.empty()) throw processes::cannot_do(source.string() + " holds no submission.");
  return ordered;
}

}  // namespace runner
