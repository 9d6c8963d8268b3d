#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "processes/cannot_do.h"
#include "processes/run.h"
#include "runner/verbs.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// What the command prints. Throws cannot_do with its last words when it fails.
std::string output_of_git(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", folder.string()});
  processes::outcome done = processes::run({.arguments = words}, processes::capture::apart);
  if (done.start_error != 0) throw processes::cannot_do("git is not installed.");
  if (!done.succeeded()) throw processes::cannot_do(fmt::format("git {} failed: {}", words[3], done.errors));
  return std::move(done.output);
}

std::vector<fs::path> files_of_course(const fs::path& root) {
  const std::string listed = output_of_git(root, {"ls-files", "-z"});
  std::vector<fs::path> files;
  for (std::size_t begin = 0; begin < listed.size();) {
    const std::size_t end = listed.find('\0', begin);
    files.emplace_back(listed.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

/// solutions/, and checker/lessons/NN_slug/right/ and wrong/
bool holds_answers(const fs::path& file) {
  const std::vector<fs::path> parts(file.begin(), file.end());
  if (parts.front() == "solutions") return true;
  return parts.size() > 4 && parts[0] == "checker" && parts[1] == "lessons" && (parts[3] == "right" || parts[3] == "wrong");
}

void copy_into(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy(from, to, fs::copy_options::copy_symlinks | fs::copy_options::overwrite_existing);
}

void export_for_students(const course::checkout& checkout, const fs::path& folder) {
  if (fs::exists(folder) && !fs::is_empty(folder)) throw processes::cannot_do(folder.string() + " is not empty.");
  std::size_t copied = 0;
  for (const fs::path& file : files_of_course(checkout.root())) {
    if (holds_answers(file) || !fs::exists(fs::symlink_status(checkout.root() / file))) continue;
    copy_into(checkout.root() / file, folder / file);
    ++copied;
  }
  for (const course::lesson& lesson : checkout.lessons())
    copy_into(lesson.skeleton(), folder / fs::relative(lesson.source(), checkout.root()));
  output_of_git(folder, {"init", "--quiet"});
  output_of_git(folder, {"add", "--all"});
  output_of_git(folder, {"-c", "user.name=streamlings", "-c", "user.email=streamlings@localhost", "commit", "--quiet", "--message",
                         "streamlings, for students"});
  fmt::print("{} files, without solutions and other answers, as a git repository of its own: {}\n", copied, folder.string());
}

}  // namespace

void add_export(parsing::command& program) {
  parsing::command& verb = program.verb("export", "For instructors: write the course without its answers");
  verb.footer(
      "Example: streamlings export --students ../streamlings-for-students\n"
      "The folder gets the files that git knows, without solutions and without the right and wrong answers of the lessons, every\n"
      "lesson as it comes, and a history of one commit. It builds and checks as the course does.");
  const auto folder = std::make_shared<fs::path>();
  verb.option("--students", *folder, "A folder that is empty or does not exist").required().called("DIR");
  verb.does([folder] {
    export_for_students(course::checkout::open(), *folder);
    return 0;
  });
}

}  // namespace runner
