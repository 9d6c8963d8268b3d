#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

struct report_arguments {
  std::string lesson;
  std::string output;
  bool is_agreed = false;
};

struct packed_file {
  std::string name;
  std::string content;
};

void replace_all(std::string& text, const std::string& old_text, const std::string& with) {
  if (old_text.empty()) return;
  for (std::size_t position = text.find(old_text); position != std::string::npos;
       position = text.find(old_text, position + with.size()))
    text.replace(position, old_text.size(), with);
}

/// The text without the names of the learner's folders.
std::string without_folders(const course::checkout& checkout, std::string text) {
  replace_all(text, checkout.root().string(), "COURSE");
  const char* home = std::getenv("HOME");
  if (home != nullptr && std::string_view(home).size() > 1) replace_all(text, home, "~");
  return text;
}

std::string versions_text(const course::checkout& checkout) {
  utsname system{};
  uname(&system);
  const std::string commit =
      processes::run_child({"/usr/bin/env", "git", "log", "-1", "--format=%H %cs"}, checkout.root()).output;
  const std::string doctor =
      processes::run_child({processes::own_program().string(), "doctor"}, checkout.root()).output;
  return fmt::format("system: {} {} {}\n{}\ncommit of the course: {}\nstreamlings doctor\n{}", system.sysname,
                     system.release, system.machine, processes::content_of("/etc/os-release").value_or(""),
                     commit, doctor);
}

/// The existing files that help to find the cause.
std::vector<packed_file> contents(const course::checkout& checkout, const course::lesson& lesson) {
  const fs::path record = course::record_folder(lesson, {});
  std::vector<packed_file> files{{"versions.txt", without_folders(checkout, versions_text(checkout))}};
  const fs::path source = lesson.source();
  for (const fs::path& file : {source, record / "result.json", record / "recording.jsonl"}) {
    if (const auto content = processes::content_of(file))
      files.push_back({file.filename().string(), without_folders(checkout, *content)});
  }
  return files;
}

bool agrees() {
  fmt::print("\nWrite it? y/n ");
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

void pack(const std::vector<packed_file>& files, const std::string& name, const fs::path& output) {
  const processes::temporary_folder work;
  for (const packed_file& file : files) processes::write_whole(work.path() / name / file.name, file.content);
  const fs::path target = fs::absolute(output);
  const processes::outcome done = processes::run_child(
      {"/usr/bin/env", "tar", "-czf", target.string(), "-C", work.path().string(), name}, work.path());
  if (done.exit_status != 0)
    throw processes::cannot_do("tar cannot write " + target.string() + "\n" + done.output);
}

int report_problem(const report_arguments& arguments) {
  const course::checkout checkout = course::checkout::open();
  const course::lesson& lesson = named_or_current(checkout, arguments.lesson);
  const std::vector<packed_file> files = contents(checkout, lesson);
  const std::string name = fmt::format("streamlings-problem-{}-{:%Y-%m-%d}", lesson.two_digits(),
                                       fmt::localtime(std::time(nullptr)));
  const fs::path output = arguments.output.empty() ? fs::path(name + ".tar.gz") : fs::path(arguments.output);
  fmt::print("{}\nThis and the following files go into {}:\n\n", files.front().content, output.string());
  for (const packed_file& file : files) fmt::print("  {:<20} {:>9} bytes\n", file.name, file.content.size());
  fmt::print(
      "\nThe names of your folders are replaced. Nothing is sent: the file is for you to look at, and to "
      "attach.\n");
  if (!arguments.is_agreed && isatty(STDIN_FILENO) != 1)
    throw processes::cannot_do("without a terminal there is nobody to ask. With --yes it is written.");
  if (!arguments.is_agreed && !agrees()) {
    fmt::print("Nothing was written.\n");
    return 0;
  }
  pack(files, name, output);
  fmt::print("Written: {}. Attach it to an issue, with what you did and what you expected.\n",
             output.string());
  return 0;
}

}  // namespace

void add_report_problem(parsing::command& program) {
  parsing::command& verb = program.verb(
      "report-problem", "Pack what a bug report needs: versions, the last record, your file; shown before");
  verb.footer("Example: streamlings report-problem 03");
  const auto arguments = std::make_shared<report_arguments>();
  verb.option("lesson", arguments->lesson, "Number, slug or folder; without it the current lesson");
  verb.option("-o,--output", arguments->output, "Write into this .tar.gz file");
  verb.flag("--yes", arguments->is_agreed, "Write it without asking");
  verb.does([arguments] { return report_problem(*arguments); });
}

}  // namespace runner
