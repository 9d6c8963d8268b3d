// The reader of recordings has to read any text or refuse it with std::runtime_error, and what it has read has to be
// written and read again as the same recording.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<trace::recording> seen = read(std::string(reinterpret_cast<const char*>(data), size));
  if (!seen) return 0;
  std::ostringstream out;
  trace::write_json(out, *seen);
  if (read(out.str()) != seen) std::abort();
  return 0;
}
