// file_system.h: properties of a folder's file system that matter for saving and building.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// The name of a file system that is shared with other machines or another operating system, and so slow for
/// many small files: "NFS", "9p (a Windows folder in WSL, or a virtual machine's)". "" for a local disk or an
/// unknown one.
/// @see statfs(2)
std::string shared_file_system(const std::filesystem::path& folder);

/// The name for the type number of statfs(2).
std::string shared_file_system_name(long type);

/// Whether inotify reports a file that is saved in a folder.
enum class save_notice { delivered, not_delivered, no_inotify };
/// Saves a file in the folder to find out. Throws cannot_do when it cannot be saved.
save_notice try_save_notice(const std::filesystem::path& folder);

}  // namespace runner
