#include "trace/stored_values.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trace/references.h"

namespace trace {
namespace {

/// At most this many entries are made room for on the word of the header.
constexpr std::size_t max_reserved = std::size_t{1} << 20;

void expect_ascending(std::span<const byte_run> runs) {
  unsigned __int128 end = 0;
  for (const byte_run& run : runs) {
    const bool is_sound = run.length > 0 && run.count > 0 &&
                          (run.count == 1 ? run.stride == run.length : run.stride > run.length) &&
                          (&run == runs.data() || run.offset > end);
    if (!is_sound) throw refused{"a list of byte runs that are empty, unordered or touch each other"};
    end = static_cast<unsigned __int128>(run.stride) * (run.count - 1) + run.offset + run.length;
    if (end > std::numeric_limits<std::uint64_t>::max()) throw refused{"a byte run that ends beyond 64 bits"};
  }
}

}  // namespace

byte_set stored_runs(std::span<const byte_run> runs) {
  expect_ascending(runs);
  if (runs.size() == 1 && runs[0].count == 1) return byte_set::range(runs[0].offset, runs[0].length);
  const byte_set bytes = byte_set::from_runs({runs.begin(), runs.end()});
  if (!std::ranges::equal(bytes.runs(), runs))
    throw refused{"a list of byte runs that is not in its shortest form"};
  return bytes;
}

byte_set stored_bitmap(std::uint64_t first_byte, const std::vector<std::uint64_t>& words) {
  byte_set bytes;
  try {
    bytes = byte_set::from_bitmap(first_byte, words);
  } catch (const std::invalid_argument& error) {
    throw refused{error.what()};
  }
  if (!std::ranges::equal(bytes.bitmap(), words) || bytes.bitmap_first_byte() != first_byte)
    throw refused{"a bitmap that is not in its shortest form"};
  return bytes;
}

std::string as_utf8(std::string_view text) {
  using nlohmann::json;
  const bool is_ascii = std::ranges::all_of(text, [](unsigned char letter) { return letter < 0x80; });
  if (is_ascii) return std::string(text);
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

void begin_recording(recording& into, const recording_header& header) {
  into.backend = header.backend;
  into.profile = header.profile;
  into.schedule = header.schedule;
  into.end = header.end;
  into.calls.reserve(std::min(header.calls, max_reserved));
  into.operations.reserve(std::min(header.operations, max_reserved));
  if (header.has_host_accesses) into.host_accesses.emplace();
}

void expect_next_id(std::uint32_t id, std::size_t count) {
  if (id == count + 1) return;
  throw refused{"id " + std::to_string(id) + " where " + std::to_string(count + 1) + " comes next"};
}

void expect_sound(const recording& whole) {
  const auto is_unknown = [](const source_file& file) { return file.path.empty(); };
  if (whole.files.empty() || !is_unknown(whole.files.front()))
    throw refused{"the first file is not the unknown one"};
  if (std::any_of(whole.files.begin() + 1, whole.files.end(), is_unknown))
    throw refused{"a file without its path"};
  if (const auto broken = first_broken_reference(whole)) throw refused{*broken};
}

}  // namespace trace
