#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "runner/learner/lesson_reset.h"
#include "runner/verbs.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::string without_trailing_space(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

/// Runs git in the checkout.
class repository {
 public:
  explicit repository(fs::path root) : root_(std::move(root)) {}

  processes::outcome try_git(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{"/usr/bin/env", "git"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return processes::run_child(command, root_);
  }
  /// Returns git's output. Throws cannot_do with `otherwise` and git's message.
  std::string git(const std::vector<std::string>& arguments, const std::string& otherwise) const {
    const processes::outcome done = try_git(arguments);
    if (done.exit_status == 0) return without_trailing_space(done.output);
    throw processes::cannot_do(otherwise + "\n" + without_trailing_space(done.output));
  }
  bool holds(const std::vector<std::string>& arguments) const { return try_git(arguments).exit_status == 0; }

 private:
  fs::path root_;
};

struct versions {
  std::string before;  ///< commits
  std::string after;
};

/// Fetches, and checks that the published version can be reached by a fast-forward.
versions fetch(const repository& from) {
  from.git(
      {"rev-parse", "--git-dir"},
      "this course is not a git clone, so it cannot be updated. Clone it anew, and copy your .streamlings/ "
      "and your lesson files into it.");
  from.git({"fetch", "--quiet"}, "the published course cannot be fetched. Nothing was changed.");
  const std::string after =
      from.git({"rev-parse", "@{upstream}"},
               "this branch follows no published one, so there is nothing to update from.");
  const std::string before = from.git({"rev-parse", "HEAD"}, "there is no commit here.");
  if (!from.holds({"merge-base", "--is-ancestor", before, after}) &&
      !from.holds({"merge-base", "--is-ancestor", after, before})) {
    throw processes::cannot_do(
        "this branch has commits of its own. Bring them together with: git pull --rebase. Nothing was "
        "changed.");
  }
  return {before, after};
}

std::set<std::string> names_in(const std::string& output) {
  std::set<std::string> names;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) names.insert(line);
  return names;
}

/// A learner's file that was changed both here and in the update.
struct kept_file {
  std::string slug;
  std::string relative_path;
  std::string content;
  std::string copy;  ///< the dated one, below the root
};

std::vector<kept_file> files_in_the_way(const course::checkout& checkout, const repository& from,
                                        const std::set<std::string>& changed_there) {
  const std::set<std::string> changed_here =
      names_in(from.git({"diff", "--name-only", "HEAD"}, "git cannot compare."));
  std::vector<kept_file> files;
  for (const course::lesson& lesson : checkout.lessons()) {
    const std::string path = checkout.relative_path(lesson.source());
    if (changed_here.count(path) == 0 || changed_there.count(path) == 0) continue;
    if (const auto content = processes::content_of(lesson.source()))
      files.push_back({lesson.slug, path, *content, checkout.relative_path(keep_copy(checkout, lesson))});
  }
  return files;
}

/// The changed parts of each lesson, by folder: "page", "task", "check", ...
std::map<std::string, std::set<std::string>> changes_of_lessons(const std::set<std::string>& changed) {
  std::map<std::string, std::set<std::string>> changes;
  for (const std::string& name : changed) {
    const fs::path path(name);
    const std::string top = *path.begin();
    const bool is_checker = name.rfind("checker/lessons/", 0) == 0;
    if (top != "lessons" && top != "solutions" && !is_checker) continue;
    auto part = path.begin();
    std::advance(part, is_checker ? 2 : 1);
    if (part == path.end() || std::next(part) == path.end()) continue;
    const std::string file = path.filename().string();
    const std::string kind = top == "solutions"         ? "solution"
                             : is_checker               ? file == "hints.md" ? "hints" : "check"
                             : file == "README.md"      ? "page"
                             : path.extension() == ".h" ? "contract"
                                                        : "task";
    changes[part->string()].insert(kind);
  }
  return changes;
}

/// The lines that the update adds to the change log.
std::string news(const repository& from, const versions& between) {
  std::string text;
  std::istringstream lines(from.git(
      {"diff", "--unified=0", between.before, between.after, "--", "CHANGELOG.md"}, "git cannot compare."));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("+", 0) == 0 && line.rfind("+++", 0) != 0) text += "  " + line.substr(1) + "\n";
  }
  return text;
}

/// Puts the learner's files back, into the new folders of their lessons.
void put_back(const std::vector<kept_file>& files, bool is_updated) {
  const course::checkout checkout = course::checkout::open();
  for (const kept_file& file : files) {
    const auto found = std::find_if(checkout.lessons().begin(), checkout.lessons().end(),
                                    [&](const course::lesson& lesson) { return lesson.slug == file.slug; });
    if (found == checkout.lessons().end()) {
      fmt::print("The lesson {} is not in the course any more. Your file is {}\n", file.slug, file.copy);
      continue;
    }
    processes::write_whole(found->source(), file.content);
    if (!is_updated) continue;
    const std::string number = found->two_digits();
    fmt::print(
        "Lesson {} {}: its file to edit has changed. Yours is as you left it; to begin from the new one: "
        "./streamlings reset {}\n",
        number, found->title, number);
  }
}

int update() {
  const course::checkout before = course::checkout::open();
  const repository from(before.root());
  const versions between = fetch(from);
  if (between.before == between.after || from.holds({"merge-base", "--is-ancestor", between.after, "HEAD"})) {
    fmt::print("The course is up to date.\n");
    return 0;
  }
  const std::set<std::string> changed = names_in(from.git(
      {"diff", "--name-only", "--no-renames", between.before, between.after}, "git cannot compare."));
  const std::vector<kept_file> files = files_in_the_way(before, from, changed);
  for (const kept_file& file : files)
    from.git({"checkout", "--quiet", "HEAD", "--", file.relative_path}, "git cannot set your file aside.");
  const processes::outcome merged = from.try_git({"merge", "--quiet", "--ff-only", between.after});
  put_back(files, merged.exit_status == 0);
  if (merged.exit_status != 0) {
    throw processes::cannot_do("git did not update the checkout, and your files are as they were.\n" +
                               without_trailing_space(merged.output));
  }
  const course::checkout now = course::checkout::open();
  const auto changes = changes_of_lessons(changed);
  for (const course::lesson& lesson : now.lessons()) {
    const auto found = changes.find(lesson.folder);
    if (found == changes.end()) continue;
    const bool is_new = std::none_of(before.lessons().begin(), before.lessons().end(),
                                     [&](const course::lesson& old) { return old.slug == lesson.slug; });
    fmt::print("Lesson {} {}: {}\n", lesson.two_digits(), lesson.title,
               is_new ? "new" : fmt::format("changed: {}", fmt::join(found->second, ", ")));
  }
  const std::string added = news(from, between);
  if (!added.empty()) fmt::print("\nNews (CHANGELOG.md)\n{}", added);
  fmt::print(
      "\nUpdated. What you have written and done is as it was; whether it still passes: ./streamlings check "
      "--all\n");
  return 0;
}

}  // namespace

void add_update(parsing::command& program) {
  parsing::command& verb = program.verb("update", "Bring the course up to date; what you have written stays");
  verb.footer(
      "Example: streamlings update\n"
      "Like git pull --ff-only, except that a file you have edited is no obstacle: it stays as it is, with a "
      "copy in\n"
      ".streamlings/backup/.");
  verb.does([] { return update(); });
}

}  // namespace runner
