// The reader of recordings has to read any text or refuse it with std::runtime_error, whether it comes at
// once or in pieces, and what it has read has to be written and read again as the same recording.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trace/recording_json.h"

namespace {

std::optional<trace::recording> read(const std::string& text) {
  std::istringstream in(text);
  try {
    return trace::read_json(in);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::optional<trace::recording> read_in_pieces(const std::string& text, std::size_t length) {
  trace::recording_reader reader;
  try {
    for (std::size_t begin = 0; begin < text.size(); begin += length) {
      reader.feed(std::string_view(text).substr(begin, length));
    }
    return reader.finish();
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::optional<trace::recording> recording = read(text);
  if (read_in_pieces(text, 1 + size % 61) != recording) std::abort();
  if (!recording) return 0;
  std::ostringstream out;
  trace::write_json(out, *recording);
  if (read(out.str()) != recording) std::abort();
  return 0;
}
