#include "processes/files.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
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
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::string read_whole(const std::filesystem::path& file) {
  std::optional<std::string> content = content_of(file);
  if (!content) throw std::runtime_error("cannot read " + file.string());
  return std::move(*content);
}

void write_whole(const fs::path& file, std::string_view content) {
  std::error_code failure;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failure);
  fs::path half_written = file;
  half_written += "." + std::to_string(getpid()) + ".tmp";
  std::ofstream out(half_written, std::ios::binary | std::ios::trunc);
  out << content << std::flush;
  if (out) fs::rename(half_written, file, failure);
  if (!out || failure) {
    fs::remove(half_written, failure);
    throw cannot_do(file.string() +
                    " cannot be written. Is the folder yours, and is there room on the disk?");
  }
}

temporary_folder::temporary_folder() {
  std::string pattern = (fs::temp_directory_path() / "streamlings.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw cannot_do("no folder can be made in " + fs::temp_directory_path().string());
  path_ = pattern;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;  // nothing depends on it, and a destructor must not throw
  fs::remove_all(path_, ignored);
}

fs::path sibling_program(const std::string& name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace processes
