#include "cuda_compiler/object_cache.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace cuda_compiler {

namespace fs = std::filesystem;

std::string object_cache::key_of(const std::vector<std::string_view>& parts) {
  // FNV-1a with 128 bits; each part is preceded by its length, so that moving a border changes the key.
  constexpr unsigned __int128 prime = (static_cast<unsigned __int128>(1) << 88) + 0x13b;
  unsigned __int128 hash = (static_cast<unsigned __int128>(0x6c62272e07bb0142) << 64) + 0x62b821756295c58d;
  const auto add = [&](std::string_view bytes) {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  };
  for (const std::string_view part : parts) {
    add(std::to_string(part.size()) + ':');
    add(part);
  }
  std::string digits;
  for (int shift = 124; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[static_cast<int>(hash >> shift) & 15];
  return digits;
}

bool object_cache::fetch(const std::string& key, const fs::path& object, std::string& warnings) const {
  std::error_code error;
  std::ifstream warnings_file(directory_ / (key + ".txt"));
  if (!warnings_file) return false;
  if (!fs::copy_file(directory_ / (key + ".o"), object, fs::copy_options::overwrite_existing, error))
    return false;
  fs::last_write_time(directory_ / (key + ".o"), fs::file_time_type::clock::now(), error);
  warnings.assign(std::istreambuf_iterator<char>(warnings_file), {});
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
  if (objects.size() <= most_entries) return;
  std::sort(objects.begin(), objects.end());
  for (std::size_t i = 0; i < objects.size() - most_entries; ++i) {
    fs::remove(objects[i].second, error);
    fs::remove(fs::path(objects[i].second).replace_extension(".txt"), error);
  }
}

}  // namespace cuda_compiler
