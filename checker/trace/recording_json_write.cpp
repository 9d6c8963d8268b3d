#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <type_traits>

#include "trace/recording_fields.h"
#include "trace/recording_json.h"
#include "trace/words.h"

namespace trace {
namespace {

using nlohmann::json;

/// Builds the lines of a recording. One `put` for each kind of value.
class line_writer {
 public:
  explicit line_writer(std::ostream& out) : out_(out) {}
  ~line_writer() { flush(); }

  template <typename Entry>
  void entry(std::string_view type, const Entry& value) {
    text_ += "{\"type\":\"";
    text_ += type;
    text_ += '"';
    fields(value, ",");
    text_ += "}\n";
    if (text_.size() > 1 << 16) flush();
  }
  void header(const recording& recording) {
    text_ += "{\"streamlings_recording\":";
    put(recording_format_version);
    header_field("backend", recording.backend);
    header_field("profile", recording.profile);
    header_field("schedule", recording.schedule);
    header_field("end", recording.end);
    header_field("calls", recording.calls.size());
    header_field("operations", recording.operations.size());
    header_field("has_host_accesses", recording.host_accesses.has_value());
    text_ += "}\n";
  }
  void end() { text_ += "{\"type\":\"end\"}\n"; }

 private:
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }
  template <typename Value>
  void header_field(std::string_view name, const Value& value) {
    key(",", name);
    put(value);
  }
  void key(std::string_view separator, std::string_view name) {
    text_ += separator;
    text_ += '"';
    text_ += name;
    text_ += "\":";
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
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  template <typename Enum>
  std::enable_if_t<std::is_enum_v<Enum>> put(Enum value) {
    text_ += '"';
    text_ += word_of(value);
    text_ += '"';
  }
  template <typename Entry>
  std::enable_if_t<std::is_class_v<Entry>> put(const Entry& value) {
    text_ += '{';
    fields(value, "");
    text_ += '}';
  }
  void put(bool value) { text_ += value ? "true" : "false"; }
  void put(nanoseconds time) { put(time.count()); }
  void put(const std::string& value) {
    const bool is_plain = std::all_of(value.begin(), value.end(), [](unsigned char letter) {
      return letter >= 0x20 && letter < 0x7f && letter != '"' && letter != '\\';
    });
    if (is_plain) {
      text_ += '"';
      text_ += value;
      text_ += '"';
    } else {  // what is not UTF-8 is replaced: JSON cannot hold it
      text_ += json(value).dump(-1, ' ', false, json::error_handler_t::replace);
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
    text_ += '"';
    for (const std::uint64_t word : bytes.bitmap()) {
      for (int shift = 60; shift >= 0; shift -= 4) text_ += "0123456789abcdef"[word >> shift & 15];
    }
    text_ += "\"}";
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(*value);  // an absent value is the default one and never gets here
  }
  template <typename Entry>
  void put(const std::vector<Entry>& entries) {
    put_list(entries);
  }
  template <typename List>
  void put_list(const List& list) {
    std::string_view separator = "[";
    for (const auto& value : list) {
      text_ += separator;
      put(value);
      separator = ",";
    }
    text_ += separator == "[" ? "[]" : "]";
  }

  std::ostream& out_;
  std::string text_;
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
