#include "exercise/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

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
  const std::string frames = frames_of(part::answer, long_text());
  for (const std::size_t piece_bytes : {std::size_t{997}, std::size_t{65536}, frames.size()}) {
    bool is_whole = false;
    EXPECT_EQ(payload_of(frames, piece_bytes, is_whole), long_text());
    EXPECT_TRUE(is_whole);
  }
}

TEST(Channel, AQueueSendsItsPartsAsTheyAreTaken) {
  int both[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
  exercise::frame_queue queue;
  EXPECT_TRUE(queue.is_empty());
  queue.add(part::settings, {});
  queue.add(part::request, exercise::byte_pieces(long_text()));
  frame_reader reader;
  std::string request, space(50'000, '\0');
  std::vector<part> whole;
  while (!queue.is_empty() || whole.size() < 2) {
    queue.send_some(both[0]);
    const ssize_t length = recv(both[1], space.data(), space.size(), MSG_DONTWAIT);
    if (length > 0) reader.feed(std::string_view(space).substr(0, static_cast<std::size_t>(length)));
    while (const auto next = reader.next()) {
      request += next->payload;
      if (next->is_last) whole.push_back(next->kind);
    }
  }
  EXPECT_EQ(request, long_text());
  EXPECT_EQ(whole, (std::vector<part>{part::settings, part::request}));
  close(both[0]);
  close(both[1]);
}

TEST(Channel, AQueueIsEmptyWhenNobodyReads) {
  int both[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
  close(both[1]);
  exercise::frame_queue queue;
  queue.add(part::request, exercise::byte_pieces(long_text()));
  queue.send_some(both[0]);
  EXPECT_TRUE(queue.is_empty());
  close(both[0]);
}

TEST(Channel, APartFitsIntoOneByteAtATime) {
  bool is_whole = false;
  EXPECT_EQ(payload_of(frames_of(part::answer, "hello"), 1, is_whole), "hello");
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
  reader.feed(frames_of(part::answer, "hello") + "garbage that is longer than the header of a frame");
  EXPECT_TRUE(reader.next().has_value());
  EXPECT_THROW(reader.next(), damaged_channel);
}

TEST(Channel, AFrameThatComesTwiceIsNoticed) {
  frame_reader reader;
  const std::string once = frames_of(part::answer, "hello");
  reader.feed(once + once);
  EXPECT_TRUE(reader.next().has_value());
  EXPECT_THROW(reader.next(), damaged_channel);
}

TEST(Channel, ACutFrameIsNoFrame) {
  const std::string frames = frames_of(part::answer, "hello");
  for (std::size_t length = 1; length < frames.size(); ++length) {
    frame_reader reader;
    reader.feed(std::string_view(frames).substr(0, length));
    EXPECT_FALSE(reader.next().has_value()) << length;
  }
}

TEST(Channel, NoFlippedBitIsBelieved) {
  const std::string frames = frames_of(part::answer, "hello");
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

TEST_F(ChannelOverSockets, WritingToNobodyThrows) {
  exercise::frame_writer writer(ends_[0]);
  close(ends_[1]);
  ends_[1] = -1;
  EXPECT_THROW(writer.write_part(part::answer, "hello"), std::system_error);
}

}  // namespace
