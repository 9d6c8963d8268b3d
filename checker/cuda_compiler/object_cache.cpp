#include "cuda_compiler/object_cache.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/content_hash.h"
#include "processes/files.h"

namespace cuda_compiler {

namespace fs = std::filesystem;

bool object_cache::fetch(const std::string& key, const fs::path& object, std::string& warnings) const {
  const auto content = processes::content_of(directory_ / (key + ".o"));
  const auto checked_warnings = processes::content_of(directory_ / (key + ".txt"));
  if (!content || !checked_warnings) return false;
  const std::size_t line_end = std::min(checked_warnings->find('\n'), checked_warnings->size());
  std::string kept_warnings = checked_warnings->substr(std::min(line_end + 1, checked_warnings->size()));
  if (checked_warnings->substr(0, line_end) != processes::cache_key({*content, kept_warnings})) {
    forget(key);
    return false;
  }
  if (!(std::ofstream(object, std::ios::binary) << *content << std::flush)) return false;
  std::error_code error;
  fs::last_write_time(directory_ / (key + ".o"), fs::file_time_type::clock::now(), error);
  warnings = std::move(kept_warnings);
  return true;
}

void object_cache::store(const std::string& key, const fs::path& object, const std::string& warnings) const {
  const auto content = processes::content_of(object);
  if (!content) return;
  try {
    processes::write_whole(directory_ / (key + ".o"), *content);
    processes::write_whole(directory_ / (key + ".txt"),
                           processes::cache_key({*content, warnings}) + '\n' + warnings);
  } catch (const processes::cannot_do&) {
    return forget(key);
  }
  forget_oldest();
}

void object_cache::forget(const std::string& key) const {
  std::error_code error;
  fs::remove(directory_ / (key + ".o"), error);
  fs::remove(directory_ / (key + ".txt"), error);
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
    forget(objects[i].second.stem());
  }
}

}  // namespace cuda_compiler
