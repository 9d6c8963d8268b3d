#include "processes/child_process.h"

#include <csignal>
#include <map>
#include <utility>

#include "processes/caught_signals.h"
#include "processes/child_group.h"

namespace processes {
namespace {

using clock = std::chrono::steady_clock;

/// Waits until something is printed, a child ends (noticed at the next tick at the latest, even when
/// something it left behind holds the pipe) or a signal arrives; returns that signal, or 0.
int wait(child_group& group, const caught_signals& signals) {
  std::vector<pollfd> watched{{signals.descriptor(), POLLIN, 0}};
  group.add_outputs(watched);
  poll(watched.data(), watched.size(), group.is_one_silent() ? 5 : 100);
  group.take_output();
  return signals.take();
}

void run_all(const std::vector<std::vector<std::string>>& commands, const std::filesystem::path& folder,
             std::size_t max_at_once, const ended_function& ended, const progress_function& progress,
             std::chrono::milliseconds limit) {
  const caught_signals signals({SIGINT, SIGTERM, SIGHUP});
  child_group group;
  struct started_command {
    std::size_t index = 0;
    clock::time_point start;
  };
  std::map<pid_t, started_command> running;
  for (std::size_t next = 0; next < commands.size() || group.size() > 0;) {
    for (; next < commands.size() && group.size() < max_at_once; ++next)
      running[group.start(commands[next], folder, limit)] = {next, clock::now()};
    if (const int signal = wait(group, signals); signal != 0) throw interrupted{signal};
    for (ended_child& child : group.take_ended()) {
      ended(running.at(child.process).index, std::move(child.result));
      running.erase(child.process);
    }
    if (!progress) continue;
    for (const auto& [process, command] : running)
      progress({process, std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - command.start),
                group.output_of(process)});
  }
}

}  // namespace

outcome run_child(const std::vector<std::string>& command, const std::filesystem::path& folder,
                  const progress_function& progress, std::chrono::milliseconds limit) {
  outcome only;
  run_all(
      {command}, folder, 1, [&](std::size_t, outcome result) { only = std::move(result); }, progress, limit);
  return only;
}

void run_children(const std::vector<std::vector<std::string>>& commands, const std::filesystem::path& folder,
                  std::size_t max_at_once, const ended_function& ended, std::chrono::milliseconds limit) {
  run_all(commands, folder, max_at_once, ended, nullptr, limit);
}

}  // namespace processes
