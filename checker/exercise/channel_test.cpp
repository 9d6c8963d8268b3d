#include "exercise/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <ostream>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using exercise::damaged_channel;
using exercise::frame;
using exercise::frame_reader;
using exercise::part;

std::string long_text() {
  std::string text;
  while (text.size() < 3 * exercise::max_payload_bytes) text += std::to_string(text.size()) + "\n";
  return text;
}

/// The payload of all frames that come out when `bytes` are fed in pieces of that size; is_whole: the last
/// came too.
std::string payload_of(std::string_view bytes, std::size_t piece_bytes, bool& is_whole) {
  frame_reader reader;
  std::string payload;
  is_whole = false;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
    reader.feed(bytes.substr(0, piece_bytes));
    while (const auto next = reader.next()) {
      payload += next->payload;
      is_whole = next->is_last;
    }
  }
  return payload;
}

TEST(Channel, APartSurvivesInWhateverPiecesItArrives) {
  const std::string frames = frames_of(part::failure, long_text());
  for (const std::size_t piece_bytes : {std::size_t{997}, std::size_t{65536}, frames.size()}) {
    bool is_whole = false;
    EXPECT_EQ(payload_of(frames, piece_bytes, is_whole), long_text());
    EXPECT_TRUE(is_whole);
  }
}

TEST(Channel, APartFitsIntoOneByteAtATime) {
  bool is_whole = false;
  EXPECT_EQ(payload_of(frames_of(part::failure, "hello"), 1, is_whole), "hello");
  EXPECT_TRUE(is_whole);
}

TEST(Channel, AnEmptyPartIsOneFrame) {
  frame_reader reader;
  reader.feed(frames_of(part::done, ""));
  const auto only = reader.next();
  ASSERT_TRUE(only.has_value());
  EXPECT_EQ(only->kind, part::done);
  EXPECT_TRUE(only->is_last);
  EXPECT_FALSE(reader.next().has_value());
}

TEST(Channel, ForeignBytesAreNoticedAtTheFirstOne) {
  frame_reader reader;
  EXPECT_THROW(reader.feed("g"), damaged_channel);
}

TEST(Channel, ForeignBytesAfterAFrameAreNoticed) {
  frame_reader reader;
  reader.feed(frames_of(part::failure, "hello") + "garbage that is longer than the header of a frame");
  EXPECT_TRUE(reader.next().has_value());
  EXPECT_THROW(reader.next(), damaged_channel);
}

TEST(Channel, AFrameThatComesTwiceIsNoticed) {
  frame_reader reader;
  const std::string once = frames_of(part::failure, "hello");
  reader.feed(once + once);
  EXPECT_TRUE(reader.next().has_value());
  EXPECT_THROW(reader.next(), damaged_channel);
}

TEST(Channel, ACutFrameIsNoFrame) {
  const std::string frames = frames_of(part::failure, "hello");
  for (std::size_t length = 1; length < frames.size(); ++length) {
    frame_reader reader;
    reader.feed(std::string_view(frames).substr(0, length));
    EXPECT_FALSE(reader.next().has_value()) << length;
  }
}

TEST(Channel, NoFlippedBitIsBelieved) {
  const std::string frames = frames_of(part::failure, "hello");
  for (std::size_t bit = 0; bit < frames.size() * 8; ++bit) {
    std::string flipped = frames;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    frame_reader reader;
    try {
      reader.feed(flipped);
      EXPECT_FALSE(reader.next().has_value())
          << "bit " << bit;  // a longer length: still waiting for the rest
    } catch (const damaged_channel&) {
    }
  }
}

class ChannelOverSockets : public testing::Test {
 protected:
  ChannelOverSockets() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) != 0)
      throw std::system_error(errno, std::generic_category());
  }
  ~ChannelOverSockets() override {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }

  std::string received_bytes() {
    std::string bytes;
    char space[1 << 16];
    for (ssize_t length; (length = read(ends_[0], space, sizeof space)) > 0;) bytes.append(space, length);
    return bytes;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(ChannelOverSockets, AStreamTravelsAsOnePart) {
  std::thread sender([&] {
    exercise::frame_writer writer(ends_[1]);
    exercise::part_streambuf buffer(writer, part::recording);
    std::ostream out(&buffer);
    out << long_text();
    buffer.close();
    shutdown(ends_[1], SHUT_WR);
  });
  const std::string bytes = received_bytes();
  sender.join();
  bool is_whole = false;
  EXPECT_EQ(payload_of(bytes, bytes.size(), is_whole), long_text());
  EXPECT_TRUE(is_whole);
}

TEST_F(ChannelOverSockets, ADescriptorTravelsWithAFrame) {
  exercise::frame_writer(ends_[1]).write(part::answer, "", true, ends_[1]);
  char space[64], control[64];
  iovec piece{space, sizeof space};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t length = recvmsg(ends_[0], &header, MSG_CMSG_CLOEXEC);
  ASSERT_GT(length, 0);
  frame_reader reader;
  reader.feed({space, static_cast<std::size_t>(length)});
  EXPECT_EQ(reader.next()->kind, part::answer);
  ASSERT_NE(CMSG_FIRSTHDR(&header), nullptr);
  int came = -1;
  std::memcpy(&came, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof came);
  ASSERT_EQ(send(came, "x", 1, 0), 1);  // it is the other end
  close(came);
  EXPECT_EQ(recv(ends_[0], space, sizeof space, 0), 1);
}

TEST_F(ChannelOverSockets, WritingToNobodyThrows) {
  exercise::frame_writer writer(ends_[0]);
  close(ends_[1]);
  ends_[1] = -1;
  EXPECT_THROW(writer.write_part(part::failure, "hello"), std::system_error);
}

}  // namespace
