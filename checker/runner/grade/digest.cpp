#include "runner/grade/digest.h"

#include "processes/cannot_do.h"

#ifdef STREAMLINGS_HAS_SODIUM
#include <sodium.h>

#include <array>
#endif

namespace runner {

#ifdef STREAMLINGS_HAS_SODIUM
namespace {

using hash_bytes = std::array<unsigned char, crypto_hash_sha256_BYTES>;
static_assert(crypto_auth_hmacsha256_KEYBYTES == crypto_hash_sha256_BYTES);

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

hash_bytes hash_of(std::string_view text) {
  hash_bytes hash{};
  crypto_hash_sha256(hash.data(), bytes_of(text), text.size());
  return hash;
}

std::string digits_of(const hash_bytes& bytes) {
  std::string digits(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), bytes.data(), bytes.size());
  digits.pop_back();
  return digits;
}

}  // namespace

bool has_digests() { return true; }

std::string sha256(std::string_view bytes) { return digits_of(hash_of(bytes)); }

std::uint64_t keyed_number(std::string_view key, std::string_view message) {
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> code{};
  crypto_auth_hmacsha256(code.data(), bytes_of(message), message.size(), hash_of(key).data());
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | code[i];
  return number;
}

std::string random_secret() {
  if (sodium_init() < 0) throw processes::cannot_do("This machine gives no random numbers.");
  hash_bytes bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return digits_of(bytes);
}
#else
namespace {

[[noreturn]] void refuse() {
  throw processes::cannot_do(
      "grade needs libsodium: install libsodium-dev (or run ./streamlings setup --class) and build streamlings again.");
}

}  // namespace

bool has_digests() { return false; }
std::string sha256(std::string_view) { refuse(); }
std::uint64_t keyed_number(std::string_view, std::string_view) { refuse(); }
std::string random_secret() { refuse(); }
#endif

}  // namespace runner
