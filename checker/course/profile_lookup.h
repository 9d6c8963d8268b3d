// profile_lookup.h: where the profiles of virtual GPUs are.
//
// Not here: what is in them (device/profile.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace course {

/// The folder of the profiles that come with the course.
std::filesystem::path profiles_folder(const std::filesystem::path& checkout);

/// The short names of the profiles in a folder, sorted.
std::vector<std::string> profile_names(const std::filesystem::path& folder);

/// The profile of that short name in the folder, else that file. Throws processes::cannot_do with the names there are.
std::filesystem::path find_profile(const std::filesystem::path& folder, const std::string& name_or_file);

}  // namespace course
