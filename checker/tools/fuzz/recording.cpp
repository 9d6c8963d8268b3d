// The readers of recordings have to read any text, or any bytes, or refuse them with std::runtime_error, and bytes in pieces as at
// once; what they have read has to be written and read again as the same recording, in both forms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trace/recording_bytes.h"
#include "trace/recording_json.h"

namespace {

std::optional<trace::recording> read_text(const std::string& text) {
  std::istringstream in(text);
  try {
    return trace::read_json(in);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::optional<trace::recording> read_bytes(std::string_view bytes, std::size_t piece) {
  trace::bytes_reader reader;
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
      reader.feed(bytes.substr(0, piece));
    return reader.finish();
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool is_bytes = text.starts_with(trace::bytes_format_word);
  const std::optional<trace::recording> recording = is_bytes ? read_bytes(text, size) : read_text(text);
  if (is_bytes && read_bytes(text, 1 + size % 61) != recording) std::abort();
  if (!recording) return 0;
  std::ostringstream json, bytes;
  trace::write_json(json, *recording);
  trace::write_bytes(bytes, *recording);
  if (read_text(json.str()) != recording) std::abort();
  if (read_bytes(bytes.str(), bytes.view().size()) != recording) std::abort();
  return 0;
}
