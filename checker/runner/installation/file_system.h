// file_system.h: what kind of file system a folder is on, as far as it matters to people who save and build.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// The name of a file system that is shared with other machines or another operating system, and therefore
/// slow for many small files: "NFS", "9p (a Windows folder in WSL, or a virtual machine's)". "" for a disk of
/// this machine, and for what cannot be found out.
/// @see statfs(2)
std::string shared_file_system(const std::filesystem::path& folder);

/// The same for the number that statfs gives.
std::string shared_file_system_name(long type);

/// Whether the kernel tells of a file that is saved in that folder (inotify), found out by saving one there.
enum class save_notice { delivered, not_delivered, no_inotify };
/// Saves one there; no_inotify when this system has none. Throws cannot_do when nothing can be saved there.
save_notice try_save_notice(const std::filesystem::path& folder);

}  // namespace runner
