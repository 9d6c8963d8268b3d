#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "trace/recording_fields.h"
#include "trace/recording_json.h"
#include "trace/references.h"

namespace trace {
namespace {

using nlohmann::json;

/// Times above this many nanoseconds (104 days) are refused: up to here sums do not overflow and JavaScript
/// is exact.
constexpr std::uint64_t latest_time = std::uint64_t{1} << 53;

/// At most this many entries are made room for on the word of the header.
constexpr std::size_t most_reserved = std::size_t{1} << 20;

/// Something in the current line is not as write_json would have written it.
struct refused {
  std::string reason;
};

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Whether an object is a line of its own and says so with a field "type".
enum class line_type { present, absent };

/// Turns JSON values into values of a recording: one `read` for each kind. All of them throw `refused`.
struct values {
  static void read(const json& from, std::uint64_t& into) {
    if (!from.is_number_unsigned()) throw refused{"not a whole number from 0"};
    into = from.get<std::uint64_t>();
  }
  static void read(const json& from, std::uint32_t& into) {
    std::uint64_t wide = 0;
    read(from, wide);
    if (wide > std::numeric_limits<std::uint32_t>::max()) throw refused{"too large"};
    into = static_cast<std::uint32_t>(wide);
  }
  static void read(const json& from, int& into) {
    if (!from.is_number_integer()) throw refused{"not a whole number"};
    const bool is_small = from.is_number_unsigned()
                              ? from.get<std::uint64_t>() <= std::numeric_limits<int>::max()
                              : from.get<std::int64_t>() >= std::numeric_limits<int>::min();
    if (!is_small) throw refused{"too large"};
    into = from.get<int>();
  }
  static void read(const json& from, nanoseconds& into) {
    std::uint64_t count = 0;
    read(from, count);
    if (count > latest_time) throw refused{"a time of more than 104 days"};
    into = nanoseconds(count);
  }
  static void read(const json& from, bool& into) {
    if (!from.is_boolean()) throw refused{"neither true nor false"};
    into = from.get<bool>();
  }
  static void read(const json& from, std::string& into) {
    if (!from.is_string()) throw refused{"not a text"};
    into = from.get_ref<const std::string&>();
  }

  template <typename Enum>
  static std::enable_if_t<std::is_enum_v<Enum>> read(const json& from, Enum& into) {
    if (!from.is_string()) throw refused{"not a word"};
    const std::string& written = from.get_ref<const std::string&>();
    for (const auto& [value, word] : words<Enum>::list) {
      if (word == written) {
        into = value;
        return;
      }
    }
    throw refused{"unknown word " + in_quotes(written)};
  }

  template <typename Number, std::size_t count>
  static void read(const json& from, std::array<Number, count>& into) {
    if (!from.is_array() || from.size() != count)
      throw refused{"not a list of " + std::to_string(count) + " numbers"};
    for (std::size_t i = 0; i < count; ++i) read(from[i], into[i]);
  }
  static void read(const json& from, location& into) {
    std::array<std::uint32_t, 2> pair{};
    read(from, pair);
    into = {pair[0], pair[1]};
  }

  /// Reads each field of the object that is known and refuses the others.
  template <typename Entry>
  static void read_fields(const json& from, Entry& into, line_type type) {
    std::size_t known = type == line_type::present ? 1 : 0;
    each_field(
        [&](const char* name, auto member) {
          const auto found = from.find(name);
          if (found == from.end()) return;
          ++known;
          try {
            read(*found, into.*member);
          } catch (const refused& problem) {
            throw refused{in_quotes(name) + " is " + problem.reason};
          }
        },
        tag<Entry>());
    if (known == from.size()) return;

    for (const auto& item : from.items()) {
      bool is_known = type == line_type::present && item.key() == "type";
      each_field([&](std::string_view name, auto) { is_known = is_known || item.key() == name; },
                 tag<Entry>());
      if (!is_known) throw refused{"unknown field " + in_quotes(item.key())};
    }
  }

  static std::vector<byte_run> read_runs(const json& from) {
    std::vector<byte_run> runs;
    runs.reserve(from.size());
    unsigned __int128 end = 0;
    for (const json& item : from) {
      std::array<std::uint64_t, 4> numbers{};
      read(item, numbers);
      const byte_run run{numbers[0], numbers[1], numbers[2], numbers[3]};
      const bool is_sound = run.length > 0 && run.count > 0 &&
                            (run.count == 1 ? run.stride == run.length : run.stride > run.length) &&
                            (runs.empty() || run.offset > end);
      if (!is_sound) throw refused{"a list of byte runs that are empty, unordered or touch each other"};
      end = static_cast<unsigned __int128>(run.stride) * (run.count - 1) + run.offset + run.length;
      if (end > std::numeric_limits<std::uint64_t>::max())
        throw refused{"a byte run that ends beyond 64 bits"};
      runs.push_back(run);
    }
    return runs;
  }

  static byte_set read_bitmap(const json& from) {
    const auto first = from.find("first"), bitmap = from.find("bitmap");
    if (from.size() != 2 || first == from.end() || bitmap == from.end() || !bitmap->is_string()) {
      throw refused{"neither a list of runs nor a bitmap with its first byte"};
    }
    std::uint64_t first_byte = 0;
    read(*first, first_byte);
    const std::string& digits = bitmap->get_ref<const std::string&>();
    std::vector<std::uint64_t> words(digits.size() / 16);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const char* begin = digits.data() + 16 * i;
      const auto [end, error] = std::from_chars(begin, begin + 16, words[i], 16);
      if (error != std::errc() || end != begin + 16) throw refused{"a bitmap that is not hexadecimal"};
    }
    byte_set bytes = byte_set::from_bitmap(first_byte, words);
    if (digits.size() % 16 != 0 || bytes.bitmap() != words || bytes.bitmap_first_byte() != first_byte) {
      throw refused{"a bitmap that is not in its shortest form"};
    }
    return bytes;
  }

