#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "processes/cannot_do.h"
#include "processes/files.h"
#include "processes/run.h"
#include "report/exit_status.h"
#include "report/text_layout.h"
#include "runner/grade/class_plan.h"
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
  return parts.size() > 4 && parts[0] == "checker" && parts[1] == "lessons" &&
         (parts[3] == "right" || parts[3] == "wrong");
}

void copy_into(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy(from, to, fs::copy_options::copy_symlinks | fs::copy_options::overwrite_existing);
}

/// Makes the folder a repository with one commit; returns how many files of the course are in it.
std::size_t write_student_edition(const course::checkout& checkout, const fs::path& folder,
                                  const std::map<std::string, std::string>& more) {
  std::size_t copied = 0;
  for (const fs::path& file : files_of_course(checkout.root())) {
    if (holds_answers(file) || !fs::exists(fs::symlink_status(checkout.root() / file))) continue;
    copy_into(checkout.root() / file, folder / file);
    ++copied;
  }
  for (const course::lesson& lesson : checkout.lessons())
    copy_into(lesson.skeleton(), folder / fs::relative(lesson.source(), checkout.root()));
  for (const auto& [name, content] : more) {
    processes::write_whole(folder / name, content);
    fs::permissions(folder / name, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add);
  }
  output_of_git(folder, {"init", "--quiet"});
  output_of_git(folder, {"add", "--all"});
  output_of_git(folder, {"-c", "user.name=streamlings", "-c", "user.email=streamlings@localhost", "commit",
                         "--quiet", "--message", "streamlings, for students"});
  return copied;
}

void export_for_students(const course::checkout& checkout, const fs::path& folder) {
  if (fs::exists(folder) && !fs::is_empty(folder))
    throw processes::cannot_do(folder.string() + " is not empty.");
  const std::size_t copied = write_student_edition(checkout, folder, {});
  fmt::print("{} files, without solutions and other answers, as a git repository of its own: {}\n", copied,
             folder.string());
}

/// Once, as root, when Gradescope builds the image; the package lies in /autograder/source.
constexpr auto gradescope_setup = R"sh(#!/usr/bin/env bash
set -euo pipefail
apt-get update
apt-get install -y libsodium-dev libarchive-dev
/autograder/source/streamlings setup
)sh";

/// For each submission. Gradescope copies it beside the folders source, submission and results. Without results.json Gradescope says
/// that the autograder has failed, which is so where nothing could be decided.
constexpr auto gradescope_run = R"sh(#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "${{BASH_SOURCE[0]}}")"
graded=$(mktemp -d)
printf 'student,path\nsubmission,%s\n' "$PWD/submission" >"$graded/class.csv"
# The container of this submission is its sandbox, and the package holds no answers.
source/streamlings grade "$graded/class.csv" -o "$graded/results" --lessons {} --isolation none --export gradescope
cp "$graded/results/gradescope/submission.json" results/results.json
)sh";

void export_for_gradescope(const course::checkout& checkout, const fs::path& file,
                           const std::string& lessons) {
  (void)lessons_in(checkout, lessons);  // throws when there are no such lessons
  const processes::temporary_folder folder;
  const std::size_t copied =
      write_student_edition(checkout, folder.path(),
                            {{"setup.sh", gradescope_setup},
                             {"run_autograder", fmt::format(gradescope_run, report::shell_word(lessons))}});
  output_of_git(folder.path(),
                {"archive", "--format=zip", "--output=" + fs::absolute(file).string(), "HEAD"});
  fmt::print("setup.sh, run_autograder and {} files, without solutions and other answers: {}\n", copied,
             file.string());
}

}  // namespace

void add_export(parsing::command& program) {
  parsing::command& verb = program.verb("export", "For instructors: write the course without its answers");
  verb.footer(
      "Example: streamlings export --students ../streamlings-for-students\n"
      "The folder gets the files that git knows, without solutions and without the right and wrong answers of the lessons, every\n"
      "lesson as it comes, and a history of one commit. It builds and checks as the course does. An autograder of Gradescope is a zip\n"
      "file of the same, with the two scripts that Gradescope runs.");
  struct export_arguments {
    fs::path students;
    fs::path gradescope;
    std::string lessons;
  };
  const auto arguments = std::make_shared<export_arguments>();
  const parsing::argument students =
      verb.option("--students", arguments->students, "A folder that is empty or does not exist")
          .called("DIR");
  const parsing::argument lessons =
      verb.option("--lessons", arguments->lessons, "Which Gradescope grades: 01-04,06");
  verb.option("--gradescope", arguments->gradescope, "The zip file of an autograder")
      .called("FILE")
      .excludes(students)
      .needs(lessons);
  verb.does([arguments] {
    if (arguments->students.empty() && arguments->gradescope.empty())
      throw processes::cannot_do("--students DIR or --gradescope FILE says what to write.");
    if (arguments->gradescope.empty() && !arguments->lessons.empty())
      throw processes::cannot_do("--lessons belongs to --gradescope.");
    const course::checkout checkout = course::checkout::open();
    if (!arguments->students.empty()) export_for_students(checkout, arguments->students);
    if (!arguments->gradescope.empty())
      export_for_gradescope(checkout, arguments->gradescope, arguments->lessons);
    return report::exit_status::passed;
  });
}

}  // namespace runner
