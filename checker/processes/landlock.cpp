#include "processes/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace processes {
namespace {

namespace fs = std::filesystem;

// The kernel's interface, include/uapi/linux/landlock.h. The C library's copy may be older than the kernel.
struct ruleset_attributes {
  std::uint64_t files = 0;
  std::uint64_t network =
      0;                     ///< since version 4; no socket but a local one passes the filter of system calls
  std::uint64_t scopes = 0;  ///< since version 6
};
struct __attribute__((packed)) path_attributes {
  std::uint64_t rights = 0;
  std::int32_t path = -1;
};
constexpr unsigned version_flag = 1;
constexpr int path_rule = 1;
constexpr std::uint64_t execute_file = 1u << 0, write_file = 1u << 1, read_file = 1u << 2, read_folder = 1u << 3,
                        truncate_file = 1u << 14, use_device = 1u << 15;
constexpr std::uint64_t rights_of_files = execute_file | write_file | read_file | truncate_file | use_device;
constexpr std::uint64_t scope_of_sockets_and_signals = 3;

/// Of files and folders: version 1 has 13, each of 2, 3 and 5 one more.
std::uint64_t rights_of(int version) {
  const int count = 13 + (version >= 2) + (version >= 3) + (version >= 5);
  return (std::uint64_t{1} << count) - 1;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool contains(const fs::path& folder, const fs::path& path) {
  return *path.lexically_relative(folder).begin() != "..";
}

}  // namespace

int landlock_version() {
  static const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, version_flag);
  return version < 0 ? 0 : static_cast<int>(version);
}

landlock_rules::landlock_rules() {
  const int version = landlock_version();
  ruleset_attributes attributes{.files = rights_of(version)};
  if (version >= 6) attributes.scopes = scope_of_sockets_and_signals;
  const std::size_t bytes = version >= 6 ? sizeof attributes : sizeof attributes.files;
  rules_ = descriptor(static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, bytes, 0)));
  if (!rules_.is_open()) fail("Landlock");
}

void landlock_rules::allow_reading(const fs::path& path, const std::vector<fs::path>& hidden) {
  const auto holds_hidden = [&](const fs::path& folder) {
    return std::any_of(hidden.begin(), hidden.end(),
                       [&](const fs::path& one) { return contains(folder, one); });
  };
  if (!holds_hidden(path)) return allow(path, execute_file | read_file | read_folder);
  if (std::find(hidden.begin(), hidden.end(), path) != hidden.end()) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) allow_reading(entry.path(), hidden);
}

void landlock_rules::allow_writing(const fs::path& file) {
  allow(file, read_file | write_file | truncate_file);
}

void landlock_rules::allow_all(const fs::path& folder) { allow(folder, ~std::uint64_t{0}); }

void landlock_rules::allow(const fs::path& path, unsigned long long rights) {
  const descriptor opened(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!opened.is_open()) {
    if (errno == ENOENT) return;
    fail("cannot read " + path.string());
  }
  struct stat about {};
  if (fstat(opened.number(), &about) != 0) fail("cannot read " + path.string());
  rights &= rights_of(landlock_version());
  if (!S_ISDIR(about.st_mode)) rights &= rights_of_files;
  const path_attributes rule{.rights = rights, .path = opened.number()};
  if (syscall(SYS_landlock_add_rule, rules_.number(), path_rule, &rule, 0) != 0) fail("Landlock");
}

}  // namespace processes
