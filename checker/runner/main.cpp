// The program `streamlings`: its command line. The verbs are in the files of their names.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsing/command_line.h"
#include "parsing/nvcc_options.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "report/exit_status.h"
#include "runner/terminal/terminal.h"
#include "runner/verbs.h"

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

int run_verb(int argument_count, char** arguments) {
  // What stands behind "--" belongs to the program of `run`, or to the sbatch of `grade`, whatever it looks like.
  char** const end = arguments + argument_count;
  char** const separator = std::find(arguments, end, std::string_view("--"));
  const std::vector<std::string> words_behind_dashes(std::min(separator + 1, end), end);

  std::vector<std::string> own_arguments(std::min(arguments + 1, separator), separator);
  std::vector<parsing::nvcc_option> compiler_options;
  if (!own_arguments.empty() && own_arguments.front() == "run")
    own_arguments = without_compiler_options(own_arguments, compiler_options);

  parsing::command program("streamlings teaches CUDA streams and asynchronous copies, with or without a GPU.",
                           "streamlings");
  program.footer(footer);
  runner::add_list(program);
  runner::add_check(program);
  runner::add_predict(program);
  runner::add_hint(program);
  runner::add_reset(program);
  runner::add_next(program);
  runner::add_prev(program);
  runner::add_timeline(program);
  runner::add_compare(program);
  runner::add_serve(program);
  runner::add_sweep(program);
  runner::add_explain(program);
  runner::add_run(program, compiler_options, words_behind_dashes);
  runner::add_profiles(program);
  runner::add_doctor(program);
  runner::add_calibrate(program);
  runner::add_update(program);
  runner::add_report_problem(program);
  runner::add_completion(program);
  runner::add_grade(program, words_behind_dashes);
  runner::add_export(program);
  runner::add_verify(program);
  bool is_manual = false;
  bool is_watch_unwanted = false;
  program.flag("--manual", is_manual, "Watch: check when r is pressed, not at each save");
  program.flag("--no-watch", is_watch_unwanted, "Say where you are instead of watching");
  const auto is_named_first = [&](const auto& verb) { return verb->name() == arguments[1]; };
  if (argument_count > 1 && *arguments[1] != '-' &&
      std::none_of(program.verbs().begin(), program.verbs().end(), is_named_first)) {
    fmt::print(stderr, "streamlings: there is no verb '{}'. ./streamlings --help lists all.\n", arguments[1]);
    return report::exit_status::undecided;
  }
  if (const std::optional<int> status = program.run(std::move(own_arguments), report::exit_status::undecided))
    return *status;
  if (is_watch_unwanted || !runner::can_watch()) return runner::show_status();
  return runner::watch(is_manual ? runner::check_start::by_key : runner::check_start::at_each_save);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    const int status = run_verb(argument_count, arguments);
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
