#include "processes/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace processes {

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables,
                                          std::string_view dropped_prefix) {
  std::map<std::string, std::string> merged = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!dropped_prefix.empty() && text.starts_with(dropped_prefix)) continue;
    const std::size_t equals = std::min(text.find('='), text.size());
    merged.emplace(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
  }
  std::vector<std::string> environment;
  for (const auto& [name, value] : merged) environment.push_back(name + "=" + value);
  return environment;
}

std::filesystem::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (name.find('/') != std::string::npos || path == nullptr) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code absent;
    if (std::filesystem::is_regular_file(file, absent) && access(file.c_str(), X_OK) == 0) return file;
  }
  return name;
}

}  // namespace processes
