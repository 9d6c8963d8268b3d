#include "runner/grade/results_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "course/record.h"
#include "processes/cannot_do.h"
#include "processes/files.h"
#include "runner/grade/digest.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Two levels, because file systems and people are slow with folders of 100 000 entries.
fs::path place_of(const fs::path& folder, const std::string& hash) {
  return folder / hash.substr(0, 2) / hash;
}

std::string without_newline(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

results_folder::results_folder(fs::path folder) : path_(fs::absolute(std::move(folder)).lexically_normal()) {
  std::error_code failure;
  if (fs::create_directories(path_, failure)) fs::permissions(path_, fs::perms::owner_all, failure);
  if (!failure && !fs::is_directory(path_)) failure = std::make_error_code(std::errc::not_a_directory);
  if (failure || access(path_.c_str(), W_OK) != 0)
    throw processes::cannot_do(
        fmt::format("{} cannot be written: {}.", path_.string(),
                    failure ? failure.message() : std::generic_category().message(errno)));
}

std::string results_folder::secret() const {
  const fs::path file = path_ / "secret";
  if (const auto known = processes::content_of(file)) return without_newline(*known);
  const fs::path drawn = path_ / fmt::format("secret.{}", random_secret().substr(0, 16));
  const processes::descriptor made(open(drawn.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  processes::write_output(drawn, random_secret() + '\n');
  // Another process may have been faster; then its secret is that of the class.
  const bool is_linked = link(drawn.c_str(), file.c_str()) == 0 || errno == EEXIST;
  const int problem = errno;
  fs::remove(drawn);
  if (!is_linked)
    throw processes::cannot_do(
        fmt::format("{} cannot be written: {}.", file.string(), std::generic_category().message(problem)));
  return without_newline(processes::read_whole(file));
}

fs::path results_folder::keep_file(const std::string& hash, const std::string& name,
                                   std::string_view content) const {
  const fs::path kept = file(hash, name);
  if (!fs::exists(kept)) processes::write_whole(kept, content);
  return kept;
}

fs::path results_folder::file(const std::string& hash, const std::string& name) const {
  return place_of(path_ / "files", hash) / name;
}

fs::path results_folder::record(const std::string& key) const { return place_of(path_ / "checks", key); }

running_slot::running_slot(const results_folder& results, const std::string& name)
    : path_(results.path() / "running" / name) {
  fs::create_directories(path_.parent_path());
  const fs::path lock = path_.string() + ".lock";
  lock_ = processes::descriptor(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_.is_open())
    throw processes::cannot_do(
        fmt::format("{} cannot be written: {}.", lock.string(), std::generic_category().message(errno)));
  if (flock(lock_.number(), LOCK_EX | LOCK_NB) != 0)
    throw processes::cannot_do(
        fmt::format("another `grade` is at work in {} ({}).", results.path().string(), name));
  fs::create_directories(path_);
  // The objects that were compiled before (checking/build_exercise.h) are as good as new.
  const std::vector<fs::directory_entry> left{fs::directory_iterator(path_), fs::directory_iterator()};
  for (const fs::directory_entry& entry : left) {
    if (entry.path().filename() != "cache") fs::remove_all(entry.path());
  }
}

fs::path running_slot::begin(const std::string& key) const {
  const fs::path folder = folder_of(key);
  fs::remove_all(folder);
  fs::create_directory(folder);
  return folder;
}

void running_slot::keep(const results_folder& results, const std::string& key) const {
  const fs::path done = folder_of(key);
  const fs::path kept = path_ / (key + ".record");
  fs::remove_all(kept);
  fs::create_directory(kept);
  for (const fs::path& file :
       {course::result_file_of(done), course::recording_file_of(done), course::report_file_of(done)}) {
    if (fs::exists(file)) fs::rename(file, kept / file.filename());
  }
  const fs::path place = results.record(key);
  fs::create_directories(place.parent_path());
  // Of a check that could not be decided, or of another process that was faster.
  if (fs::exists(place)) fs::rename(place, path_ / (key + ".old"));
  fs::rename(kept, place);
  fs::remove_all(path_ / (key + ".old"));
  fs::remove_all(done);
}

}  // namespace runner
