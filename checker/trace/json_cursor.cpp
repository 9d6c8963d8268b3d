#include "trace/json_cursor.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace trace {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

char json_cursor::next() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  return at_ == end_ ? '\0' : *at_;
}

bool json_cursor::take(char wanted) {
  if (next() != wanted || at_ == end_) return false;
  ++at_;
  return true;
}

std::string_view json_cursor::member_name() {
  const std::optional<std::string_view> name = text();
  if (!name || !take(':')) throw not_json{};
  return *name;
}

void json_cursor::expect(char wanted) {
  if (!take(wanted)) throw not_json{};
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
  if (!skip_digits() || (*digits == '0' && at_ - digits > 1)) throw not_json{};
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
  const char* const quote = at_++;
  bool is_plain = true;
  for (; at_ != end_ && *at_ != '"'; ++at_) {
    const auto letter = static_cast<unsigned char>(*at_);
    if (letter < 0x20) throw not_json{};
    if (letter >= 0x80) is_plain = false;
    if (letter != '\\') continue;
    is_plain = false;
    if (++at_ == end_) break;
  }
  if (at_ == end_) throw not_json{};
  ++at_;
  if (is_plain) return std::string_view(quote + 1, static_cast<std::size_t>(at_ - quote - 2));
  const nlohmann::json decoded = nlohmann::json::parse(quote, at_, nullptr, false);
  if (!decoded.is_string()) throw not_json{};
  decoded_ = decoded.get_ref<const std::string&>();
  return decoded_;
}

}  // namespace trace
