#include "processes/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "processes/cannot_do.h"

namespace processes {

namespace fs = std::filesystem;

std::optional<std::string> content_of(const fs::path& file) {
  std::error_code absent;
  if (!fs::is_regular_file(file, absent)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string content;
  for (std::size_t read = 0; in;) {
    content.resize(std::max<std::size_t>(4096, 2 * read));
    in.read(content.data() + read, static_cast<std::streamsize>(content.size() - read));
    read += static_cast<std::size_t>(in.gcount());
    content.resize(read);
  }
  if (in.bad()) return std::nullopt;  // in /proc, when the process ends between opening and reading
  return content;
}

std::string problem_of_text(const fs::path& file) {
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (status.type() == fs::file_type::not_found) return "does not exist.";
  if (fs::is_directory(status)) return "is a folder, not a file.";
  if (fs::exists(status) && !fs::is_regular_file(status)) return "is a device or a pipe, not a file.";
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) return "cannot be read: " + std::generic_category().message(errno) + ".";
  std::string beginning(1024, '\0');
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  if (beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff") ||
      beginning.find('\0') != beginning.npos)
    return "is not plain text: it is saved as UTF-16 or holds zero bytes. Save it as UTF-8.";
  return "";
}

std::string read_whole(const std::filesystem::path& file) {
  std::optional<std::string> content = content_of(file);
  if (!content) throw std::runtime_error("cannot read " + file.string());
  return std::move(*content);
}

namespace {

/// What the user can do about an error of a file.
std::string cure_of(int error) {
  switch (error) {
    case ENOENT:
      return " Make the folder first, or name another file.";
    case EACCES:
    case EPERM:
    case EROFS:
      return " Is it yours? `ls -l` shows the owner.";
    case ENOSPC:
    case EDQUOT:
      return " Make room on the disk (`df -h` shows where), then try again.";
    default:
      return "";
  }
}

std::string sentence_of(const fs::path& file, const char* problem, int error) {
  return file.string() + " " + problem + ": " + std::generic_category().message(error) + "." + cure_of(error);
}

/// The file as far as it is written, locked: only one process at a time replaces a file. A file that a killed process left
/// is used again.
descriptor open_half_written(const fs::path& half_written) {
  for (;;) {
    descriptor file(open(half_written.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!file.is_open()) return file;
    while (flock(file.number(), LOCK_EX) != 0) {
      if (errno != EINTR) return descriptor();
    }
    struct stat ours {};
    struct stat there {};
    const bool is_still_there = stat(half_written.c_str(), &there) == 0;
    if (fstat(file.number(), &ours) != 0) return descriptor();
    if (is_still_there && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) return file;
  }
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t length = write(file, content.data(), content.size());
    if (length < 0 && errno != EINTR) return false;
    if (length > 0) content.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

constexpr std::string_view temporary_prefix = "streamlings.temporary.";
constexpr std::string_view six_letters = "XXXXXX";

bool is_temporary_name(std::string_view name) {
  return name.size() == temporary_prefix.size() + six_letters.size() && name.starts_with(temporary_prefix);
}

/// Younger ones may not have their lock yet.
constexpr std::chrono::minutes age_of_stale_folder{1};

void remove_stale_folders(const fs::path& where) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(where, ignored)) {
    struct stat about {};
    if (!is_temporary_name(entry.path().filename().string()) || lstat(entry.path().c_str(), &about) != 0 ||
        !S_ISDIR(about.st_mode) || about.st_uid != geteuid())
      continue;
    const auto written = std::chrono::system_clock::from_time_t(about.st_mtime);
    if (std::chrono::system_clock::now() - written < age_of_stale_folder) continue;
    const descriptor folder(open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder.is_open() && flock(folder.number(), LOCK_EX | LOCK_NB) == 0)
      fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

void write_whole(const fs::path& file, std::string_view content) {
  std::error_code failure;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failure);
  fs::path half_written = file;
  half_written += ".tmp";
  const descriptor out = open_half_written(half_written);
  const bool is_written = out.is_open() && ftruncate(out.number(), 0) == 0 &&
                          write_all(out.number(), content) && rename(half_written.c_str(), file.c_str()) == 0;
  if (is_written) return;
  const int error = errno;
  if (out.is_open()) unlink(half_written.c_str());
  throw cannot_do(sentence_of(file, "cannot be written", error));
}

void write_output(const fs::path& file, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) write(out);
  out.flush();
  if (!out) throw cannot_do(sentence_of(file, "cannot be written", errno != 0 ? errno : EIO));
}

void write_output(const fs::path& file, std::string_view content) {
  write_output(file, [&](std::ostream& out) { out << content; });
}

void require_written_output() {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  if (is_flushed && std::ferror(stdout) == 0) return;
  throw cannot_do(sentence_of("standard output", "cannot be written", errno != 0 ? errno : EIO));
}

std::string plain_words(const fs::filesystem_error& problem) {
  return sentence_of(problem.path1(), "cannot be used", problem.code().value());
}

temporary_folder::temporary_folder() {
  std::error_code failure;
  const fs::path where = fs::temp_directory_path(failure);
  if (failure) {
    const char* const named = std::getenv("TMPDIR");
    throw cannot_do(std::string(named == nullptr ? "/tmp" : named) +
                    " is no folder for temporary files. Make it, or set TMPDIR to another.");
  }
  remove_stale_folders(where);
  std::string pattern = (where / (std::string(temporary_prefix) + std::string(six_letters))).string();
  if (mkdtemp(pattern.data()) == nullptr) {
    const int error = errno;
    throw cannot_do("no folder for temporary files: " + sentence_of(where, "cannot be written", error));
  }
  path_ = pattern;
  lock_ = descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  flock(lock_.number(), LOCK_EX | LOCK_NB);
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;  // nothing depends on it, and a destructor must not throw
  fs::remove_all(path_, ignored);
}

std::vector<fs::path> files_in_list(std::string_view list) {
  std::vector<fs::path> files;
  const std::size_t colon = list.find(": ");
  list.remove_prefix(colon == list.npos ? list.size() : colon + 2);
  std::string name;
  const auto end_name = [&] {
    if (!name.empty()) files.emplace_back(std::exchange(name, ""));
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char next = i + 1 < list.size() ? list[i + 1] : '\0';
    if (list[i] == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      name += list[++i];
    } else if (list[i] == '$' && next == '$') {
      name += list[++i];
    } else if (list[i] == '\\' && next == '\n') {
      end_name();
      ++i;
    } else if (list[i] == ' ' || list[i] == '\n') {
      end_name();
    } else {
      name += list[i];
    }
  }
  end_name();
  return files;
}

descriptor memory_file(std::string_view content) {
  descriptor file(memfd_create("input", MFD_CLOEXEC));
  if (!file.is_open() || !write_all(file.number(), content))
    throw std::system_error(errno, std::generic_category(), "memfd");
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

fs::path sibling_program(const std::string& name) { return own_program().parent_path() / name; }

}  // namespace processes
