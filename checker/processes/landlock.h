// landlock.h: which files a program may touch, as rules that it cannot take back, kept by the kernel's Landlock
// (https://docs.kernel.org/userspace-api/landlock.html).
//
//     processes::landlock_rules rules;
//     rules.allow_reading("/usr");
//     program.confinement = {.rules = rules.number()};
#pragma once

#include <filesystem>
#include <vector>

#include "processes/descriptor.h"

namespace processes {

/// The version of Landlock that this kernel has; 0: none.
int landlock_version();

/// Forbids every file that is not allowed, also the sending of signals and messages to processes outside where the kernel's version
/// is 6 or newer. A path that does not exist is left out. Everything throws std::system_error.
class landlock_rules {
 public:
  landlock_rules();

  /// Reading and executing of a file, or of all that lies in a folder; without the folders in `hidden`.
  void allow_reading(const std::filesystem::path& path,
                     const std::vector<std::filesystem::path>& hidden = {});
  /// Reading and writing of a file.
  void allow_writing(const std::filesystem::path& file);
  /// Everything in a folder.
  void allow_all(const std::filesystem::path& folder);

  /// To be passed to landlock_restrict_self(2).
  int number() const { return rules_.number(); }

 private:
  void allow(const std::filesystem::path& path, unsigned long long rights);

  descriptor rules_;
};

}  // namespace processes
