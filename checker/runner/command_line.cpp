#include "runner/command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "processes/child_process.h"
#include "processes/files.h"
#include "report/exit_status.h"
#include "runner/terminal/terminal.h"
#include "runner/verbs.h"

namespace runner {
namespace {

constexpr auto footer = R"(
Example: streamlings check 03
A lesson is named by its number (3, 03), its slug (async_copy) or its folder. Without a verb, in a terminal: the
watch screen, which checks the current lesson at each save; elsewhere: where you are.

The start script ./streamlings adds two verbs: setup (installs and builds what a learner needs; --dev: what the
project's own tests need as well) and test (those tests; what follows goes to ctest).

Exit status: 0 done and passed, 1 a verdict against the file, 2 could not be decided or done, 3 time limit.
Environment: NO_COLOR (no colours), STREAMLINGS_ROOT (another checkout, with its programs in build/bin).)";

/// `run` takes the options of nvcc, but for those that mean something else to it, or nothing.
std::vector<std::string> without_compiler_options(const std::vector<std::string>& words,
                                                  std::vector<parsing::nvcc_option>& taken) {
  std::vector<std::string> others;
  for (parsing::nvcc_option& option : parsing::read_nvcc_words(
           words, {"-o", "-c", "-dc", "-h", "-help", "-version", "-t", "-threads", "-MD", "-MMD"})) {
    if (option.meaning == parsing::nvcc_meaning::other)
      others.push_back(option.value);
    else
      taken.push_back(std::move(option));
  }
  return others;
}

bool has_verb(const parsing::command& program, std::string_view name) {
  return std::any_of(program.verbs().begin(), program.verbs().end(),
                     [&](const auto& verb) { return verb->name() == name; });
}

/// Becomes that program; returns only when there is none yet.
int become(const std::string& name, char** arguments) {
  execv(processes::sibling_program(name).c_str(), arguments);
  fmt::print(stderr, "streamlings: bin/{} is not built. Type: ./streamlings setup\n", name);
  return report::exit_status::undecided;
}

int run_verb(int argument_count, char** arguments, const verb_registration& add_verbs,
             const std::string& program_of_others) {
  // What stands behind "--" belongs to the program of `run`, or to the sbatch of `grade`, whatever it looks like.
  char** const end = arguments + argument_count;
  char** const separator = std::find(arguments, end, std::string_view("--"));
  verb_words words;
  words.behind_dashes.assign(std::min(separator + 1, end), end);
  std::vector<std::string> own_arguments(std::min(arguments + 1, separator), separator);
  const std::string first = own_arguments.empty() ? "" : own_arguments.front();
  if (first == "run") own_arguments = without_compiler_options(own_arguments, words.compiler_options);

  parsing::command program("streamlings teaches CUDA streams and asynchronous copies, with or without a GPU.",
                           "streamlings");
  program.footer(footer);
  add_verbs(program, words);
  bool is_manual = false;
  bool is_watch_unwanted = false;
  program.flag("--manual", is_manual, "Watch: check when r is pressed, not at each save");
  program.flag("--no-watch", is_watch_unwanted, "Say where you are instead of watching");
  const bool is_for_whole = first == "-h" || first == "--help";
  const bool is_unknown_verb = !first.empty() && first.front() != '-' && !has_verb(program, first);
  if ((is_for_whole || is_unknown_verb) && !program_of_others.empty())
    return become(program_of_others, arguments);
  if (is_unknown_verb) {
    fmt::print(stderr, "streamlings: there is no verb '{}'. ./streamlings --help lists all.\n", first);
    return report::exit_status::undecided;
  }
  if (const std::optional<int> status = program.run(std::move(own_arguments), report::exit_status::undecided))
    return *status;
  if (is_watch_unwanted || !can_watch()) return show_status();
  return watch(is_manual ? check_start::by_key : check_start::at_each_save);
}

}  // namespace

void add_lesson_verbs(parsing::command& program, const verb_words& words) {
  add_list(program);
  add_check(program);
  add_predict(program);
  add_hint(program);
  add_reset(program);
  add_next(program);
  add_prev(program);
  add_timeline(program);
  add_compare(program);
  add_explain(program);
  add_run(program, words.compiler_options, words.behind_dashes);
}

int run_program(int argument_count, char** arguments, const verb_registration& add_verbs,
                const std::string& program_of_others) {
  try {
    const int status = run_verb(argument_count, arguments, add_verbs, program_of_others);
    processes::require_written_output();
    return status;
  } catch (const processes::interrupted& by) {
    // As if nobody had caught it, so that the shell knows.
    std::signal(by.signal, SIG_DFL);
    std::raise(by.signal);
  } catch (const std::filesystem::filesystem_error& problem) {
    fmt::print(stderr, "streamlings: {}\n", processes::plain_words(problem));
  } catch (const std::system_error& problem) {
    // fmt::print() throws what a full standard output answered.
    const std::filesystem::filesystem_error of_output("", "standard output", problem.code());
    fmt::print(stderr, "streamlings: {}\n",
               std::ferror(stdout) != 0 ? processes::plain_words(of_output) : problem.what());
  } catch (const std::exception& reason) {
    fmt::print(stderr, "streamlings: {}\n", reason.what());
  }
  return report::exit_status::undecided;
}

}  // namespace runner
