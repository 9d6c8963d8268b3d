#include "course/profile_lookup.h"

#include <algorithm>
#include <system_error>

#include "processes/cannot_do.h"

namespace course {

namespace fs = std::filesystem;

fs::path profiles_folder(const fs::path& checkout) { return checkout / "checker" / "device" / "profiles"; }

std::vector<std::string> profile_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_profile(const fs::path& folder, const std::string& name_or_file) {
  const std::vector<std::string> names = profile_names(folder);
  if (std::find(names.begin(), names.end(), name_or_file) != names.end())
    return folder / (name_or_file + ".json");
  if (fs::is_regular_file(name_or_file)) return fs::absolute(name_or_file);
  std::string message = "there is no profile or file '" + name_or_file + "'. The profiles are: ";
  for (const std::string& name : names) message += (name == names.front() ? "" : ", ") + name;
  throw processes::cannot_do(message);
}

}  // namespace course
