#include "processes/system_call_filter.h"

#include <sched.h>
#ifdef STREAMLINGS_HAS_SECCOMP
#include <seccomp.h>
#endif
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "processes/descriptor.h"
#include "processes/files.h"

namespace processes {

#ifdef STREAMLINGS_HAS_SECCOMP

namespace {

/// Names that the C library's headers may not know yet; libseccomp skips what the architecture does not have.
constexpr const char* forbidden_calls[] = {
    // Other processes, and descriptors of theirs: bubblewrap's own process would be one.
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_open", "pidfd_getfd",
    "pidfd_send_signal",
    // File systems and namespaces.
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "setns", "unshare", "name_to_handle_at", "open_by_handle_at",
    "fanotify_init", "quotactl", "quotactl_fd",
    // Parts of the kernel with many holes in the past, which no lesson needs.
    "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "bpf", "perf_event_open",
    "keyctl", "add_key", "request_key", "vmsplice",
    // The machine itself.
    "acct", "delete_module", "finit_module", "init_module", "iopl", "ioperm", "kexec_file_load", "kexec_load",
    "lookup_dcookie", "nfsservctl", "reboot", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
    "stime", "sethostname", "setdomainname", "swapoff", "swapon", "syslog", "vhangup"};

void require(int status) {
  if (status < 0) throw std::system_error(-status, std::generic_category(), "the filter of system calls");
}

std::string made_filter() {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                seccomp_release);
  if (!filter) throw std::system_error(ENOMEM, std::generic_category(), "the filter of system calls");
  for (const char* name : forbidden_calls) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number != __NR_SCMP_ERROR) require(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), number, 0));
  }
  // New namespaces. The flags of clone3 are behind a pointer; without it the C library uses clone.
  for (const unsigned long flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                                   CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    require(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                             SCMP_CMP(0, SCMP_CMP_MASKED_EQ, flag, flag)));
  }
  require(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0));
  require(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
                           SCMP_CMP(0, SCMP_CMP_NE, AF_UNIX)));
  // Typing into a terminal. The kernel looks at the lower half of the request only.
  constexpr unsigned long lower_half = 0xffffffff;
  constexpr unsigned long paste_of_a_console = 0x541c;  // TIOCLINUX
  for (const unsigned long request : {static_cast<unsigned long>(TIOCSTI), paste_of_a_console}) {
    require(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                             SCMP_CMP(1, SCMP_CMP_MASKED_EQ, lower_half, request)));
  }
  const descriptor file = memory_file("");
  require(seccomp_export_bpf(filter.get(), file.number()));
  std::string program(static_cast<std::size_t>(lseek(file.number(), 0, SEEK_END)), '\0');
  if (pread(file.number(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size()))
    throw std::system_error(EIO, std::generic_category(), "the filter of system calls");
  return program;
}

}  // namespace

bool has_system_call_filter() { return true; }

const std::string& system_call_filter() {
  static const std::string only = made_filter();
  return only;
}

#else

bool has_system_call_filter() { return false; }

const std::string& system_call_filter() {
  throw std::system_error(ENOSYS, std::generic_category(), "the filter of system calls");
}

#endif

}  // namespace processes
