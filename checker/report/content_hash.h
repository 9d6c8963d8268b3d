// content_hash.h: the fingerprints in a result record, to notice that a file or its lesson has changed.
//
// Not for security.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace report {

/// 64-bit FNV-1a of the bytes, as 16 hexadecimal digits. The empty text gives "cbf29ce484222325".
std::string content_hash(std::string_view bytes);

/// content_hash() of what a lesson asks: of its contract (lessons/FOLDER/*.h) and of check.cpp and drive.cpp
/// in checker/lessons/FOLDER. A file that is not there counts as empty.
std::string lesson_hash(const std::filesystem::path& checkout, const std::string& folder);

}  // namespace report
