// streamlings-unpack NAME ...: reads an archive from standard input and prints the files with these names (unpacking.h). It writes
// no files and runs in a sandbox. Exit status: 0, or 2 with the reason when the archive cannot be read.

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/grade/unpacking.h"

namespace {

constexpr std::size_t max_entries = 100'000;

using open_archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

void print_frame(std::string_view word, std::string_view path, std::string_view content = "") {
  fmt::print("{} {} {}\n", word, path.size(), content.size());
  std::fwrite(path.data(), 1, path.size(), stdout);
  std::fwrite(content.data(), 1, content.size(), stdout);
}

int refuse(archive* reader) {
  const char* reason = archive_error_string(reader);
  fmt::print(stderr, "{}\n", reason ? reason : "unknown");
  return 2;
}

bool leads_out(std::string_view path) {
  if (path.starts_with('/')) return true;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (path.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string path_of(archive_entry* entry) {
  const char* path = archive_entry_pathname(entry);
  if (!path) path = archive_entry_pathname_utf8(entry);
  std::string found = path ? path : "";
  std::replace(found.begin(), found.end(), '\\', '/');  // some programs on Windows write them
  return found;
}

/// -1 when it cannot be read; more than max_file_bytes when it is too large.
la_ssize_t read_content(archive* reader, std::string& content) {
  content.resize(runner::max_file_bytes + 1);
  std::size_t size = 0;
  while (size < content.size()) {
    const la_ssize_t count = archive_read_data(reader, content.data() + size, content.size() - size);
    if (count < 0) return -1;
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return static_cast<la_ssize_t>(size);
}

/// Prints the file; false when it cannot be read.
bool print_file(archive* reader, archive_entry* entry, const std::string& path) {
  if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) != AE_IFREG) {
    print_frame(runner::frame_of_other, path);
    return true;
  }
  std::string content;
  const la_ssize_t size = read_content(reader, content);
  if (size < 0) return false;
  const bool is_large = static_cast<std::size_t>(size) > runner::max_file_bytes;
  print_frame(is_large ? runner::frame_of_large_file : runner::frame_of_file, path, is_large ? "" : content);
  return true;
}

int print_files(archive* reader, const std::vector<std::string_view>& names) {
  std::size_t declared = 0;
  std::size_t entries = 0;
  for (archive_entry* entry = nullptr;;) {
    const int status = archive_read_next_header(reader, &entry);
    if (status == ARCHIVE_EOF) return 0;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return refuse(reader);
    const std::string path = path_of(entry);
    if (leads_out(path)) {
      print_frame(runner::frame_of_unsafe_path, path);
      return 0;
    }
    const auto size = static_cast<std::size_t>(std::max<la_int64_t>(archive_entry_size(entry), 0));
    declared += std::min(size, runner::max_unpacked_bytes + 1);
    const auto unpacked = static_cast<std::size_t>(archive_filter_bytes(reader, 0));
    if (std::max(declared, unpacked) > runner::max_unpacked_bytes || ++entries > max_entries) {
      print_frame(runner::frame_of_too_much,
                  entries > max_entries ? fmt::format("more than {} files", max_entries)
                                        : fmt::format("more than {} MB", runner::max_unpacked_bytes >> 20));
      return 0;
    }
    const bool is_wanted = std::find(names.begin(), names.end(), name_in(path)) != names.end();
    if (is_wanted && !print_file(reader, entry, path)) return refuse(reader);
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::setlocale(LC_ALL, "");
  const std::vector<std::string_view> names(arguments + 1, arguments + argument_count);
  const open_archive reader(archive_read_new(), &archive_read_free);
  for (const auto support :
       {archive_read_support_format_zip, archive_read_support_format_tar, archive_read_support_filter_gzip,
        archive_read_support_filter_bzip2, archive_read_support_filter_xz, archive_read_support_filter_zstd})
    support(reader.get());
  if (archive_read_open_fd(reader.get(), 0, 1 << 16) != ARCHIVE_OK) return refuse(reader.get());
  const int status = print_files(reader.get(), names);
  return std::fflush(stdout) == 0 ? status : 2;
}
