#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trace/recording_fields.h"
#include "trace/recording_json.h"
#include "trace/words.h"

namespace trace {
namespace {

using nlohmann::json;

/// Builds the lines of a recording. One `put` for each kind of value.
class line_writer {
 public:
  explicit line_writer(std::ostream& out) : out_(out), buffer_(std::size_t{1} << 16), end_(buffer_.data()) {}

  template <typename Entry>
  void entry(std::string_view type, const Entry& value) {
    add("{\"type\":\"");
    add(type);
    add("\"");
    fields(value, ",");
    add("}\n");
  }
  void header(const recording& recording) {
    add("{\"streamlings_recording\":");
    put(recording_format_version);
    const recording_header header = header_of(recording);
    each_field(entry_type<recording_header>(), [&](std::string_view name, auto member) {
      key(",", name);
      put(header.*member);
    });
    add("}\n");
  }
  void end() {
    add("{\"type\":\"end\"}\n");
    flush();
  }

 private:
  void flush() {
    out_.write(buffer_.data(), end_ - buffer_.data());
    end_ = buffer_.data();
  }
  std::size_t room() const { return static_cast<std::size_t>(buffer_.data() + buffer_.size() - end_); }
  __attribute__((always_inline)) void add(std::string_view text) {
    if (text.size() > room()) return add_beyond_room(text);
    std::memcpy(end_, text.data(), text.size());
    end_ += text.size();
  }
  void add_beyond_room(std::string_view text) {
    flush();
    if (text.size() > room()) {
      out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    } else {
      add(text);
    }
  }
  void key(std::string_view separator, std::string_view name) {
    add(separator);
    add("\"");
    add(name);
    add("\":");
  }
  template <typename Entry>
  void fields(const Entry& value, std::string_view separator) {
    [[maybe_unused]] static const Entry usual{};  // g++ 12 overlooks its use in the lambda
    each_field(entry_type<Entry>(), [&](std::string_view name, auto member) {
      // Every diagnostic says its kind: consumers search for it.
      constexpr bool is_always_written = std::is_same_v<decltype(member), diagnostic_kind diagnostic::*>;
      if (!is_always_written && value.*member == usual.*member) return;
      key(separator, name);
      put(value.*member);
      separator = ",";
    });
  }

  template <typename Number>
  std::enable_if_t<std::is_integral_v<Number>> put(Number number) {
    constexpr std::size_t max_digits = 24;
    if (room() < max_digits) flush();
    end_ = std::to_chars(end_, end_ + max_digits, number).ptr;
  }
  template <typename Enum>
  std::enable_if_t<std::is_enum_v<Enum>> put(Enum value) {
    add("\"");
    add(word_of(value));
    add("\"");
  }
  template <typename Entry>
  std::enable_if_t<std::is_class_v<Entry>> put(const Entry& value) {
    add("{");
    fields(value, "");
    add("}");
  }
  void put(bool value) { add(value ? "true" : "false"); }
  void put(nanoseconds time) { put(time.count()); }
  void put(const std::string& value) {
    const bool is_plain = std::all_of(value.begin(), value.end(), [](unsigned char letter) {
      return letter >= 0x20 && letter < 0x7f && letter != '"' && letter != '\\';
    });
    if (is_plain) {
      add("\"");
      add(value);
      add("\"");
    } else {  // what is not UTF-8 is replaced: JSON cannot hold it
      add(json(value).dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
  void put(const location& where) {
    if (where.callers != 0)
      return put_list(std::array{where.file, where.line, where.in_callee ? 1u : 0u, where.callers});
    if (where.in_callee) return put_list(std::array{where.file, where.line, 1u});
    put_list(std::array{where.file, where.line});
  }
  void put(const std::array<std::uint32_t, 3>& sizes) { put_list(sizes); }
  void put(const byte_run& run) { put_list(std::array{run.offset, run.length, run.stride, run.count}); }
  void put(const byte_set& bytes) {
    if (bytes.bitmap().empty()) {
      put_list(bytes.runs());
      return;
    }
    key("{", "first");
    put(bytes.bitmap_first_byte());
    key(",", "bitmap");
    add("\"");
    for (const std::uint64_t word : bytes.bitmap()) {
      char digits[16];
      for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[word >> (60 - 4 * i) & 15];
      add({digits, sizeof digits});
    }
    add("\"}");
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(*value);  // an absent value is the default one and never gets here
  }
  template <typename Value>
  void put(const boxed<Value>& value) {
    put(*value);
  }
  template <typename Entry>
  void put(const std::vector<Entry>& entries) {
    put_list(entries);
  }
  template <typename List>
  void put_list(const List& list) {
    std::string_view separator = "[";
    for (const auto& value : list) {
      add(separator);
      put(value);
      separator = ",";
    }
    add(separator == "[" ? "[]" : "]");
  }

  std::ostream& out_;
  std::vector<char> buffer_;
  char* end_;  // of what is in it
};

}  // namespace

void write_json(std::ostream& out, const recording& recording) {
  line_writer writer(out);
  writer.header(recording);
  each_list(recording, [&](std::string_view type, const auto& entries) {
    for (const auto& entry : entries) writer.entry(type, entry);
  });
  writer.end();
}

}  // namespace trace
