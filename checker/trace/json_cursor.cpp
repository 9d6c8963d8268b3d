#include "trace/json_cursor.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace trace {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// By the code of a letter: ASCII that stands for itself inside quotes.
constexpr std::array<bool, 256> is_plain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x80; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}();

}  // namespace

std::string_view json_cursor::member_name() {
  const std::optional<std::string_view> name = text();
  if (!name || !take(':')) throw not_json{};
  return *name;
}

void json_cursor::expect_end() {
  next();
  if (at_ != end_) throw not_json{};
}

bool json_cursor::take_word(std::string_view word) {
  if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, word.size()) != word)
    return false;
  at_ += word.size();
  return true;
}

std::optional<bool> json_cursor::boolean() {
  next();
  if (take_word("true")) return true;
  if (take_word("false")) return false;
  return std::nullopt;
}

/// True when there was at least one.
bool json_cursor::skip_digits() {
  const char* const begin = at_;
  while (at_ != end_ && is_digit(*at_)) ++at_;
  return at_ != begin;
}

std::optional<json_number> json_cursor::number() {
  const char first = next();
  if (first != '-' && !is_digit(first)) return std::nullopt;
  json_number result;
  if (first == '-') {
    result.is_negative = true;
    ++at_;
  }
  const char* const digits = at_;
  // Nearly all numbers are short; std::from_chars takes three times as long.
  constexpr int max_safe_digits = 19;
  const char* digit = digits;
  for (; digit != end_ && is_digit(*digit); ++digit)
    result.magnitude = 10 * result.magnitude + static_cast<unsigned>(*digit - '0');
  at_ = digit;
  if (at_ == digits || (*digits == '0' && at_ - digits > 1)) throw not_json{};
  if (at_ - digits > max_safe_digits)
    result.is_whole = std::from_chars(digits, at_, result.magnitude).ec == std::errc();
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    result.is_whole = false;
    if (!skip_digits()) throw not_json{};
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    result.is_whole = false;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!skip_digits()) throw not_json{};
  }
  return result;
}

std::optional<std::string_view> json_cursor::text() {
  if (next() != '"') return std::nullopt;
  const char* const quote = at_;
  const char* letter = quote + 1;
  while (letter != end_ && is_plain[static_cast<unsigned char>(*letter)]) ++letter;
  at_ = letter;
  if (at_ != end_ && *at_ == '"') {
    ++at_;
    return std::string_view(quote + 1, static_cast<std::size_t>(letter - quote - 1));
  }
  for (; at_ != end_ && *at_ != '"'; ++at_) {
    if (static_cast<unsigned char>(*at_) < 0x20) throw not_json{};
    if (*at_ == '\\' && ++at_ == end_) break;
  }
  if (at_ == end_) throw not_json{};
  ++at_;
  const nlohmann::json decoded = nlohmann::json::parse(quote, at_, nullptr, false);
  if (!decoded.is_string()) throw not_json{};
  decoded_ = decoded.get_ref<const std::string&>();
  return decoded_;
}

}  // namespace trace
