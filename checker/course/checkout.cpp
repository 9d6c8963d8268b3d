#include "course/checkout.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "course/profile_lookup.h"
#include "processes/cannot_do.h"
#include "processes/files.h"

namespace course {
namespace {

namespace fs = std::filesystem;
using processes::cannot_do;

/// "lessons/03_async_copy/" and "lessons/03_async_copy/async_copy.cu", as a shell completes them, name the
/// lesson too.
std::string last_part(std::string_view name) {
  while (name.size() > 1 && name.back() == '/') name.remove_suffix(1);
  const fs::path path(name);
  return path.extension() == ".cu" ? path.stem().string() : path.filename().string();
}

bool is_number(std::string_view text, int number) {
  const auto is_digit = [](unsigned char character) { return std::isdigit(character) != 0; };
  if (text.empty() || text.size() > 4 || !std::all_of(text.begin(), text.end(), is_digit)) return false;
  return std::stoi(std::string(text)) == number;
}

}  // namespace

checkout checkout::open() {
  checkout opened;
  const char* other_root = std::getenv("STREAMLINGS_ROOT");
  if (other_root != nullptr && *other_root != '\0') {
    opened.root_ = fs::absolute(other_root).lexically_normal();
    opened.programs_ = opened.root_ / "build" / "bin";
  } else {
    opened.root_ = STREAMLINGS_SOURCE_DIR;
    opened.programs_ = processes::own_program().parent_path();
  }
  opened.lessons_ = lessons_of(opened.root_);
  if (opened.lessons_.empty()) {
    throw cannot_do((opened.root_ / "lessons").string() +
                    " holds no lessons. Was the checkout moved? Then run ./streamlings setup in it.");
  }
  return opened;
}

const lesson& checkout::find(std::string_view name) const {
  const std::string wanted = last_part(name);
  for (const lesson& candidate : lessons_) {
    if (wanted == candidate.slug || wanted == candidate.folder || is_number(wanted, candidate.number))
      return candidate;
  }
  std::string message = "there is no lesson '" + std::string(name) + "'. The lessons are:";
  for (const lesson& known : lessons_) {
    std::string slug = known.slug;
    slug.resize(std::max<std::size_t>(slug.size(), 20), ' ');
    message += "\n  " + known.two_digits() + "  " + slug + "  " + known.title;
  }
  throw cannot_do(message);
}

fs::path checkout::program(const std::string& name) const {
  const fs::path found = programs_ / name;
  if (!fs::exists(found))
    throw cannot_do(name + " is not built (looked in " + programs_.string() + "). Run: ./streamlings setup");
  return found;
}

fs::path checkout::profile(const std::string& name_or_file) const {
  return find_profile(profiles_folder(root_), name_or_file);
}

std::string checkout::with_relative_paths(std::string text) const {
  const std::string lead = root_.string() + "/";
  for (std::size_t position = text.find(lead); position != std::string::npos;
       position = text.find(lead, position))
    text.erase(position, lead.size());
  return text;
}

std::string checkout::relative_path(const fs::path& file) const { return course::relative_path(root_, file); }

std::string relative_path(const fs::path& checkout, const fs::path& file) {
  const fs::path relative = fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(checkout));
  const bool is_inside = !relative.empty() && *relative.begin() != "..";
  return is_inside ? relative.string() : file.string();
}

}  // namespace course
