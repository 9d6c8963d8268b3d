// The checker has to take whatever an exercise program writes into the channel, or refuse it with damaged_channel, and what it
// has taken for a message has to be encoded as the same bytes. Frames have checksums that a fuzzer cannot guess, so the text
// is a list of parts: kind (1 byte), whether it is the last frame (1), length (2), payload; what follows goes in as it is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "exercise/incoming.h"

namespace {

std::string channel_bytes(std::string_view text) {
  constexpr std::size_t header_bytes = 4;
  std::string bytes = exercise::frames_of(exercise::part::begun, "");
  for (std::uint32_t sequence = 1; text.size() >= header_bytes && text[1] < 2; ++sequence) {
    const auto kind = static_cast<exercise::part>(text[0]);
    const bool is_last = text[1] == 1;
    const std::size_t length =
        static_cast<unsigned char>(text[2]) + 256U * static_cast<unsigned char>(text[3]);
    text.remove_prefix(header_bytes);
    const std::string_view payload = text.substr(0, length);
    text.remove_prefix(payload.size());
    exercise::append_frame(bytes, kind, payload, is_last, sequence);
  }
  return bytes.append(text);
}

void require_same_bytes(const std::vector<exercise::message>& messages) {
  const std::string bytes = exercise::encode_all(messages).joined();
  if (exercise::encode_all(exercise::decode_all(bytes)).joined() != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = channel_bytes({reinterpret_cast<const char*>(data), size});
  exercise::incoming received;
  try {
    const std::size_t piece = 1 + size % 61;
    for (std::size_t begin = 0; begin < bytes.size(); begin += piece)
      received.feed(std::string_view(bytes).substr(begin, piece));
    const std::vector<exercise::message> answers = received.answers();
    require_same_bytes(answers);
    received.recording();
  } catch (const exercise::damaged_channel&) {
    return 0;
  }
  return 0;
}
