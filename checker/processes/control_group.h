// control_group.h: limits of the memory and of the number of processes of a program and all that it starts, by cgroups: version 2, or
// version 1 where that has the controllers.
//
//     const processes::control_group group({.memory_bytes = 1 << 30, .processes = 100});
//     program.groups = group.member_files();
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace processes {

/// What the processes of a group may have together.
struct group_limits {
  std::size_t memory_bytes = std::size_t{4} << 30;
  /// Threads count.
  std::size_t processes = 512;
};

/// One group, removed with this object; what still runs in it is ended.
class control_group {
 public:
  /// A group below that of this process. `root` is where the cgroups are mounted, and `own_groups` lists those of this process as
  /// /proc/self/cgroup does. Throws std::system_error where this user may make none.
  explicit control_group(group_limits limits, const std::filesystem::path& root = "/sys/fs/cgroup",
                         const std::filesystem::path& own_groups = "/proc/self/cgroup");
  ~control_group();
  control_group(const control_group&) = delete;
  control_group& operator=(const control_group&) = delete;

  /// A process that writes "0" into these is a member, and what it starts.
  std::vector<std::filesystem::path> member_files() const;
  /// The kernel has killed one of it.
  bool has_run_out_of_memory() const;

 private:
  /// Of version 2 one, of version 1 one for each controller.
  std::vector<std::filesystem::path> folders_;
};

}  // namespace processes
