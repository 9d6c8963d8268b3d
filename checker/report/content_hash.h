// content_hash.h: the fingerprint of a file's content in result::source_hash, to notice that a file has
// changed.
//
// Not for security.
#pragma once

#include <string>
#include <string_view>

namespace report {

/// 64-bit FNV-1a of the bytes, as 16 hexadecimal digits. The empty text gives "cbf29ce484222325".
std::string content_hash(std::string_view bytes);

}  // namespace report
