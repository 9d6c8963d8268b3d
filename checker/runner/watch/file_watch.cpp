#include "runner/watch/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "processes/content_hash.h"
#include "processes/files.h"

namespace runner {

file_watch::file_watch(std::filesystem::path file, notification wanted) : file_(std::move(file)) {
  if (wanted == notification::from_kernel) descriptor_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (descriptor_ >= 0 && inotify_add_watch(descriptor_, file_.parent_path().c_str(),
                                            IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) < 0) {
    close(descriptor_);
    descriptor_ = -1;
  }
  last_ = look();
  last_content_ = content();
}

file_watch::~file_watch() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool file_watch::has_changed() {
  bool was_told = false;
  std::array<char, 4096> events;
  while (descriptor_ >= 0 && read(descriptor_, events.data(), events.size()) > 0) was_told = true;
  const appearance now = look();
  // Two saves within the resolution of the file's time: inotify has reported the second.
  if (!was_told && now == last_) return false;
  last_ = now;
  std::string now_content = content();
  if (now_content == last_content_) return false;
  last_content_ = std::move(now_content);
  return true;
}

file_watch::appearance file_watch::look() const {
  struct stat state {};
  if (stat(file_.c_str(), &state) != 0) return {};
  return {std::int64_t{state.st_mtim.tv_sec} * 1'000'000'000 + state.st_mtim.tv_nsec, state.st_size,
          state.st_ino};
}

std::string file_watch::content() const {
  const auto bytes = processes::content_of(file_);
  return bytes ? processes::content_hash(*bytes) : "";
}

}  // namespace runner
