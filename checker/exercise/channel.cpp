#include "exercise/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace exercise {
namespace {

constexpr char magic[4] = {'\xf5', 'S', 'L', '\x1a'};

struct frame_header {
  char magic[4];
  std::uint16_t kind;
  std::uint16_t is_last;
  std::uint32_t sequence;
  std::uint32_t length;
  std::uint64_t checksum;  // of the fields above and the payload
};
static_assert(sizeof(frame_header) == 24, "no padding: the header travels as it is");

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0xff51afd7ed558ccd;
  return sum ^ sum >> 32;
}

std::uint64_t mixed(std::uint64_t sum, std::string_view bytes) {
  const char* next = bytes.data();
  std::size_t left = bytes.size();
  // Four sums side by side: each multiplication waits for the one before it.
  std::array<std::uint64_t, 4> sums{sum, sum + 1, sum + 2, sum + 3}, words;
  for (; left >= sizeof words; next += sizeof words, left -= sizeof words) {
    std::memcpy(words.data(), next, sizeof words);
    for (std::size_t i = 0; i < words.size(); ++i) sums[i] = mixed(sums[i], words[i]);
  }
  for (const std::uint64_t part : sums) sum = mixed(sum, part);
  while (left > 0) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(left, sizeof word);
    std::memcpy(&word, next, taken);
    next += taken;
    left -= taken;
    sum = mixed(sum, word);
  }
  return sum;
}

std::uint64_t checksum_of(const frame_header& header, std::string_view payload) {
  const std::string_view fields(reinterpret_cast<const char*>(&header), offsetof(frame_header, checksum));
  return mixed(mixed(0x9e3779b97f4a7c15, fields), payload);
}

frame_header header_of(part kind, std::string_view payload, bool is_last, std::uint32_t sequence) {
  frame_header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.kind = static_cast<std::uint16_t>(kind);
  header.is_last = is_last ? 1 : 0;
  header.sequence = sequence;
  header.length = static_cast<std::uint32_t>(payload.size());
  header.checksum = checksum_of(header, payload);
  return header;
}

/// Calls write(payload, is_last) for the pieces of a part; an empty part is one empty piece.
template <typename Write>
void for_each_piece(std::string_view bytes, Write write) {
  do {
    const std::string_view piece = bytes.substr(0, max_payload_bytes);
    bytes.remove_prefix(piece.size());
    write(piece, bytes.empty());
  } while (!bytes.empty());
}

}  // namespace

void frame_writer::write(part kind, std::string_view payload, bool is_last, int descriptor) {
  if (payload.size() > max_payload_bytes) throw std::length_error("frame is too long");
  const frame_header header = header_of(kind, payload, is_last, next_sequence_++);
  iovec pieces[2] = {{const_cast<frame_header*>(&header), sizeof header},
                     {const_cast<char*>(payload.data()), payload.size()}};
  msghdr rest{};
  rest.msg_iov = pieces;
  rest.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  if (descriptor >= 0) {
    rest.msg_control = control;
    rest.msg_controllen = sizeof control;
    cmsghdr* const header_of_descriptor = CMSG_FIRSTHDR(&rest);
    header_of_descriptor->cmsg_level = SOL_SOCKET;
    header_of_descriptor->cmsg_type = SCM_RIGHTS;
    header_of_descriptor->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header_of_descriptor), &descriptor, sizeof descriptor);
  }
  while (rest.msg_iovlen > 0) {
    // sendmsg, not send or write: a learner's global variable of that name would take the function's place.
    const ssize_t sent = sendmsg(descriptor_, &rest, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw std::system_error(errno, std::generic_category(), "sending over the private channel");
    rest.msg_control = nullptr;
    rest.msg_controllen = 0;
    std::size_t left = static_cast<std::size_t>(sent);
    while (rest.msg_iovlen > 0 && left >= rest.msg_iov->iov_len) {
      left -= rest.msg_iov->iov_len;
      ++rest.msg_iov;
      --rest.msg_iovlen;
    }
    if (rest.msg_iovlen > 0) {
      rest.msg_iov->iov_base = static_cast<char*>(rest.msg_iov->iov_base) + left;
      rest.msg_iov->iov_len -= left;
    }
  }
}

void frame_writer::write_part(part kind, std::string_view bytes) {
  for_each_piece(bytes, [&](std::string_view piece, bool is_last) { write(kind, piece, is_last); });
}

void append_frame(std::string& bytes, part kind, std::string_view payload, bool is_last,
                  std::uint32_t sequence) {
  const frame_header header = header_of(kind, payload, is_last, sequence);
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += payload;
}

std::string frames_of(part kind, std::string_view bytes, std::uint32_t sequence) {
  std::string frames;
  frames.reserve(bytes.size() + (bytes.size() / max_payload_bytes + 1) * sizeof(frame_header));
  for_each_piece(bytes, [&](std::string_view piece, bool is_last) {
    append_frame(frames, kind, piece, is_last, sequence++);
  });
  return frames;
}

void frame_reader::feed(std::string_view bytes) {
  buffer_.erase(0, used_);
  used_ = 0;
  buffer_ += bytes;
  const std::size_t compared_bytes = std::min(buffer_.size(), sizeof magic);
  if (std::memcmp(buffer_.data(), magic, compared_bytes) != 0)
    throw damaged_channel("something that is not a frame arrived");
}

std::optional<frame> frame_reader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(used_);
  frame_header header;
  if (rest.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, rest.data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0)
    throw damaged_channel("something follows a frame that is not one");
  if (header.length > max_payload_bytes) throw damaged_channel("a frame is longer than frames are");
  if (header.sequence != next_sequence_) throw damaged_channel("a frame is missing or came twice");
  if (rest.size() - sizeof header < header.length) return std::nullopt;
  const std::string_view payload = rest.substr(sizeof header, header.length);
  if (header.checksum != checksum_of(header, payload))
    throw damaged_channel("a frame was changed on its way");
  ++next_sequence_;
  used_ += sizeof header + header.length;
  return frame{static_cast<part>(header.kind), header.is_last != 0, std::string(payload)};
}

part_streambuf::part_streambuf(frame_writer& writer, part kind)
    : writer_(writer), kind_(kind), space_(max_payload_bytes) {
  setp(space_.data(), space_.data() + space_.size());
}

void part_streambuf::close() { writer_.write(kind_, pending(), true); }

part_streambuf::int_type part_streambuf::overflow(int_type character) {
  writer_.write(kind_, pending(), false);
  setp(space_.data(), space_.data() + space_.size());
  if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
  return traits_type::not_eof(character);
}

}  // namespace exercise
