// json_cursor.h: reads one JSON text from front to back, a value at a time, without building a tree of it.
//
// The caller asks for the value that it expects. Text with escapes or beyond ASCII is left to the JSON library.
//
//     json_cursor cursor(R"({"id": 7})");
//     for (auto name = cursor.first_member(); name; name = cursor.next_member()) if (*name == "id") id = cursor.number();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trace {

/// Thrown where the text is not JSON.
struct not_json {};

/// A number as written.
struct json_number {
  std::uint64_t magnitude = 0;  ///< without sign and fraction
  bool is_negative = false;     ///< written with a minus
  bool is_whole = true;         ///< written without fraction and exponent, and the magnitude fits
};

/// A position in a JSON text.
class json_cursor {
 public:
  /// The text has to outlive the cursor.
  explicit json_cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// The first character of what comes next; '\0' at the end.
  char next() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }
  /// These three take nothing and return nothing when another kind of value comes next.
  std::optional<json_number> number();
  std::optional<bool> boolean();
  /// Valid until the next text is read.
  std::optional<std::string_view> text();

  /// Enters an object and takes the name of its first member. Nothing when something else comes next, or it
  /// is empty.
  std::optional<std::string_view> first_member() {
    if (!take('{') || take('}')) return std::nullopt;
    return member_name();
  }
  /// Behind a value in an object: takes the name of the next member, or leaves the object and returns nothing.
  std::optional<std::string_view> next_member() {
    if (take(',')) return member_name();
    expect('}');
    return std::nullopt;
  }
  /// Reads a list: calls `read_value()` for each entry. False when something else comes next.
  template <typename Read>
  bool each_entry(Read&& read_value) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do read_value();
    while (take(','));
    expect(']');
    return true;
  }
  /// Throws not_json when anything but blanks is left.
  void expect_end();

 private:
  std::string_view member_name();
  bool take(char wanted) {
    if (next() != wanted || at_ == end_) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) throw not_json{};
  }
  bool take_word(std::string_view word);
  bool skip_digits();

  const char* at_;
  const char* end_;
  std::string decoded_;
};

}  // namespace trace