  static void read(const json& from, byte_set& into) {
    try {
      if (from.is_object()) {
        into = read_bitmap(from);
        return;
      }
      if (!from.is_array()) throw refused{"not a list of byte runs"};
      const std::vector<byte_run> runs = read_runs(from);
      into = byte_set::from_runs(runs);
      if (into.runs() != runs) throw refused{"a list of byte runs that is not in its shortest form"};
    } catch (const std::invalid_argument& error) {
      throw refused{error.what()};
    }
  }

  template <typename Entry>
  static std::enable_if_t<std::is_class_v<Entry>> read(const json& from, Entry& into) {
    if (!from.is_object()) throw refused{"not an object"};
    read_fields(from, into, line_type::absent);
  }
  template <typename Entry>
  static void read(const json& from, std::vector<Entry>& into) {
    if (!from.is_array()) throw refused{"not a list"};
    into.resize(from.size());
    for (std::size_t i = 0; i < into.size(); ++i) read(from[i], into[i]);
  }
  template <typename Value>
  static void read(const json& from, std::optional<Value>& into) {
    read(from, into.emplace());
  }
};

template <typename Entry>
void append(const json& line, std::vector<Entry>& entries) {
  Entry entry;
  values::read_fields(line, entry, line_type::present);
  if constexpr (requires { entry.id; }) {
    if (entry.id != entries.size() + 1) {
      throw refused{"id " + std::to_string(entry.id) + " where " + std::to_string(entries.size() + 1) +
                    " comes next"};
    }
  }
  entries.push_back(std::move(entry));
}

/// The fields of the header line that are not fields of a struct.
void read_header(const json& line, recording& into) {
  const auto version = line.find("streamlings_recording");
  if (version == line.end()) throw refused{"not a recording of streamlings"};
  if (*version != recording_format_version) {
    throw refused{"stored form " + version->dump() + " is not the known one, " +
                  std::to_string(recording_format_version)};
  }
  std::size_t known = 1;
  const auto field = [&](const char* name, auto& value) {
    const auto found = line.find(name);
    if (found == line.end()) throw refused{"the header lacks " + in_quotes(name)};
    ++known;
    values::read(*found, value);
  };
  std::size_t calls = 0, operations = 0;
  bool has_host_accesses = false;
  field("backend", into.backend);
  field("profile", into.profile);
  field("schedule", into.schedule);
  field("end", into.end);
  field("calls", calls);
  field("operations", operations);
  field("has_host_accesses", has_host_accesses);
  if (known != line.size()) throw refused{"unknown field in the header"};
  into.calls.reserve(std::min(calls, most_reserved));
  into.operations.reserve(std::min(operations, most_reserved));
  if (has_host_accesses) into.host_accesses.emplace();
}

/// Reads one line after the header into the recording. Returns whether it was the end line.
bool read_line(const json& line, recording& into) {
  const auto found = line.find("type");
  if (found == line.end() || !found->is_string()) throw refused{"no 'type'"};
  const std::string& type = found->get_ref<const std::string&>();
  if (type == "operation") {
    append(line, into.operations);
  } else if (type == "call") {
    append(line, into.calls);
  } else if (type == "host_access") {
    if (!into.host_accesses) throw refused{"a host access, although the header says that there are none"};
    append(line, *into.host_accesses);
  } else if (type == "file") {
    const auto path = line.find("path");
    if (path == line.end() || !path->is_string() || line.size() != 2)
      throw refused{"a file without its path"};
    into.files.push_back(path->get<std::string>());
  } else if (type == "device") {
    append(line, into.devices);
  } else if (type == "stream") {
    append(line, into.streams);
  } else if (type == "event") {
    append(line, into.events);
  } else if (type == "allocation") {
    append(line, into.allocations);
  } else if (type == "host_edge") {
    append(line, into.host_edges);
  } else if (type == "diagnostic") {
    append(line, into.diagnostics);
  } else if (type == "mark") {
    append(line, into.marks);
  } else if (type == "end") {
    if (line.size() != 1) throw refused{"unknown field in the end line"};
    if (into.files.empty() || !into.files.front().empty())
      throw refused{"the first file is not the unknown one"};
    if (const auto broken = first_broken_reference(into)) throw refused{*broken};
    return true;
  } else {
    throw refused{"unknown type " + in_quotes(type)};
  }
  return false;
}

}  // namespace

recording read_json(std::istream& in) {
  recording result;
  result.files.clear();
  std::size_t number = 0;
  bool is_whole = false;
  std::string text;
  try {
    while (std::getline(in, text)) {
      ++number;
      if (is_whole) throw refused{"something follows the end line"};
      const json line = json::parse(text, nullptr, false);
      if (!line.is_object()) throw refused{"not a JSON object"};
      if (number == 1) {
        read_header(line, result);
      } else {
        is_whole = read_line(line, result);
      }
    }
    if (!is_whole) {
      ++number;
      throw refused{"the recording is cut off: there is no end line"};
    }
  } catch (const refused& problem) {
    throw std::runtime_error("line " + std::to_string(number) + ": " + problem.reason);
  }
  return result;
}

}  // namespace trace
