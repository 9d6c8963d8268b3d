// Behind an answer, by hostile_test.sh: takes the place of the function that sends what the library recorded, and lets each `advance`
// start when it was issued, so that kernels of one stream seem to run side by side.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace forged_times {

// As exercise/channel.cpp has them.
struct frame_header {
  char magic[4];
  std::uint16_t kind, is_last;
  std::uint32_t sequence, length;
  std::uint64_t checksum;
};
constexpr int recording_part = 4;
constexpr const char* kernel_name = "advance";

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0xff51afd7ed558ccd;
  return sum ^ sum >> 32;
}

std::uint64_t mixed(std::uint64_t sum, const char* next, std::size_t left) {
  std::uint64_t sums[4] = {sum, sum + 1, sum + 2, sum + 3}, words[4];
  for (; left >= sizeof words; next += sizeof words, left -= sizeof words) {
    std::memcpy(words, next, sizeof words);
    for (int i = 0; i < 4; ++i) sums[i] = mixed(sums[i], words[i]);
  }
  for (const std::uint64_t part : sums) sum = mixed(sum, part);
  while (left > 0) {
    std::uint64_t word = 0;
    const std::size_t taken = left < sizeof word ? left : sizeof word;
    std::memcpy(&word, next, taken);
    next += taken;
    left -= taken;
    sum = mixed(sum, word);
  }
  return sum;
}

bool send_frame(int descriptor, frame_header header, const char* payload, std::size_t length) {
  header.length = static_cast<std::uint32_t>(length);
  const std::uint64_t fields = mixed(0x9e3779b97f4a7c15, reinterpret_cast<const char*>(&header), offsetof(frame_header, checksum));
  header.checksum = mixed(fields, payload, length);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(payload, length);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const long more = syscall(SYS_sendto, descriptor, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL, nullptr, 0);
    if (more <= 0) return false;
    sent += static_cast<std::size_t>(more);
  }
  return true;
}

// As trace/recording_bytes.h has them.
struct block_header {
  std::uint64_t contents, length;
};
constexpr std::uint64_t operations = 9;

/// Behind the name of a kernel come the call, when that issued it, and when it started.
void let_kernels_start_at_once(std::string& bytes, std::size_t begin, std::size_t end) {
  const std::uint64_t length = std::strlen(kernel_name);
  const std::string name = std::string(reinterpret_cast<const char*>(&length), sizeof length) + kernel_name;
  for (std::size_t place = bytes.find(name, begin); place < end; place = bytes.find(name, place + 1)) {
    char* const issued = bytes.data() + place + name.size() + sizeof(std::uint32_t);
    std::memcpy(issued + sizeof(std::int64_t), issued, sizeof(std::int64_t));
  }
}

void let_kernels_start_at_once(std::string& bytes) {
  block_header block;
  for (std::size_t place = bytes.find('\n') + 1; place < bytes.size(); place += block.length) {
    std::memcpy(&block, bytes.data() + place, sizeof block);
    place += sizeof block;
    if (block.contents == operations) let_kernels_start_at_once(bytes, place, place + block.length);
  }
}

std::string recording;
std::uint32_t sequence = 0;

}  // namespace forged_times

extern "C" ssize_t sendmsg(int descriptor, const msghdr* message, int) {
  using namespace forged_times;
  std::string bytes;
  for (std::size_t i = 0; i < message->msg_iovlen; ++i)
    bytes.append(static_cast<const char*>(message->msg_iov[i].iov_base), message->msg_iov[i].iov_len);
  frame_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::string payload = bytes.substr(sizeof header);
  if (header.kind == recording_part) {
    recording += payload;
    if (header.is_last == 0) return static_cast<ssize_t>(bytes.size());
    let_kernels_start_at_once(recording);
    payload.swap(recording);
  } else if (sequence == 0) {
    sequence = header.sequence;
  }
  constexpr std::size_t max_payload_bytes = 256 << 10;
  std::size_t sent = 0;
  do {
    const std::size_t length = payload.size() - sent < max_payload_bytes ? payload.size() - sent : max_payload_bytes;
    header.is_last = sent + length == payload.size();
    header.sequence = sequence++;
    if (!send_frame(descriptor, header, payload.data() + sent, length)) return -1;
    sent += length;
  } while (sent < payload.size());
  return static_cast<ssize_t>(bytes.size());
}
