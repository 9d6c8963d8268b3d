#include "runner/grade/hand_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace runner {
namespace {

namespace fs = std::filesystem;

bool lies_in(const submitted_file& file, const std::string& parent, const course::lesson& lesson) {
  const fs::path folder = fs::path(file.path).parent_path();
  return folder.filename() == lesson.folder && folder.parent_path().filename() == parent;
}

hand_in refused(hand_in_problem problem, std::string detail = "") {
  return {problem, std::move(detail), "", ""};
}

hand_in judged(const submitted_file& file) {
  if (file.problem != hand_in_problem::none) return refused(file.problem);
  if (file.content.find_first_not_of(" \t\r\n") == file.content.npos)
    return refused(hand_in_problem::empty_file);
  const bool is_utf16 = file.content.starts_with("\xff\xfe") || file.content.starts_with("\xfe\xff");
  if (is_utf16 || file.content.find('\0') != file.content.npos) return refused(hand_in_problem::binary_file);
  return {hand_in_problem::none, "", file.path, file.content};
}

}  // namespace

std::string_view word_of(hand_in_problem problem) {
  switch (problem) {
    case hand_in_problem::none:
      return "";
    case hand_in_problem::missing_submission:
      return "missing_submission";
    case hand_in_problem::several_submissions:
      return "several_submissions";
    case hand_in_problem::unknown_kind:
      return "unknown_kind";
    case hand_in_problem::unreadable_archive:
      return "unreadable_archive";
    case hand_in_problem::unsafe_archive:
      return "unsafe_archive";
    case hand_in_problem::large_archive:
      return "large_archive";
    case hand_in_problem::missing_file:
      return "missing_file";
    case hand_in_problem::several_files:
      return "several_files";
    case hand_in_problem::no_regular_file:
      return "no_regular_file";
    case hand_in_problem::large_file:
      return "large_file";
    case hand_in_problem::empty_file:
      return "empty_file";
    case hand_in_problem::binary_file:
      return "binary_file";
  }
  return "";
}

std::vector<std::string> names_of(const course::lesson& lesson) {
  return {lesson.slug + ".cu", lesson.two_digits() + "_" + lesson.slug + ".cu"};
}

hand_in chosen_file(const submission_files& submitted, const course::lesson& lesson) {
  if (submitted.problem != hand_in_problem::none) return refused(submitted.problem, submitted.detail);
  const std::vector<std::string> names = names_of(lesson);
  std::vector<const submitted_file*> candidates;
  for (const submitted_file& file : submitted.files) {
    const bool has_name =
        std::find(names.begin(), names.end(), fs::path(file.path).filename().string()) != names.end();
    if (has_name && !lies_in(file, "solutions", lesson)) candidates.push_back(&file);
  }
  const auto is_in_place = [&](const submitted_file* file) { return lies_in(*file, "lessons", lesson); };
  if (std::any_of(candidates.begin(), candidates.end(), is_in_place))
    std::erase_if(candidates, [&](const submitted_file* file) { return !is_in_place(file); });
  if (candidates.empty()) return refused(hand_in_problem::missing_file);
  std::sort(candidates.begin(), candidates.end(),
            [](const auto* a, const auto* b) { return a->path < b->path; });
  for (const submitted_file* file : candidates) {
    if (file->problem != candidates.front()->problem || file->content != candidates.front()->content)
      return refused(
          hand_in_problem::several_files,
          fmt::format("{} files, {} and {} differ", candidates.size(), candidates.front()->path, file->path));
  }
  return judged(*candidates.front());
}

}  // namespace runner
