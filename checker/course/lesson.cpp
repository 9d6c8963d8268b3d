#include "course/lesson.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "processes/content_hash.h"
#include "processes/files.h"

namespace course {
namespace {

namespace fs = std::filesystem;

bool is_lesson_folder(const std::string& name) {
  const auto is_digit = [](char character) {
    return std::isdigit(static_cast<unsigned char>(character)) != 0;
  };
  return name.size() > 3 && is_digit(name[0]) && is_digit(name[1]) && name[2] == '_';
}

std::string title_in(const fs::path& page, const std::string& otherwise) {
  std::ifstream file(page);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("# ")) continue;
    line.erase(0, 2);
    const std::size_t colon = line.find(": ");
    return line.starts_with("Lesson ") && colon != std::string::npos ? line.substr(colon + 2) : line;
  }
  return otherwise;
}

/// Reads the line "**Needs.** ..." of the page.
void read_needs(lesson& into) {
  static constexpr std::string_view need = "[lesson ";
  static constexpr std::string_view time = "; about ";
  std::ifstream file(into.page());
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) return;  // it stands in the head of the page
    if (!line.starts_with("**Needs.** ")) continue;
    for (std::size_t begin = line.find(need); begin != line.npos; begin = line.find(need, begin + 1))
      into.needs.push_back(std::atoi(line.c_str() + begin + need.size()));
    if (const std::size_t begin = line.find(time); begin != line.npos)
      into.minutes = std::atoi(line.c_str() + begin + time.size());
  }
}

}  // namespace

std::string lesson::two_digits() const { return folder.substr(0, 2); }

std::string lesson::hash() const {
  std::set<fs::path> files{checks() / "check.cpp", drive()};
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(contract(), absent)) {
    if (entry.path().extension() == ".h") files.insert(entry.path());
  }
  std::string hashes;
  for (const fs::path& file : files)
    hashes += processes::content_hash(processes::content_of(file).value_or(""));
  return processes::content_hash(hashes);
}

lesson lesson_of(const fs::path& checkout, const std::string& folder) {
  if (!is_lesson_folder(folder))
    throw std::invalid_argument("'" + folder + "' is not the folder of a lesson");
  lesson found{checkout, std::stoi(folder.substr(0, 2)), folder.substr(3), folder, "", {}, 0};
  found.title = title_in(found.page(), found.slug);
  read_needs(found);
  return found;
}

std::vector<lesson> lessons_of(const fs::path& checkout) {
  std::vector<lesson> lessons;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(checkout / "lessons", absent)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && is_lesson_folder(name)) lessons.push_back(lesson_of(checkout, name));
  }
  std::sort(lessons.begin(), lessons.end(),
            [](const lesson& left, const lesson& right) { return left.folder < right.folder; });
  return lessons;
}

}  // namespace course
