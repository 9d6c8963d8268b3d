#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "trace/json_cursor.h"
#include "trace/recording_fields.h"
#include "trace/recording_json.h"
#include "trace/stored_values.h"
#include "trace/words.h"

namespace trace {
namespace {

// Far more than an operation with all its accesses takes; a device can go on without end.
constexpr std::size_t max_line_bytes = std::size_t{256} << 20;

/// At -O1, operator== of string_view is two calls, and a line compares some dozens of names.
__attribute__((always_inline)) inline bool is_same(std::string_view one, std::string_view other) {
  return one.size() == other.size() && __builtin_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Turns JSON values into values of a recording: one `read` for each kind. All of them throw `refused`.
struct values {
  static void read(json_cursor& from, std::uint64_t& into) {
    const std::optional<json_number> number = from.number();
    if (!number || !number->is_whole || number->is_negative) throw refused{"not a whole number from 0"};
    into = number->magnitude;
  }
  static void read(json_cursor& from, std::uint32_t& into) {
    std::uint64_t wide = 0;
    read(from, wide);
    if (wide > std::numeric_limits<std::uint32_t>::max()) throw refused{"too large"};
    into = static_cast<std::uint32_t>(wide);
  }
  static void read(json_cursor& from, int& into) {
    const std::optional<json_number> number = from.number();
    if (!number || !number->is_whole) throw refused{"not a whole number"};
    constexpr std::uint64_t max = std::numeric_limits<int>::max();
    if (number->magnitude > max + (number->is_negative ? 1 : 0)) throw refused{"too large"};
    const auto magnitude = static_cast<std::int64_t>(number->magnitude);
    into = static_cast<int>(number->is_negative ? -magnitude : magnitude);
  }
  static void read(json_cursor& from, std::int64_t& into) {
    const std::optional<json_number> number = from.number();
    if (!number || !number->is_whole) throw refused{"not a whole number"};
    constexpr std::uint64_t max = std::numeric_limits<std::int64_t>::max();
    if (number->magnitude > max + (number->is_negative ? 1 : 0)) throw refused{"too large"};
    into = static_cast<std::int64_t>(number->is_negative ? ~number->magnitude + 1 : number->magnitude);
  }
  static void read(json_cursor& from, nanoseconds& into) {
    std::uint64_t count = 0;
    read(from, count);
    into = stored_time(count);
  }
  static void read(json_cursor& from, bool& into) {
    const std::optional<bool> value = from.boolean();
    if (!value) throw refused{"neither true nor false"};
    into = *value;
  }
  static void read(json_cursor& from, std::string& into) {
    const std::optional<std::string_view> text = from.text();
    if (!text) throw refused{"not a text"};
    into = *text;
  }

  template <typename Enum>
  static std::enable_if_t<std::is_enum_v<Enum>> read(json_cursor& from, Enum& into) {
    const std::optional<std::string_view> written = from.text();
    if (!written) throw refused{"not a word"};
    if (const std::optional<Enum> value = value_of<Enum>(*written)) {
      into = *value;
      return;
    }
    throw refused{"unknown word " + in_quotes(*written)};
  }

  template <typename Number, std::size_t count>
  static void read(json_cursor& from, std::array<Number, count>& into) {
    std::size_t known = 0;
    const bool is_list = from.each_entry([&] {
      if (known < count) read(from, into[known]);
      if (++known > count) throw refused{"not a list of " + std::to_string(count) + " numbers"};
    });
    if (!is_list || known != count) throw refused{"not a list of " + std::to_string(count) + " numbers"};
  }
  static void read(json_cursor& from, location& into) {
    std::array<std::uint32_t, 4> numbers{};
    std::size_t known = 0;
    from.each_entry([&] {
      std::uint32_t number = 0;
      read(from, number);
      if (known < numbers.size()) numbers[known] = number;
      ++known;
    });
    if (known < 2 || known > numbers.size() || numbers[2] > 1)
      throw refused{
          "not a place: [file, line], [file, line, 1] in a called function, or [file, line, 0 or 1, callers]"};
    into = {numbers[0], numbers[1], numbers[2] == 1, numbers[3]};
  }

  template <typename Value>
  static void read_value(json_cursor& from, std::string_view name, Value& into) {
    try {
      read(from, into);
    } catch (const refused& problem) {
      throw refused{in_quotes(name) + " is " + problem.reason};
    }
  }

  /// Reads the fields of an object, of which the name of the first was taken, and returns how many. Refuses one that there is
  /// not, or that is there twice.
  template <typename Entry>
  static int read_fields(json_cursor& from, std::optional<std::string_view> name, Entry& into) {
    std::uint64_t read_fields = 0;
    while (name) {  // once where they come in the stored order
      const std::uint64_t before = read_fields;
      std::uint64_t bit = 1;
      each_field(
          entry_type<Entry>(), [&](std::string_view known, auto member) __attribute__((always_inline)) {
            if (name && is_same(known, *name)) {
              if ((read_fields & bit) != 0) throw refused{in_quotes(known) + " is there twice"};
              read_fields |= bit;
              read_value(from, known, into.*member);
              name = from.next_member();
            }
            bit <<= 1;
          });
      if (read_fields == before) throw refused{"unknown field " + in_quotes(*name)};
    }
    return std::popcount(read_fields);
  }

  static byte_set read_runs(json_cursor& from) {
    std::vector<byte_run> runs;
    const bool is_list = from.each_entry([&] {
      std::array<std::uint64_t, 4> numbers{};
      read(from, numbers);
      runs.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
    });
    if (!is_list) throw refused{"not a list of byte runs"};
    return stored_runs(runs);
  }

  static byte_set read_bitmap(json_cursor& from) {
    std::optional<std::uint64_t> first_byte;
    std::optional<std::string> digits;
    for (auto name = from.first_member(); name; name = from.next_member()) {
      if (*name == "first" && !first_byte) {
        read(from, first_byte);
      } else if (*name == "bitmap" && !digits) {
        read(from, digits);
      } else {
        throw refused{"neither a list of runs nor a bitmap with its first byte"};
      }
    }
    if (!first_byte || !digits) throw refused{"neither a list of runs nor a bitmap with its first byte"};
    std::vector<std::uint64_t> words(digits->size() / 16);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const char* begin = digits->data() + 16 * i;
      const auto [end, error] = std::from_chars(begin, begin + 16, words[i], 16);
      if (error != std::errc() || end != begin + 16) throw refused{"a bitmap that is not hexadecimal"};
    }
    if (digits->size() % 16 != 0) throw refused{"a bitmap that ends within a word"};
    return stored_bitmap(*first_byte, words);
  }

  static void read(json_cursor& from, byte_set& into) {
    into = from.next() == '{' ? read_bitmap(from) : read_runs(from);
  }

  template <typename Entry>
  static std::enable_if_t<std::is_class_v<Entry>> read(json_cursor& from, Entry& into) {
    if (from.next() != '{') throw refused{"not an object"};
    read_fields(from, from.first_member(), into);
  }
  template <typename Entry>
  static void read(json_cursor& from, std::vector<Entry>& into) {
    const bool is_list = from.each_entry([&] {
      if (into.empty()) into.reserve(2);  // operations have about two accesses, and wait for about two others
      read(from, into.emplace_back());
    });
    if (!is_list) throw refused{"not a list"};
  }
  template <typename Value>
  static void read(json_cursor& from, std::optional<Value>& into) {
    read(from, into.emplace());
  }
  template <typename Value>
  static void read(json_cursor& from, boxed<Value>& into) {
    read(from, into.emplace());
  }
};

void read_header(json_cursor& line, recording& into) {
  const std::optional<std::string_view> first = line.first_member();
  if (!first || *first != "streamlings_recording") throw refused{"not a recording of streamlings"};
  std::uint64_t version = 0;
  values::read(line, version);
  if (version != recording_format_version) {
    const std::string found = "stored form " + std::to_string(version) + " is not the known one, " +
                              std::to_string(recording_format_version);
    throw refused{version == 2 ? found + "; checker/tools/convert_recording_2_to_3.py converts it" : found};
  }
  recording_header header;
  if (values::read_fields(line, line.next_member(), header) != field_count<recording_header>())
    throw refused{"the header lacks a field"};
  begin_recording(into, header);
}

/// Reads the rest of a line, behind its type.
template <typename Entry>
void append(json_cursor& line, std::vector<Entry>& entries) {
  Entry& entry = entries.emplace_back();
  values::read_fields(line, line.next_member(), entry);
  if constexpr (requires { entry.id; }) {
    expect_next_id(entry.id, entries.size() - 1);
  }
}

/// Reads one line after the header into the recording. Returns whether it was the end line.
bool read_line(json_cursor& line, recording& into) {
  const std::optional<std::string_view> first = line.first_member();
  if (!first || *first != "type") throw refused{"no 'type'"};
  const std::optional<std::string_view> type = line.text();
  if (!type) throw refused{"no 'type'"};
  if (type == "end") {
    if (line.next_member()) throw refused{"unknown field in the end line"};
    expect_sound(into);
    return true;
  }
  if (type == "host_access" && !into.host_accesses)
    throw refused{"a host access, although the header says that there are none"};
  bool is_known = false;
  each_list(into, [&](std::string_view known, auto& entries) {
    if (is_known || !is_same(*type, known)) return;
    is_known = true;
    append(line, entries);
  });
  if (!is_known) throw refused{"unknown type " + in_quotes(*type)};
  return false;
}

/// Why a line is refused that is no JSON object, or that a reason was found in.
std::string reason_for(std::string_view line, const std::string& found) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  const bool is_object =
      begin != std::string_view::npos && line[begin] == '{' && nlohmann::json::accept(line);
  return is_object ? found : "not a JSON object";
}

/// Reads text that arrives piece by piece and keeps no more than a line of it.
class line_reader {
 public:
  void feed(std::string_view bytes);
  recording finish();

