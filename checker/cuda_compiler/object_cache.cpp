#include "cuda_compiler/object_cache.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <vector>

#include "processes/files.h"

namespace cuda_compiler {

namespace fs = std::filesystem;

bool object_cache::fetch(const std::string& key, const fs::path& object, std::string& warnings) const {
  std::error_code error;
  const auto stored_warnings = processes::content_of(directory_ / (key + ".txt"));
  if (!stored_warnings) return false;
  if (!fs::copy_file(directory_ / (key + ".o"), object, fs::copy_options::overwrite_existing, error))
    return false;
  fs::last_write_time(directory_ / (key + ".o"), fs::file_time_type::clock::now(), error);
  warnings = *stored_warnings;
  return true;
}

void object_cache::store(const std::string& key, const fs::path& object, const std::string& warnings) const {
  std::error_code error;
  fs::create_directories(directory_, error);
  const std::string own = key + '.' + std::to_string(getpid());
  std::ofstream(directory_ / (own + ".txt")) << warnings;
  fs::copy_file(object, directory_ / (own + ".o"), fs::copy_options::overwrite_existing, error);
  if (error) {
    fs::remove(directory_ / (own + ".txt"), error);
    fs::remove(directory_ / (own + ".o"), error);
    return;
  }
  fs::rename(directory_ / (own + ".o"), directory_ / (key + ".o"), error);
  fs::rename(directory_ / (own + ".txt"), directory_ / (key + ".txt"), error);
  forget_oldest();
}

void object_cache::forget_oldest() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> objects;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    if (entry.path().extension() == ".o") objects.emplace_back(entry.last_write_time(error), entry.path());
  }
  if (objects.size() <= max_entries) return;
  std::sort(objects.begin(), objects.end());
  for (std::size_t i = 0; i < objects.size() - max_entries; ++i) {
    fs::remove(objects[i].second, error);
    fs::remove(fs::path(objects[i].second).replace_extension(".txt"), error);
  }
}

}  // namespace cuda_compiler
