#include "checking/build_exercise.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <vector>

#include "course/checkout.h"
#include "parsing/pattern.h"
#include "processes/compile_status.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "processes/run.h"

namespace checking {

namespace {

namespace fs = std::filesystem;
using processes::compile_status;
using report::run_verdict;

fs::path stamp_of(const fs::path& record) { return record / "exercise.built"; }

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents_in(const fs::path& folder) {
  std::string text;
  for (const fs::path& file : files_in(folder))
    text += file.string() + '\n' + processes::read_whole(file) + '\n';
  return text;
}

// What lies beside a file that is checked elsewhere: its names, since a header there comes before others, and the copies of the
// contract, which it may include.
std::string names_beside(const fs::path& source, const fs::path& contract) {
  std::string text;
  for (const fs::path& file : files_in(source.parent_path())) {
    text += file.filename().string() + '\n';
    if (file.extension() == ".h" && fs::exists(contract / file.filename()))
      text += processes::content_of(file).value_or("") + '\n';
  }
  return text;
}

// For files that are large and only ever replaced by a build of the project.
std::string age_of(const fs::path& file) {
  std::error_code missing;
  const auto time = fs::last_write_time(file, missing);
  return missing ? file.string() + " missing\n"
                 : fmt::format("{} {}\n", file.string(), time.time_since_epoch().count());
}

std::string ages_in(const fs::path& folder) {
  std::string text;
  if (fs::is_directory(folder)) {
    for (const fs::path& file : files_in(folder)) text += age_of(file);
  }
  return text;
}

// Everything the program depends on, as far as it lies where the course expects it.
std::string fingerprint_of(const course::lesson& lesson, const build_request& request, const fs::path& tool) {
  const char* const headers = request.backend == trace::backend::gpu ? "real_gpu/include" : "include";
  return processes::content_hash(
      request.compiler + '\n' + (request.null_stream == default_stream::per_thread ? "per-thread\n" : "") +
      request.source.string() + '\n' + processes::read_whole(request.source) +
      names_beside(request.source, lesson.contract()) + contents_in(lesson.contract()) +
      processes::read_whole(lesson.drive()) + age_of(tool) +
      ages_in(tool.parent_path().parent_path() / "lib") + ages_in(lesson.checkout / "checker" / headers) +
      ages_in(lesson.checkout / "checker" / "exercise"));
}

// Of the program as it lies there; nothing when it cannot be started.
std::optional<std::string> checksum_of_program(const fs::path& record) {
  const fs::path program = exercise_program(record);
  const std::optional<std::string> content = processes::content_of(program);
  if (!content || access(program.c_str(), X_OK) != 0) return std::nullopt;
  return processes::content_hash(*content);
}

std::optional<std::string> warnings_of_last_build(const build_request& request,
                                                  const std::string& fingerprint) {
  const auto checksum = checksum_of_program(request.record);
  const auto stamp = processes::content_of(stamp_of(request.record));
  if (!checksum || !stamp) return std::nullopt;
  const std::size_t line_end = stamp->find('\n');
  if (line_end == std::string::npos || stamp->substr(0, line_end) != fingerprint + ' ' + *checksum)
    return std::nullopt;
  return stamp->substr(line_end + 1);
}

void save_stamp(const build_request& request, const std::string& fingerprint, const std::string& warnings) {
  const auto checksum = checksum_of_program(request.record);
  if (!checksum) return;
  processes::write_whole(stamp_of(request.record), fingerprint + ' ' + *checksum + '\n' + warnings);
}

/// What a driver may include of the course: the folder `exercise`, and nothing else.
std::string exercise_include() {
  return processes::sibling_program("../modules/exercise").lexically_normal();
}

std::vector<std::string> arguments_for(const course::lesson& lesson, const build_request& request) {
  std::vector<std::string> arguments{
      "--main", "lesson",           "-I", lesson.contract().string(),
      "-I",     exercise_include(), "-o", exercise_program(request.record).string()};
  const fs::path cache = request.cache.empty() ? request.record.parent_path() / "cache" : request.cache;
  arguments.insert(arguments.end(), {"--cache", cache.string()});
  if (request.backend == trace::backend::virtual_gpu) {
    arguments.insert(arguments.end(), {"--cpu-limit", "30", "--time-limit", "90", "--memory-limit", "4096"});
    arguments.insert(arguments.end(), {"--readable", exercise_include()});
    // Headers only, and no links: who puts one there may read by it what it leads to.
    for (const fs::path& file : files_in(lesson.contract())) {
      if (file.extension() != ".h" || fs::is_symlink(file)) continue;
      arguments.insert(arguments.end(), {"--readable", file.string()});
      // A copy of it, beside a file that is checked elsewhere.
      const fs::path beside = request.source.parent_path() / file.filename();
      if (!fs::is_symlink(beside) && processes::content_of(beside) == processes::content_of(file))
        arguments.insert(arguments.end(), {"--readable", beside.string()});
    }
  }
  if (!request.compiler.empty()) arguments.insert(arguments.end(), {"--compiler", request.compiler});
  // As a definition it holds for both tools. @see CUDA Runtime API, "Stream synchronization behavior"
  if (request.null_stream == default_stream::per_thread)
    arguments.insert(arguments.end(), {"-D", "CUDA_API_PER_THREAD_DEFAULT_STREAM"});
  arguments.insert(arguments.end(), {request.source.string(), lesson.drive().string()});
  return arguments;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string after_first_line(const std::string& text) {
  return text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t before = text.rfind('\n', end);
  return before == std::string::npos ? text.substr(0, end + 1) : text.substr(before + 1, end - before);
}

struct located_message {
  std::string place;  // "async_copy.cu:26", "" when the message does not begin with one
  std::string text;
};

// Of "lessons/03_async_copy/async_copy.cu:26: this defines main()".
located_message located(const std::string& line) {
  static const parsing::pattern with_place(R"((?:[^:]*/)?([^:/]+:\d+): (.*))");
  const auto found = with_place.match(line);
  if (!found) return {"", line};
  return {found->at(1), found->at(2)};
}

run_failure missing_file(const course::lesson& lesson, const build_request& request) {
  const std::string problem = processes::problem_of_text(request.source);
  const std::string name = course::relative_path(lesson.checkout, request.source);
  if (!problem.empty() && processes::content_of(request.source)) {
    return {run_verdict::compile_error,
            {"The file is plain text.", name + " " + problem, "",
             "The editor's \"save with encoding\" does it."}};
  }
  return {run_verdict::missing_file,
          {"The file of the lesson is there.",
           fmt::format("{} {}", name, problem.empty() ? "does not exist." : problem), "",
           fmt::format("./streamlings reset {:02} brings the original back.", lesson.number)}};
}

run_failure reads_another_file(const located_message& found) {
  return {run_verdict::compile_error,
          {"A lesson is one file: it includes its own header, and those of CUDA and of C++.",
           found.text + ".", found.place, "Write what you need into the file of the lesson itself."}};
}

// A link to a file that belongs to the course, such as the solution.
std::optional<run_failure> linked_elsewhere(const course::lesson& lesson, const build_request& request) {
  const fs::path target = fs::canonical(request.source);
  const fs::path named =
      fs::canonical(request.source.has_parent_path() ? request.source.parent_path() : ".") /
      request.source.filename();
  if (target == named) return std::nullopt;
  const fs::path within = target.lexically_relative(fs::canonical(lesson.checkout));
  const bool is_of_course = !within.empty() && *within.begin() != ".." && *within.begin() != "lessons";
  if (!is_of_course) return std::nullopt;
  return reads_another_file(
      {"", course::relative_path(lesson.checkout, request.source) + " is a link to " + within.string()});
}

// "async_copy.cu:26", the line of the first error in the learner's file; "" when there is none.
std::string place_of_first_error(const std::string& messages, const build_request& request) {
  static const parsing::pattern error(R"((?:[^:]*/)?([^:/]+)(:\d+)(?::\d+)?: (?:fatal )?error: .*)");
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    const auto found = error.match(line);
    if (found && found->at(1) == request.source.filename()) return found->at(1) + found->at(2);
  }
  return "";
}

// After compile_status::failed, the first lines say what is wrong and what to do.
std::optional<run_failure> failure_of_compiler(const processes::outcome& tool, const course::lesson& lesson,
                                               const build_request& request) {
  switch (static_cast<compile_status>(tool.exit_status)) {
    case compile_status::done:
      return std::nullopt;
    case compile_status::refused:
    case compile_status::over_real_time:
      return run_failure{
          .verdict = run_verdict::compile_error,
          .why = {"The file compiles.", "The compiler refused it; its messages name the lines.",
                  place_of_first_error(tool.output, request),
                  "The first message is the one to look at: later ones often follow from it."},
          .is_over_real_time =
              static_cast<compile_status>(tool.exit_status) == compile_status::over_real_time};
    case compile_status::unsupported:
      return run_failure{run_verdict::unsupported,
                         {"The file uses only what the virtual GPU can run.",
                          located(first_line(tool.output)).text, located(first_line(tool.output)).place,
                          "The lesson can be done without it; its README lists the calls you need."}};
    case compile_status::own_main:
      return run_failure{run_verdict::own_main,
                         {"The lesson's own main function calls yours.",
                          "The file defines main(), so the two cannot be linked together.",
                          located(last_line(tool.output)).place,  // warnings come before it
                          "Remove main() from the file; the check calls your function for you."}};
    case compile_status::missing_file:
      return missing_file(lesson, request);
    case compile_status::foreign_file:
      return reads_another_file(located(first_line(tool.output)));
    case compile_status::failed: {
      const std::string cure = first_line(after_first_line(tool.output));
      return run_failure{run_verdict::infra_error,
                         {"The compiler of the course works.", first_line(tool.output), "",
                          cure.empty() ? "./streamlings doctor says what is missing." : cure}};
    }
    default:
      return run_failure{run_verdict::infra_error,
                         {"The compiler of the course works.",
                          fmt::format("The program that compiles ended with status {}.", tool.exit_status),
                          "", "./streamlings setup repairs an incomplete installation."}};
  }
}

// Whether the messages of streamlings-compile are in the evidence already.
bool is_in_the_evidence(const std::optional<run_failure>& failure) {
  return failure &&
         (failure->verdict == run_verdict::own_main || failure->verdict == run_verdict::unsupported ||
          failure->verdict == run_verdict::missing_file);
}

}  // namespace

fs::path exercise_program(const fs::path& record) { return record / "exercise"; }

build_outcome build_exercise(const course::lesson& lesson, const build_request& request) {
  if (!processes::problem_of_text(request.source).empty()) return {missing_file(lesson, request), "", 0};
  if (const auto linked = linked_elsewhere(lesson, request)) return {linked, "", 0};
  const auto begin = std::chrono::steady_clock::now();
  const fs::path tool = processes::sibling_program(
      request.backend == trace::backend::gpu ? "streamlings-compile-gpu" : "streamlings-compile");
  const std::string current = fingerprint_of(lesson, request, tool);
  if (const auto warnings = warnings_of_last_build(request, current)) return {std::nullopt, *warnings, 0};
  fs::remove(stamp_of(request.record));
  std::vector<std::string> command = arguments_for(lesson, request);
  command.insert(command.begin(), tool.string());
  const processes::outcome built = processes::run_tool(command);
  build_outcome outcome{failure_of_compiler(built, lesson, request), built.output, 0};
  if (!outcome.failure) save_stamp(request, current, built.output);
  const bool reads_another = static_cast<compile_status>(built.exit_status) == compile_status::foreign_file;
  if (reads_another || is_in_the_evidence(outcome.failure)) outcome.compiler_output.clear();
  if (static_cast<compile_status>(built.exit_status) == compile_status::failed)
    outcome.compiler_output = after_first_line(after_first_line(built.output));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

}  // namespace checking