 private:
  void take_line(std::string_view text);
  [[noreturn]] void refuse(const std::string& reason) const;

  recording result_ = {.files = {}};
  std::string unfinished_;  // a line of which the end has not arrived
  std::size_t lines_ = 0;
  bool is_whole_ = false;
};

void line_reader::refuse(const std::string& reason) const {
  throw std::runtime_error("line " + std::to_string(lines_) + ": " + reason);
}

void line_reader::take_line(std::string_view text) {
  ++lines_;
  if (is_whole_) refuse("something follows the end line");
  json_cursor line(text);
  try {
    if (lines_ == 1) {
      read_header(line, result_);
    } else {
      is_whole_ = read_line(line, result_);
    }
    line.expect_end();
  } catch (const refused& problem) {
    refuse(reason_for(text, problem.reason));
  } catch (const not_json&) {
    refuse("not a JSON object");
  }
}

void line_reader::feed(std::string_view bytes) {
  std::size_t end = bytes.find('\n');
  if (end != std::string_view::npos && !unfinished_.empty()) {
    unfinished_ += bytes.substr(0, end);
    take_line(unfinished_);
    unfinished_.clear();
    bytes.remove_prefix(end + 1);
    end = bytes.find('\n');
  }
  for (; end != std::string_view::npos; end = bytes.find('\n')) {
    take_line(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  unfinished_ += bytes;
  if (unfinished_.size() > max_line_bytes) {
    ++lines_;
    refuse("a line is longer than lines of recordings are");
  }
}

recording line_reader::finish() {
  if (!unfinished_.empty()) take_line(unfinished_);
  if (!is_whole_) {
    ++lines_;
    refuse("the recording is cut off: there is no end line");
  }
  return std::move(result_);
}

}  // namespace

recording read_json(std::istream& input) {
  line_reader reader;
  std::string piece(std::size_t{64} << 10, '\0');
  while (input) {
    input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    reader.feed({piece.data(), static_cast<std::size_t>(input.gcount())});
  }
  return reader.finish();
}

}  // namespace trace
