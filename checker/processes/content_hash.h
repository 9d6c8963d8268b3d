// content_hash.h: fingerprints of texts, to notice that a file has changed. Not for security.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace processes {

/// 64-bit FNV-1a of the bytes, as 16 hexadecimal digits. The empty text gives "cbf29ce484222325".
std::string content_hash(std::string_view bytes);

/// 128-bit FNV-1a of the parts and their lengths, as 32 hexadecimal digits, for the keys of a cache: moving text
/// from one part to the next changes it.
std::string cache_key(const std::vector<std::string_view>& parts);

}  // namespace processes
