// environment.h: the environment of programs to start.
//
//     options.environment = processes::environment_with({{"LC_ALL", "C"}});
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace processes {

/// The variables of this process with these set or replaced: "NAME=value", sorted by name. Without those whose name
/// begins with `dropped_prefix`, when that is not empty.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables,
                                          std::string_view dropped_prefix = {});

/// The program of that name in the folders of PATH; the name itself when it has a slash or is in none of them.
std::filesystem::path find_program(const std::string& name);

}  // namespace processes
