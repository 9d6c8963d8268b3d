// digest.h: SHA-256 and HMAC of libsodium, for names that a submission must not be able to choose.
//
// Not here: fingerprints that only notice a change (processes/content_hash.h).
//
//     runner::sha256(content)   // 64 hexadecimal digits
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runner {

/// False when streamlings was built without libsodium; then the functions below throw cannot_do with what to install.
bool has_digests();

/// As 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// The first 64 bits of HMAC-SHA-256; the key is hashed first, so it can be of any length.
std::uint64_t keyed_number(std::string_view key, std::string_view message);

/// 256 random bits as 64 hexadecimal digits.
std::string random_secret();

}  // namespace runner
