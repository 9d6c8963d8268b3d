#include "processes/object_cache.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/content_hash.h"
#include "processes/files.h"

namespace processes {

namespace fs = std::filesystem;

namespace {

/// "1234 567890 path": size and time of a file; empty when there is none.
std::string state_of(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  const auto time = fs::last_write_time(file, error);
  if (error) return "";
  return std::to_string(bytes) + ' ' + std::to_string(time.time_since_epoch().count()) + ' ' + file.string();
}

/// Forgets the oldest entries, so many that `max_entries` are left.
template <typename Forget>
void forget_all_but(std::size_t max_entries, std::vector<std::pair<fs::file_time_type, fs::path>> entries,
                    Forget forget) {
  if (entries.size() <= max_entries) return;
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i < entries.size() - max_entries; ++i) forget(entries[i].second);
}

}  // namespace

bool object_cache::fetch(const std::string& key, const fs::path& object, std::string& warnings) const {
  const auto content = content_of(directory_ / (key + ".o"));
  const auto checked_warnings = content_of(directory_ / (key + ".txt"));
  if (!content || !checked_warnings) return false;
  const std::size_t line_end = std::min(checked_warnings->find('\n'), checked_warnings->size());
  std::string kept_warnings = checked_warnings->substr(std::min(line_end + 1, checked_warnings->size()));
  if (checked_warnings->substr(0, line_end) != cache_key({*content, kept_warnings})) {
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
  const auto content = content_of(object);
  if (!content) return;
  try {
    write_whole(directory_ / (key + ".o"), *content);
    write_whole(directory_ / (key + ".txt"), cache_key({*content, warnings}) + '\n' + warnings);
  } catch (const cannot_do&) {
    return forget(key);
  }
  forget_oldest();
}

void object_cache::forget(const std::string& key) const {
  std::error_code error;
  fs::remove(directory_ / (key + ".o"), error);
  fs::remove(directory_ / (key + ".txt"), error);
}

std::string object_cache::key_of_unchanged(const std::string& command) const {
  std::istringstream lines(content_of(directory_ / (command + ".files")).value_or(""));
  std::string key;
  if (!std::getline(lines, key)) return "";
  for (std::string line; std::getline(lines, line);) {
    const std::size_t path = line.find(' ', line.find(' ') + 1);
    if (path == line.npos || state_of(line.substr(path + 1)) != line) return "";
  }
  return key;
}

void object_cache::note_files(const std::string& command, const std::string& key,
                              const std::vector<fs::path>& files) const {
  std::string text = key + '\n';
  for (const fs::path& file : files) {
    const std::string state = state_of(file);
    if (state.empty() || state.find('\n') != state.npos) return;
    text += state + '\n';
  }
  try {
    write_whole(directory_ / (command + ".files"), text);
  } catch (const cannot_do&) {
    // Then it is preprocessed the next time.
  }
}

void object_cache::forget_oldest() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> objects, lists;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".o") objects.emplace_back(entry.last_write_time(error), entry.path());
    if (extension == ".files") lists.emplace_back(entry.last_write_time(error), entry.path());
  }
  forget_all_but(max_entries, std::move(objects), [this](const fs::path& object) { forget(object.stem()); });
  forget_all_but(max_entries, std::move(lists), [&error](const fs::path& list) { fs::remove(list, error); });
}

}  // namespace processes
