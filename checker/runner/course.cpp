#include "runner/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>

#include "runner/errors.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::string title_in(const fs::path& readme, const std::string& otherwise) {
  std::ifstream in(readme);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# ", 0) != 0) continue;
    line.erase(0, 2);
    const std::size_t colon = line.find(": ");
    return line.rfind("Lesson ", 0) == 0 && colon != std::string::npos ? line.substr(colon + 2) : line;
  }
  return otherwise;
}

bool is_digit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }

std::optional<lesson> lesson_in(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name.size() < 4 || !is_digit(name[0]) || !is_digit(name[1]) || name[2] != '_') return std::nullopt;
  lesson found;
  found.number = std::stoi(name.substr(0, 2));
  found.slug = name.substr(3);
  found.folder = name;
  found.title = title_in(folder / "README.md", found.slug);
  return found;
}

std::vector<lesson> lessons_in(const fs::path& folder) {
  std::vector<lesson> lessons;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    if (!entry.is_directory()) continue;
    if (std::optional<lesson> found = lesson_in(entry.path())) lessons.push_back(*std::move(found));
  }
  std::sort(lessons.begin(), lessons.end(),
            [](const lesson& left, const lesson& right) { return left.folder < right.folder; });
  return lessons;
}

/// "lessons/03_async_copy/" and "lessons/03_async_copy/async_copy.cu", as a shell completes them, name the
/// lesson too.
std::string last_part(std::string_view name) {
  while (name.size() > 1 && name.back() == '/') name.remove_suffix(1);
  const fs::path path(name);
  return path.extension() == ".cu" ? path.stem().string() : path.filename().string();
}

bool is_number(std::string_view text, int number) {
  if (text.empty() || text.size() > 4 || !std::all_of(text.begin(), text.end(), is_digit)) return false;
  return std::stoi(std::string(text)) == number;
}

}  // namespace

std::string lesson::two_digits() const { return fmt::format("{:02}", number); }

course course::open() {
  course opened;
  const char* other_root = std::getenv("STREAMLINGS_ROOT");
  if (other_root != nullptr && *other_root != '\0') {
    opened.root_ = fs::absolute(other_root).lexically_normal();
    opened.programs_ = opened.root_ / "build" / "bin";
  } else {
    opened.root_ = STREAMLINGS_SOURCE_DIR;
    opened.programs_ = fs::read_symlink("/proc/self/exe").parent_path();
  }
  opened.lessons_ = lessons_in(opened.root_ / "lessons");
  if (opened.lessons_.empty()) {
    throw cannot_do((opened.root_ / "lessons").string() +
                    " holds no lessons. Was the checkout moved? Then run ./streamlings setup in it.");
  }
  return opened;
}

const lesson& course::find(std::string_view name) const {
  const std::string wanted = last_part(name);
  for (const lesson& each : lessons_) {
    if (wanted == each.slug || wanted == each.folder || is_number(wanted, each.number)) return each;
  }
  std::string message = fmt::format("there is no lesson '{}'. The lessons are:", name);
  for (const lesson& each : lessons_)
    message += fmt::format("\n  {}  {:<20}  {}", each.two_digits(), each.slug, each.title);
  throw cannot_do(message);
}

fs::path course::source_of(const lesson& of) const {
  return root_ / "lessons" / of.folder / (of.slug + ".cu");
}
fs::path course::solution_of(const lesson& of) const {
  return root_ / "solutions" / of.folder / (of.slug + ".cu");
}
fs::path course::skeleton_of(const lesson& of) const {
  return root_ / "checker" / "lessons" / of.folder / "skeleton.cu";
}
fs::path course::hints_of(const lesson& of) const {
  return root_ / "checker" / "lessons" / of.folder / "hints.md";
}

fs::path course::program(const std::string& name) const {
  const fs::path found = programs_ / name;
  if (!fs::exists(found)) {
    throw cannot_do(
        fmt::format("{} is not built (looked in {}). Run: ./streamlings setup", name, programs_.string()));
  }
  return found;
}

std::vector<std::string> course::profile_names() const {
  std::vector<std::string> names;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(profiles_folder(), absent)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path course::profile(const std::string& name_or_file) const {
  const std::vector<std::string> names = profile_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    return profiles_folder() / (name_or_file + ".json");
  }
  if (fs::is_regular_file(name_or_file)) return fs::absolute(name_or_file);
  throw cannot_do(fmt::format("there is no profile or file '{}'. The profiles are: {}", name_or_file,
                              fmt::join(names, ", ")));
}

std::string course::with_short_paths(std::string text) const {
  const std::string lead = root_.string() + "/";
  for (std::size_t at = text.find(lead); at != std::string::npos; at = text.find(lead, at))
    text.erase(at, lead.size());
  return text;
}

std::string course::shown(const fs::path& file) const {
  const fs::path relative = file.lexically_normal().lexically_relative(root_);
  const bool is_inside = !relative.empty() && *relative.begin() != "..";
  return is_inside ? relative.string() : file.string();
}

}  // namespace runner
