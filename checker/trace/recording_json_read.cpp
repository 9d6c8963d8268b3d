#include <algorithm>
#include <array>
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
#include "trace/references.h"
#include "trace/words.h"

namespace trace {
namespace {

/// Times above this many nanoseconds (104 days) are refused: up to here sums do not overflow and JavaScript
/// is exact.
constexpr std::uint64_t latest_time = std::uint64_t{1} << 53;

/// At most this many entries are made room for on the word of the header.
constexpr std::size_t max_reserved = std::size_t{1} << 20;

/// Something in the current line is not as write_json would have written it.
struct refused {
  std::string reason;
};

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
    if (count > latest_time) throw refused{"a time of more than 104 days"};
    into = nanoseconds(count);
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

  /// Reads the fields of an object, of which the name of the first was taken. Refuses one that there is not, or that is there twice.
  template <typename Entry>
  static void read_fields(json_cursor& from, std::optional<std::string_view> name, Entry& into) {
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
  }

  static byte_set read_runs(json_cursor& from) {
    std::vector<byte_run> runs;
    unsigned __int128 end = 0;
    const bool is_list = from.each_entry([&] {
      std::array<std::uint64_t, 4> numbers{};
      read(from, numbers);
      const byte_run run{numbers[0], numbers[1], numbers[2], numbers[3]};
      const bool is_sound = run.length > 0 && run.count > 0 &&
                            (run.count == 1 ? run.stride == run.length : run.stride > run.length) &&
                            (runs.empty() || run.offset > end);
      if (!is_sound) throw refused{"a list of byte runs that are empty, unordered or touch each other"};
      end = static_cast<unsigned __int128>(run.stride) * (run.count - 1) + run.offset + run.length;
      if (end > std::numeric_limits<std::uint64_t>::max())
        throw refused{"a byte run that ends beyond 64 bits"};
      runs.push_back(run);
    });
    if (!is_list) throw refused{"not a list of byte runs"};
    if (runs.size() == 1 && runs[0].count == 1) return byte_set::range(runs[0].offset, runs[0].length);
    const byte_set bytes = byte_set::from_runs(runs);
    if (!std::ranges::equal(bytes.runs(), runs))
      throw refused{"a list of byte runs that is not in its shortest form"};
    return bytes;
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
    byte_set bytes = byte_set::from_bitmap(*first_byte, words);
    if (digits->size() % 16 != 0 || !std::ranges::equal(bytes.bitmap(), words) ||
        bytes.bitmap_first_byte() != *first_byte) {
      throw refused{"a bitmap that is not in its shortest form"};
    }
    return bytes;
  }

  static void read(json_cursor& from, byte_set& into) {
    try {
      into = from.next() == '{' ? read_bitmap(from) : read_runs(from);
    } catch (const std::invalid_argument& error) {
      throw refused{error.what()};
    }
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
};

/// The fields of the header line, which are not those of a struct.
class header {
 public:
  explicit header(recording& into) : into_(into) {}

  void read_field(json_cursor& from, std::string_view name) {
    const auto is = [&](std::string_view field, std::uint64_t bit, auto& value) {
      if (name != field) return false;
      values::read(from, value);
      read_fields_ |= bit;
      return true;
    };
    const bool is_known = is("backend", 1, into_.backend) || is("profile", 2, into_.profile) ||
                          is("schedule", 4, into_.schedule) || is("end", 8, into_.end) ||
                          is("calls", 16, calls_) || is("operations", 32, operations_) ||
                          is("has_host_accesses", 64, has_host_accesses_);
    if (!is_known) throw refused{"unknown field in the header"};
  }
  void finish() {
    if (read_fields_ != 127) throw refused{"the header lacks a field"};
    into_.calls.reserve(std::min(calls_, max_reserved));
    into_.operations.reserve(std::min(operations_, max_reserved));
    if (has_host_accesses_) into_.host_accesses.emplace();
  }

 private:
  recording& into_;
  std::uint64_t read_fields_ = 0;
  std::size_t calls_ = 0, operations_ = 0;
  bool has_host_accesses_ = false;
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
  header fields(into);
  while (const auto name = line.next_member()) fields.read_field(line, *name);
  fields.finish();
}

/// Reads the rest of a line, behind its type.
template <typename Entry>
void append(json_cursor& line, std::vector<Entry>& entries) {
  Entry& entry = entries.emplace_back();
  values::read_fields(line, line.next_member(), entry);
  if constexpr (requires { entry.id; }) {
    if (entry.id != entries.size()) {
      throw refused{"id " + std::to_string(entry.id) + " where " + std::to_string(entries.size()) +
                    " comes next"};
    }
  }
}

void finish(json_cursor& line, const recording& whole) {
  if (line.next_member()) throw refused{"unknown field in the end line"};
  const auto is_unknown = [](const source_file& file) { return file.path.empty(); };
  if (whole.files.empty() || !is_unknown(whole.files.front()))
    throw refused{"the first file is not the unknown one"};
  if (std::any_of(whole.files.begin() + 1, whole.files.end(), is_unknown))
    throw refused{"a file without its path"};
  if (const auto broken = first_broken_reference(whole)) throw refused{*broken};
}

/// Reads one line after the header into the recording. Returns whether it was the end line.
bool read_line(json_cursor& line, recording& into) {
  const std::optional<std::string_view> first = line.first_member();
  if (!first || *first != "type") throw refused{"no 'type'"};
  const std::optional<std::string_view> type = line.text();
  if (!type) throw refused{"no 'type'"};
  if (type == "end") {
    finish(line, into);
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

}  // namespace

void recording_reader::refuse(const std::string& reason) const {
  throw std::runtime_error("line " + std::to_string(lines_) + ": " + reason);
}

void recording_reader::take_line(std::string_view text) {
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

void recording_reader::feed(std::string_view bytes) {
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

recording recording_reader::finish() {
  if (!unfinished_.empty()) take_line(unfinished_);
  if (!is_whole_) {
    ++lines_;
    refuse("the recording is cut off: there is no end line");
  }
  return std::move(result_);
}

recording read_json(std::istream& input) {
  recording_reader reader;
  std::string piece(std::size_t{64} << 10, '\0');
  while (input) {
    input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    reader.feed({piece.data(), static_cast<std::size_t>(input.gcount())});
  }
  return reader.finish();
}

}  // namespace trace
