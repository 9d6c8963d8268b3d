#include "checking/lesson_folders.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace checking {

namespace {

bool is_lesson_folder(const std::string& name) {
  return name.size() > 3 && std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::isdigit(static_cast<unsigned char>(name[1])) && name[2] == '_';
}

}  // namespace

lesson_folders::lesson_folders(std::filesystem::path checkout, std::string folder)
    : checkout_(std::move(checkout)), folder_(std::move(folder)) {
  if (!is_lesson_folder(folder_))
    throw std::invalid_argument("'" + folder_ + "' is not the folder of a lesson");
}

int lesson_folders::number() const { return std::stoi(folder_.substr(0, 2)); }

std::string lesson_folders::slug() const { return folder_.substr(3); }

std::string lesson_folders::title() const {
  std::ifstream readme(contract() / "README.md");
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("# ", 0) == 0) return line.substr(2);
  }
  return slug();
}

std::string lesson_folders::shown(const std::filesystem::path& file) const {
  const auto relative = std::filesystem::weakly_canonical(file).lexically_relative(
      std::filesystem::weakly_canonical(checkout_));
  const bool is_inside = !relative.empty() && *relative.begin() != "..";
  return is_inside ? relative.string() : file.string();
}

std::filesystem::path lesson_folders::profile(const std::string& name_or_file) const {
  const bool is_file = name_or_file.find('/') != std::string::npos ||
                       std::filesystem::path(name_or_file).extension() == ".json";
  const std::filesystem::path file =
      is_file ? std::filesystem::path(name_or_file) : profiles() / (name_or_file + ".json");
  if (std::filesystem::is_regular_file(file)) return std::filesystem::absolute(file);
  throw std::runtime_error("There is no profile '" + name_or_file +
                           "'. ./streamlings profiles lists those there are.");
}

std::filesystem::path sibling_program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace checking
