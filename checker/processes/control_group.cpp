#include "processes/control_group.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace processes {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_prefix = "streamlings.";

/// The groups of this process by controller; that of version 2 is called "".
std::map<std::string, fs::path> groups_of_process(const fs::path& list) {
  std::map<std::string, fs::path> groups;
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    // 4:memory,other:/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    std::istringstream controllers(line.substr(first + 1, second - first - 1));
    const fs::path path = fs::path(line.substr(second + 1)).relative_path();
    if (second == first + 1) groups[""] = path;
    for (std::string name; std::getline(controllers, name, ',');) groups[name] = path;
  }
  return groups;
}

bool has_word(const fs::path& file, std::string_view wanted) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

/// Creates the file only in a folder that imitates the kernel's.
void write_value(const fs::path& file, std::string_view value) {
  const int number = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const bool is_written =
      number >= 0 && write(number, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  const int error = errno;
  if (number >= 0) close(number);
  if (!is_written) throw std::system_error(error, std::generic_category(), file.string());
}

/// Groups of processes that were killed. Those in which something runs cannot be removed.
void remove_stale(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(name_prefix)) continue;
    const pid_t maker = static_cast<pid_t>(std::atoi(name.c_str() + name_prefix.size()));
    if (maker > 0 && kill(maker, 0) != 0 && errno == ESRCH) rmdir(entry.path().c_str());
  }
}

/// For processes that were killed to be gone.
constexpr std::chrono::seconds limit_of_removal{5};

void end_members(const fs::path& folder) {
  std::ifstream members(folder / "cgroup.procs");
  for (pid_t member = 0; members >> member;) {
    if (member > 0) kill(member, SIGKILL);
  }
}

fs::path made_in(const fs::path& folder) {
  static std::atomic<int> count = 0;
  remove_stale(folder);
  const fs::path made =
      folder / (std::string(name_prefix) + std::to_string(getpid()) + '.' + std::to_string(++count));
  if (mkdir(made.c_str(), 0755) != 0) throw std::system_error(errno, std::generic_category(), made.string());
  return made;
}

/// Version 2: the nearest group above this process whose members may have both limits. Below a group with processes of its own
/// there are none.
fs::path folder_of_version_2(const fs::path& root, fs::path own) {
  for (;; own = own.parent_path()) {
    const fs::path enabled = root / own / "cgroup.subtree_control";
    if (has_word(enabled, "memory") && has_word(enabled, "pids")) return root / own;
    if (own.empty()) return {};
  }
}

}  // namespace

control_group::control_group(group_limits limits, const fs::path& root, const fs::path& own_groups) {
  const std::map<std::string, fs::path> own = groups_of_process(own_groups);
  const std::string memory = std::to_string(limits.memory_bytes);
  const std::string processes = std::to_string(limits.processes);
  try {
    const bool is_version_1 = own.count("memory") != 0 && own.count("pids") != 0;
    if (is_version_1) {
      folders_.push_back(made_in(root / "memory" / own.at("memory")));
      write_value(folders_.back() / "memory.limit_in_bytes", memory);
      const fs::path with_swap = folders_.back() / "memory.memsw.limit_in_bytes";
      if (fs::exists(with_swap)) write_value(with_swap, memory);
      folders_.push_back(made_in(root / "pids" / own.at("pids")));
    } else {
      const fs::path folder = own.count("") == 0 ? fs::path() : folder_of_version_2(root, own.at(""));
      if (folder.empty())
        throw std::system_error(ENOENT, std::generic_category(),
                                "no cgroup with the controllers memory and pids");
      folders_.push_back(made_in(folder));
      write_value(folders_.back() / "memory.max", memory);
      const fs::path swap = folders_.back() / "memory.swap.max";
      if (fs::exists(swap)) write_value(swap, "0");
    }
    write_value(folders_.back() / "pids.max", processes);
  } catch (...) {
    for (const fs::path& folder : folders_) rmdir(folder.c_str());
    throw;
  }
}

control_group::~control_group() {
  const auto end = std::chrono::steady_clock::now() + limit_of_removal;
  for (const fs::path& folder : folders_) {
    while (rmdir(folder.c_str()) != 0 && errno == EBUSY && std::chrono::steady_clock::now() < end) {
      end_members(folder);
      poll(nullptr, 0, 1);
    }
  }
}

std::vector<fs::path> control_group::member_files() const {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders_) files.push_back(folder / "cgroup.procs");
  return files;
}

bool control_group::has_run_out_of_memory() const {
  for (const char* file : {"memory.oom_control", "memory.events"}) {
    std::ifstream in(folders_.front() / file);
    std::string name;
    for (long count = 0; in >> name >> count;) {
      if (name == "oom_kill" && count > 0) return true;
    }
  }
  return false;
}

}  // namespace processes
