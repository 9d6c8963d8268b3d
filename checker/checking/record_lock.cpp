#include "checking/record_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace checking {

record_lock::record_lock(const std::filesystem::path& record) {
  std::filesystem::create_directories(record);
  const std::filesystem::path file = record / "lock";
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  while (flock(descriptor_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int reason = errno;
    close(descriptor_);
    throw std::system_error(reason, std::generic_category(), "cannot lock " + file.string());
  }
}

record_lock::~record_lock() { close(descriptor_); }

}  // namespace checking
