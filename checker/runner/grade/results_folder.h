// results_folder.h: the folder RESULTS of `grade`: the secret of the class, the files that were handed in, the records of checks.
//
// A record appears there whole or not at all, so whoever is killed leaves nothing wrong. Several processes may work in one folder,
// each with a slot of its own.
//
//     runner::results_folder results("results");
//     results.secret();   // drawn by whoever comes first
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "processes/descriptor.h"

namespace runner {

/// The folder. Its owner alone can read it.
class results_folder {
 public:
  /// Makes it when it is missing. Throws cannot_do.
  explicit results_folder(std::filesystem::path folder);

  const std::filesystem::path& path() const { return path_; }

  /// The same for all that work in this folder. Throws cannot_do.
  std::string secret() const;
  /// Keeps a file under its SHA-256 and returns where.
  std::filesystem::path keep_file(const std::string& hash, const std::string& name,
                                  std::string_view content) const;
  /// Where that is.
  std::filesystem::path file(const std::string& hash, const std::string& name) const;
  /// Where the record of that key is, or will be.
  std::filesystem::path record(const std::string& key) const;

 private:
  std::filesystem::path path_;
};

/// A folder in which the checks of one process run; what an earlier one left there goes, but for the compiled objects.
class running_slot {
 public:
  /// Throws cannot_do when another process has the slot.
  running_slot(const results_folder& results, const std::string& name);

  /// An empty folder for the check of that key.
  std::filesystem::path begin(const std::string& key) const;
  /// That folder.
  std::filesystem::path folder_of(const std::string& key) const { return path_ / key; }
  /// Moves the record of an ended check, and nothing else of its folder, to where it stays.
  void keep(const results_folder& results, const std::string& key) const;

 private:
  std::filesystem::path path_;
  processes::descriptor lock_;
};

}  // namespace runner
