// submission_files.h: reads the lesson files of a submission out of a folder, a git clone or an archive.
//
// An archive is read by a program of its own in a sandbox, streamlings-unpack, and only into memory.
//
//     const runner::submission_files files = runner::files_in("submissions/ada.zip", {"async_copy.cu"});
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "processes/sandbox.h"
#include "runner/grade/hand_in.h"

namespace runner {

/// Whether the name is one of an archive that can be read: .zip, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz, .tar.zst.
bool is_archive_name(const std::string& name);
/// The name without that ending.
std::string without_archive_suffix(const std::string& name);

/// False when streamlings was built without libarchive.
bool can_read_archives();

/// All files with one of these names, in the order of their paths. Hidden folders and build folders are passed over.
submission_files files_in(const std::filesystem::path& submission, const std::vector<std::string>& names,
                          processes::isolation sandbox);

/// The date of the last commit, in UTC; "" when it is no git clone, git is not installed or there is no sandbox to run it in: what
/// stands in a clone can make git start programs.
std::string date_of_clone(const std::filesystem::path& submission, processes::isolation sandbox);

/// What streamlings-unpack prints, as files. Exposed for tests.
submission_files unpacked_files(std::string_view printed);

}  // namespace runner
