#include "processes/sandbox.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include "processes/environment.h"
#include "processes/files.h"
#include "processes/run.h"
#include "processes/system_call_filter.h"

namespace processes {
namespace {

namespace fs = std::filesystem;

constexpr const char* bubblewrap = "bwrap";
/// Who the program is outside when root starts it: nobody. Inside a user namespace of root's it would still own what root owns,
/// /proc/sys/kernel/core_pattern among it.
constexpr const char* id_of_nobody = "65534";
/// Of a program that root starts and Landlock encloses: a number that belongs to nobody, and hardly to two checks at once.
uid_t user_of_this_process() { return 60000 + static_cast<uid_t>(getpid() % 5000); }
/// glibc reads it before it asks for huge pages.
constexpr const char* huge_pages = "/sys/kernel/mm/transparent_hugepage";
/// Of /dev/shm.
constexpr std::size_t shared_memory_bytes = std::size_t{16} << 20;

/// Options of bubblewrap in a file, where other processes do not see them.
class option_list {
 public:
  template <typename... Words>
  void add(const Words&... words) {
    ((text_ += words, text_ += '\0'), ...);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// /lib and its like are links to folders of /usr, or folders.
void add_system_folder(option_list& options, const fs::path& folder) {
  std::error_code absent;
  if (fs::is_symlink(folder, absent)) {
    options.add("--symlink", fs::read_symlink(folder).string(), folder.string());
  } else {
    options.add("--ro-bind-try", folder.string(), folder.string());
  }
}

bool is_root() { return geteuid() == 0; }

bool is_readable_by_all(const fs::path& file) {
  std::error_code absent;
  return (fs::status(file, absent).permissions() & fs::perms::others_read) != fs::perms::none;
}

void add_namespaces(option_list& options) {
  options.add("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
              "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "streamlings",
              "--clearenv");
  if (is_root()) {
    // For setpriv, which gives them away.
    for (const char* capability : {"CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"})
      options.add("--cap-add", capability);
  } else {
    options.add("--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000");
  }
}

/// Folders that bubblewrap makes for a file by itself, root's included, can be entered by their owner only.
void add_folders_of(option_list& options, const fs::path& file) {
  fs::path folder = "/";
  for (const fs::path& name : file.parent_path().relative_path())
    options.add("--perms", "0755", "--dir", (folder /= name).string());
}

void add_system(option_list& options, std::size_t temporary_bytes) {
  options.add("--ro-bind", "/usr", "/usr");
  for (const char* folder : {"/lib", "/lib32", "/lib64", "/libx32", "/bin"})
    add_system_folder(options, folder);
  options.add("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc", "--dev", "/dev");
  std::error_code absent;
  if (fs::exists(huge_pages, absent)) {
    add_folders_of(options, huge_pages);
    options.add("--ro-bind", huge_pages, huge_pages);
  }
  const auto add_memory = [&](std::size_t bytes, const char* folder) {
    options.add("--perms", "1777", "--size", std::to_string(bytes), "--tmpfs", folder);
  };
  add_memory(shared_memory_bytes, "/dev/shm");
  options.add("--remount-ro", "/dev");
  add_memory(temporary_bytes, "/tmp");
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

outcome try_level(isolation level) {
  start_options program{.arguments = {"/usr/bin/true"}, .environment = std::vector<std::string>{}};
  const sandbox tried(program, {}, level);
  return run(program);
}

/// Why there are no limits of memory and processes; "" where there are.
std::string problem_of_groups() {
  std::string reason;
  try {
    const outcome limited = try_level(isolation::bwrap_cgroup_seccomp);
    if (limited.succeeded()) return "";
    reason = limited.start_error != 0 ? std::generic_category().message(limited.start_error)
                                      : first_line(limited.output);
  } catch (const std::system_error& problem) {
    reason = problem.what();
  }
  return "Memory and the number of processes are not limited: this user can make no cgroup for that (" +
         reason + ").";
}

/// Why bubblewrap does not work; "" where it does.
std::string problem_of_bubblewrap() {
  const outcome enclosed = try_level(isolation::bwrap_seccomp);
  if (enclosed.succeeded()) return "";
  return "bubblewrap does not work here: " + first_line(enclosed.output) +
         ". It needs user namespaces: look at kernel.unprivileged_userns_clone, "
         "kernel.apparmor_restrict_unprivileged_userns (Ubuntu) and user.max_user_namespaces; a container "
         "must allow them and a /proc of its own.";
}

/// Whether what runs inside can do nothing to its checker: it is another user, or the kernel holds its signals back.
bool has_landlock() {
  constexpr int first_that_holds_signals_back = 6;
  const int version = landlock_version();
  if (version < (is_root() ? 1 : first_that_holds_signals_back)) return false;
  try {
    return try_level(isolation::landlock_seccomp).succeeded();
  } catch (const std::system_error&) {
    return false;
  }
}

isolation_probe probe() {
  if (!has_system_call_filter())
    return {isolation::none,
            "streamlings was built without libseccomp: install libseccomp-dev and build it again."};
  std::string problem = "bubblewrap (bwrap) is not installed.";
  if (find_program(bubblewrap) != bubblewrap) {
    // The highest level first: each try takes as long as a program's start.
    const std::string of_groups = problem_of_groups();
    if (of_groups.empty()) return {isolation::bwrap_cgroup_seccomp, ""};
    problem = problem_of_bubblewrap();
    if (problem.empty()) return {isolation::bwrap_seccomp, of_groups};
  }
  return {has_landlock() ? isolation::landlock_seccomp : isolation::none, problem};
}

}  // namespace

std::string_view word_of(isolation level) {
  constexpr std::string_view words[] = {"none", "landlock+seccomp", "bwrap+seccomp", "bwrap+cgroup+seccomp"};
  return words[static_cast<std::size_t>(level)];
}

const isolation_probe& probed_isolation() {
  static const isolation_probe only = probe();
  return only;
}

sandbox::sandbox(start_options& program, const sandbox_contents& contents, isolation level) {
  if (level == isolation::landlock_seccomp) {
    enclose_by_landlock(program, contents);
    return;
  }
  if (level == isolation::bwrap_cgroup_seccomp) {
    group_.emplace(group_limits{});
    program.groups = group_->member_files();
  }
  enclose_by_bubblewrap(program, contents);
}

void sandbox::enclose_by_landlock(start_options& program, const sandbox_contents& contents) {
  folder_.emplace();
  rules_.emplace();
  confinement confined{.rules = rules_->number(),
                       .filter = system_call_filter(),
                       .file_bytes = contents.temporary_bytes};
  if (is_root()) {
    confined.user = user_of_this_process();
    confined.processes = group_limits{}.processes;
    if (chown(folder_->path().c_str(), confined.user, confined.user) != 0)
      throw std::system_error(errno, std::generic_category(), folder_->path().string());
  }
  for (const char* folder : {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin"})
    rules_->allow_reading(fs::weakly_canonical(folder), contents.hidden);
  for (const char* file : {"/etc/ld.so.cache", huge_pages, "/dev/zero", "/dev/random", "/dev/urandom"})
    rules_->allow_reading(file);
  for (const char* file : {"/dev/null", "/dev/full"}) rules_->allow_writing(file);
  for (const fs::path& file : contents.readable) rules_->allow_reading(fs::absolute(file));
  rules_->allow_all(folder_->path());
  program.directory = folder_->path();
  for (std::string& variable : *program.environment) {
    for (const char* name : {"HOME=", "TMPDIR="}) {
      if (variable.rfind(name, 0) == 0) variable = name + folder_->path().string();
    }
  }
  program.confined = std::move(confined);
}

void sandbox::enclose_by_bubblewrap(start_options& program, const sandbox_contents& contents) {
  const auto pass = [&](descriptor file) {
    program.passed_descriptors.push_back(file.number());
    passed_.push_back(std::move(file));
    return std::to_string(STDERR_FILENO + program.passed_descriptors.size());
  };
  option_list options;
  add_namespaces(options);
  for (const std::string& variable : program.environment.value_or(std::vector<std::string>{})) {
    const std::size_t equals = variable.find('=');
    if (equals != variable.npos)
      options.add("--setenv", variable.substr(0, equals), variable.substr(equals + 1));
  }
  add_system(options, contents.temporary_bytes);
  for (const fs::path& folder : contents.hidden) {
    if (*folder.lexically_relative("/usr").begin() != "..") options.add("--tmpfs", folder.string());
  }
  for (const fs::path& file : contents.readable) {
    const std::string path = fs::absolute(file).string();
    add_folders_of(options, path);
    if (is_root() && !is_readable_by_all(file)) {
      descriptor content(open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!content.is_open()) throw std::system_error(errno, std::generic_category(), "cannot read " + path);
      options.add("--perms", "0555", "--ro-bind-data", pass(std::move(content)), path);
    } else {
      options.add("--ro-bind", path, path);
    }
  }
  options.add("--remount-ro", "/", "--chdir", "/tmp", "--seccomp", pass(memory_file(system_call_filter())));

  std::vector<std::string> command{find_program(bubblewrap).string(), "--args",
                                   pass(memory_file(options.text())), "--"};
  if (is_root()) {
    command.insert(command.end(), {"/usr/bin/setpriv", "--reuid", id_of_nobody, "--regid", id_of_nobody,
                                   "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--"});
  }
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  program.arguments = std::move(command);
  program.is_sandbox = true;
  // What bubblewrap itself has can be read inside, in /proc/1/environ.
  program.environment = std::vector<std::string>{};
  program.directory.clear();
}

outcome sandbox::outcome_inside(outcome ended) {
  constexpr int signal_base = 128;
  if (ended.signal == 0 && ended.exit_status > signal_base && ended.exit_status <= signal_base + SIGRTMAX)
    ended.signal = ended.exit_status - signal_base;
  return ended;
}

}  // namespace processes
