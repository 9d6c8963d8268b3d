// The checker has to take whatever an exercise program writes into the channel, or refuse it with damaged_channel, and what it
// has taken for a message has to be encoded as the same bytes. Frames have checksums that a fuzzer cannot guess, so the text
// is a list of parts: kind (1 byte), whether it is the last frame (1), length (2), payload; what follows goes in as it is. The
// payload of an answer goes into the memory that comes with it.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exercise/incoming.h"

namespace {

void take_memory(exercise::incoming& received, std::string_view content) {
  exercise::byte_pieces pieces;
  pieces.add(content);
  const int memory = exercise::make_sealed(pieces);
  try {
    received.take_answers(memory);
  } catch (const exercise::damaged_channel&) {
    close(memory);
    throw;
  }
  close(memory);
}

std::string channel_bytes(std::string_view text, exercise::incoming& received) {
  constexpr std::size_t header_bytes = 4;
  std::string bytes = exercise::frames_of(exercise::part::begun, "");
  for (std::uint32_t sequence = 1; text.size() >= header_bytes && text[1] < 2; ++sequence) {
    const auto kind = static_cast<exercise::part>(text[0]);
    const bool is_last = text[1] == 1;
    const std::size_t length =
        static_cast<unsigned char>(text[2]) + 256U * static_cast<unsigned char>(text[3]);
    text.remove_prefix(header_bytes);
    std::string_view payload = text.substr(0, length);
    text.remove_prefix(payload.size());
    if (kind == exercise::part::answer) take_memory(received, std::exchange(payload, {}));
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
  exercise::incoming received;
  try {
    const std::string bytes = channel_bytes({reinterpret_cast<const char*>(data), size}, received);
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
