#include "runner/installation/file_system.h"

#include <linux/magic.h>
#include <poll.h>
#include <sys/vfs.h>

#include <array>

#include "processes/files.h"
#include "runner/watch/file_watch.h"

namespace runner {
namespace {

struct shared_type {
  unsigned long number;
  const char* name;
};

constexpr std::array shared_types{
    shared_type{NFS_SUPER_MAGIC, "NFS"},
    shared_type{SMB_SUPER_MAGIC, "SMB"},
    shared_type{CIFS_SUPER_MAGIC, "CIFS"},
    shared_type{SMB2_SUPER_MAGIC, "SMB 2"},
    shared_type{V9FS_MAGIC, "9p (a Windows folder in WSL, or a virtual machine's)"},
    shared_type{FUSE_SUPER_MAGIC, "FUSE"},
    shared_type{AFS_SUPER_MAGIC, "AFS"},
    shared_type{CEPH_SUPER_MAGIC, "Ceph"},
};

}  // namespace

std::string shared_file_system_name(long type) {
  for (const shared_type& known : shared_types) {
    if (known.number == (static_cast<unsigned long>(type) & 0xFFFFFFFFUL)) return known.name;
  }
  return "";
}

std::string shared_file_system(const std::filesystem::path& folder) {
  struct statfs status {};
  return statfs(folder.c_str(), &status) == 0 ? shared_file_system_name(status.f_type) : "";
}

save_notice try_save_notice(const std::filesystem::path& folder) {
  const std::filesystem::path probe = folder / "doctor-probe.txt";
  processes::write_whole(probe, "before");
  const file_watch watch(probe, notification::from_kernel);
  save_notice notice = save_notice::no_inotify;
  if (watch.descriptor() >= 0) {
    processes::write_whole(probe, "after");
    pollfd waiting{watch.descriptor(), POLLIN, 0};
    constexpr int patience_milliseconds = 500;  // the polling period of the watch screen
    notice =
        poll(&waiting, 1, patience_milliseconds) == 1 ? save_notice::delivered : save_notice::not_delivered;
  }
  std::filesystem::remove(probe);
  return notice;
}

}  // namespace runner
