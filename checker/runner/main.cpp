// The program `streamlings`: its command line. The verbs are in the files of their names.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/errors.h"
#include "runner/terminal.h"
#include "runner/verbs.h"

namespace {

constexpr int could_not_be_done = 2;

constexpr auto footer = R"(
Example: streamlings check 03
A lesson is named by its number (3, 03), its slug (async_copy) or its folder. Without a verb, in a terminal: the
watch screen, which checks the current lesson at each save; elsewhere: where you are.

The start script ./streamlings adds two verbs: setup (installs and builds what a learner needs; --dev: what the
project's own tests need as well) and test (those tests; what follows goes to ctest).

Exit status: 0 done and passed, 1 a verdict against the file, 2 could not be decided or done, 3 time limit.
Environment: NO_COLOR (no colours), STREAMLINGS_ROOT (another checkout, with its programs in build/bin).)";

int run_verb(int argument_count, char** arguments) {
  // What stands behind "--" belongs to the program of `run`, whatever it looks like.
  char** const end = arguments + argument_count;
  char** const separator = std::find(arguments, end, std::string_view("--"));
  const std::vector<std::string> program_arguments(std::min(separator + 1, end), end);

  std::vector<std::string> own_arguments(std::min(arguments + 1, separator), separator);
  for (std::string& each : own_arguments) {
    if (each.rfind("-std=", 0) == 0) each.insert(0, "-");  // as compilers spell it
  }
  std::reverse(own_arguments.begin(), own_arguments.end());  // as CLI11 takes them

  int exit_status = 0;
  CLI::App program{"streamlings teaches CUDA streams and asynchronous copies, with or without a GPU.",
                   "streamlings"};
  program.footer(footer);
  program.require_subcommand(0, 1);
  runner::add_list(program, exit_status);
  runner::add_check(program, exit_status);
  runner::add_hint(program, exit_status);
  runner::add_reset(program, exit_status);
  runner::add_next(program, exit_status);
  runner::add_prev(program, exit_status);
  runner::add_timeline(program, exit_status);
  runner::add_compare(program, exit_status);
  runner::add_sweep(program, exit_status);
  runner::add_explain(program, exit_status);
  runner::add_run(program, program_arguments, exit_status);
  runner::add_profiles(program, exit_status);
  runner::add_doctor(program, exit_status);
  runner::add_calibrate(program, exit_status);
  runner::add_update(program, exit_status);
  runner::add_report_problem(program, exit_status);
  runner::add_completion(program, exit_status);
  runner::add_verify(program, exit_status);
  bool is_manual = false;
  bool is_watch_unwanted = false;
  program.add_flag("--manual", is_manual, "Watch: check when r is pressed, not at each save");
  program.add_flag("--no-watch", is_watch_unwanted, "Say where you are instead of watching");
  const auto is_named_first = [&](const CLI::App* verb) { return verb->get_name() == arguments[1]; };
  if (argument_count > 1 && *arguments[1] != '-' && program.get_subcommands(is_named_first).empty()) {
    fmt::print(stderr, "streamlings: there is no verb '{}'. ./streamlings --help lists all.\n", arguments[1]);
    return could_not_be_done;
  }
  try {
    program.parse(std::move(own_arguments));
  } catch (const CLI::ParseError& usage) {
    return program.exit(usage) == 0 ? 0 : could_not_be_done;
  }
  if (!program.get_subcommands().empty()) return exit_status;
  if (is_watch_unwanted || !runner::can_watch()) return runner::show_status();
  return runner::watch(is_manual ? runner::check_start::by_key : runner::check_start::at_each_save);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    return run_verb(argument_count, arguments);
  } catch (const runner::interrupted& by) {
    // As if nobody had caught it, so that the shell knows.
    std::signal(by.signal, SIG_DFL);
    std::raise(by.signal);
  } catch (const std::exception& reason) {
    fmt::print(stderr, "streamlings: {}\n", reason.what());
  }
  return could_not_be_done;
}
