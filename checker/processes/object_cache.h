// object_cache.h: object files of earlier compilations, found again by what went into them.
//
// An entry is the object and what the compiler said about it (warnings). A checksum tells whether both are as they were
// stored. The oldest entries go when there are too many. Not here: what goes into a key (the compilers).
//
//     object_cache cache(directory);
//     if (!cache.fetch(key, object, warnings)) { compile(); cache.store(key, object, warnings); }
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace processes {

/// A directory of entries, shared by processes.
class object_cache {
 public:
  /// Entries kept; a lesson needs two, so this is the history of an afternoon.
  static constexpr std::size_t max_entries = 64;

  explicit object_cache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Copies the object to `object` and its warnings to `warnings`; false when there is none. A damaged entry is forgotten.
  bool fetch(const std::string& key, const std::filesystem::path& object, std::string& warnings) const;

  /// Keeps a copy. Failing to write is no error.
  void store(const std::string& key, const std::filesystem::path& object, const std::string& warnings) const;

  void forget(const std::string& key) const;

  /// The key of the object that note_files() noted under `command`; "" when one of its files is not as it was then.
  std::string key_of_unchanged(const std::string& command) const;

  /// Notes that the object came from these files, by their sizes and times. `command`: a key for the compiler, its flags and the
  /// source.
  void note_files(const std::string& command, const std::string& key,
                  const std::vector<std::filesystem::path>& files) const;

 private:
  void forget_oldest() const;

  std::filesystem::path directory_;
};

}  // namespace processes
