#include "processes/process_tree.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "processes/files.h"

namespace processes {
namespace {

struct process_entry {
  char state = ' ';
  pid_t parent = 0;
  pid_t group = 0;
};

using process_table = std::unordered_map<pid_t, process_entry>;

/// From /proc/PID/stat, "PID (name) state parent group ...", where the name may hold anything.
std::optional<process_entry> entry_of(const std::string& process) {
  const std::string text = content_of("/proc/" + process + "/stat").value_or("");
  const std::size_t end_of_name = text.rfind(") ");
  if (end_of_name == std::string::npos || end_of_name + 4 > text.size()) return std::nullopt;
  process_entry entry{.state = text[end_of_name + 2]};
  const char* const end = text.data() + text.size();
  const auto parent = std::from_chars(text.data() + end_of_name + 4, end, entry.parent);
  if (parent.ptr == end || std::from_chars(parent.ptr + 1, end, entry.group).ec != std::errc{})
    return std::nullopt;
  return entry;
}

process_table all_processes() {
  process_table processes;
  std::error_code failure;
  for (const auto& folder : std::filesystem::directory_iterator("/proc", failure)) {
    const std::string name = folder.path().filename().string();
    pid_t process = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), process).ptr != name.data() + name.size())
      continue;
    if (const auto entry = entry_of(name)) processes[process] = *entry;
  }
  return processes;
}

bool is_below(pid_t process, pid_t ancestor, const process_table& processes) {
  for (std::size_t step = 0; step <= processes.size(); ++step) {
    const auto found = processes.find(process);
    if (found == processes.end()) return false;
    process = found->second.parent;
    if (process == ancestor) return true;
  }
  return false;
}

void signal_one(pid_t process, const process_entry& entry, int signal) {
  kill(process, signal);
  if (signal == SIGKILL && entry.group > 1 && entry.group != getpgrp()) kill(-entry.group, signal);
}

std::mutex& children_mutex() {
  static std::mutex only;
  return only;
}

/// Guarded by children_mutex().
std::set<pid_t>& own_children() {
  static std::set<pid_t> only;
  return only;
}

}  // namespace

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  for (const auto& [child, entry] : all_processes()) {
    if (entry.parent == process) children.push_back(child);
  }
  return children;
}

std::vector<std::string> children_names(pid_t process) {
  std::vector<std::string> names;
  for (const pid_t child : children_of(process)) {
    std::ifstream file("/proc/" + std::to_string(child) + "/comm");
    std::string name;
    if (std::getline(file, name)) names.push_back(name);
  }
  return names;
}

bool is_stopped(pid_t process) {
  const auto entry = entry_of(std::to_string(process));
  return entry && (entry->state == 'T' || entry->state == 't');
}

void signal_below(pid_t process, int signal) {
  const process_table processes = all_processes();
  for (const auto& [other, entry] : processes) {
    if (is_below(other, process, processes)) signal_one(other, entry, signal);
  }
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

pid_t fork_child() {
  // Whoever started this process may ignore SIGCHLD; then the kernel would reap our children, and their status is lost.
  struct sigaction action {};
  if (sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
    std::signal(SIGCHLD, SIG_DFL);
  const std::lock_guard lock(children_mutex());
  const pid_t child = fork();
  if (child > 0) own_children().insert(child);
  return child;
}

void forget_child(pid_t child) {
  const std::lock_guard lock(children_mutex());
  own_children().erase(child);
}

std::vector<pid_t> adopted_children() {
  const std::lock_guard lock(children_mutex());
  std::vector<pid_t> adopted;
  for (const pid_t child : children_of(getpid())) {
    if (own_children().count(child) == 0) adopted.push_back(child);
  }
  return adopted;
}

bool end_children(const children_function& children, std::chrono::milliseconds grace,
                  std::chrono::milliseconds limit) {
  using clock = std::chrono::steady_clock;
  const clock::time_point end_of_grace = clock::now() + grace;
  std::set<pid_t> asked;
  for (;;) {
    const std::vector<pid_t> left = children();
    if (left.empty()) return true;
    const bool is_in_grace = clock::now() < end_of_grace;
    for (const pid_t child : left) {
      if (is_in_grace && !asked.insert(child).second) continue;
      const int signal = is_in_grace ? SIGTERM : SIGKILL;
      signal_below(child, signal);
      if (const auto entry = entry_of(std::to_string(child))) signal_one(child, *entry, signal);
    }
    bool is_one_reaped = false;
    for (const pid_t child : left) {
      if (waitpid(child, nullptr, WNOHANG) == 0) continue;
      forget_child(child);
      is_one_reaped = true;
    }
    if (is_one_reaped) continue;
    if (clock::now() >= end_of_grace + limit) return false;
    poll(nullptr, 0, 1);
  }
}

}  // namespace processes
