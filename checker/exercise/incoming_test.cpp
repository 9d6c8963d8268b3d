#include "exercise/incoming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <sstream>
#include <system_error>

#include "exercise/settings.h"
#include "trace/recording_bytes.h"

namespace {

using exercise::damaged_channel;
using exercise::frame_writer;
using exercise::incoming;
using exercise::part;

/// The bytes that `write` sends.
std::string sent_by(const std::function<void(frame_writer&)>& write) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::system_error(errno, std::generic_category());
  frame_writer writer(ends[1]);
  writer.write_part(part::begun, "");
  write(writer);
  close(ends[1]);
  std::string bytes(1 << 16, '\0');
  bytes.resize(static_cast<std::size_t>(recv(ends[0], bytes.data(), bytes.size(), MSG_WAITALL)));
  close(ends[0]);
  return bytes;
}

/// A frame that says so comes with the memory of the answers, which is handed over before it.
void take_memory(incoming& received, const exercise::byte_pieces& bytes) {
  const int memory = exercise::make_sealed(bytes);
  received.take_answers(memory);
  close(memory);
}

exercise::message small_answer() {
  exercise::message answer;
  answer.set("output", std::vector<float>{1, 2, 3});
  return answer;
}

trace::recording small_recording() {
  trace::recording recording;
  recording.backend = "virtual";
  recording.marks.push_back({"begin:learner", trace::nanoseconds{5}, 0, 0});
  return recording;
}

std::string as_bytes(const trace::recording& recording) {
  std::ostringstream out;
  trace::write_bytes(out, recording);
  return out.str();
}

TEST(Incoming, KeepsTheLatestProgress) {
  incoming received;
  EXPECT_FALSE(received.progress());
  received.feed(sent_by([](frame_writer& writer) {
    for (const std::uint64_t done : {3, 4})
      writer.write_part(
          part::progress,
          exercise::message_of(trace::progress{trace::nanoseconds(7), "scale", done, 9}).encode());
  }));
  ASSERT_TRUE(received.progress());
  EXPECT_EQ(received.progress()->simulated, trace::nanoseconds(7));
  EXPECT_EQ(received.progress()->kernel, "scale");
  EXPECT_EQ(received.progress()->blocks_done, 4u);
  EXPECT_EQ(received.progress()->blocks, 9u);
}

TEST(Incoming, RefusesProgressAfterTheRecordingHasBegun) {
  incoming received;
  EXPECT_THROW(received.feed(sent_by([](frame_writer& writer) {
    writer.write(part::recording, as_bytes(small_recording()).substr(0, 10), false);
    writer.write_part(part::progress, exercise::message_of(trace::progress{}).encode());
  })),
               damaged_channel);
}

TEST(Incoming, PutsAnswerAndRecordingTogether) {
  incoming received;
  take_memory(received, exercise::encode_all({small_answer()}));
  received.feed(sent_by([](frame_writer& writer) {
    writer.write_part(part::answer, "");
    const std::string bytes = as_bytes(small_recording());
    writer.write(part::recording, bytes.substr(0, 10), false);
    writer.write(part::recording, "", false);
    writer.write(part::recording, bytes.substr(10), true);
    writer.write_part(part::done, "");
  }));
  EXPECT_TRUE(received.is_done());
  EXPECT_EQ(received.answers(), std::vector{small_answer()});
  EXPECT_EQ(received.recording(), small_recording());
}

TEST(Incoming, AnAnswerMayBeAbsent) {
  incoming received;
  received.feed(sent_by([](frame_writer& writer) {
    writer.write_part(part::recording, as_bytes(small_recording()));
    writer.write_part(part::done, "");
  }));
  EXPECT_TRUE(received.is_done());
  EXPECT_TRUE(received.answers().empty());
}

TEST(Incoming, AFailureMayCutARecordingOff) {
  incoming received;
  received.feed(sent_by([](frame_writer& writer) {
    writer.write(part::recording, "{", false);
    writer.write_part(part::failure, "fault\nThe host read device memory.");
  }));
  ASSERT_TRUE(received.reason().has_value());
  EXPECT_EQ(received.reason()->kind, "fault");
  EXPECT_EQ(received.reason()->sentence, "The host read device memory.");
  EXPECT_FALSE(received.is_done());
  EXPECT_FALSE(received.recording().has_value());
}

TEST(Incoming, FramesOutOfOrderAreDamage) {
  const std::vector<std::function<void(frame_writer&)>> wrong = {
      [](frame_writer& writer) { writer.write_part(part::done, ""); },
      [](frame_writer& writer) { writer.write_part(static_cast<part>(77), "x"); },
      [](frame_writer& writer) { writer.write_part(part::failure, "no kind"); },
      [](frame_writer& writer) { writer.write_part(part::answer, "x"); },
      [](frame_writer& writer) { writer.write(part::answer, "", false); },
      [](frame_writer& writer) {
        writer.write_part(part::answer, "");
        writer.write_part(part::answer, "");
      },
      [](frame_writer& writer) {
        writer.write_part(part::recording, "x");
        writer.write_part(part::answer, "");
      },
      [](frame_writer& writer) {
        writer.write_part(part::recording, "x");
        writer.write_part(part::done, "");
        writer.write_part(part::done, "");
      },
  };
  for (std::size_t index = 0; index < wrong.size(); ++index) {
    incoming received;
    take_memory(received, exercise::encode_all({small_answer()}));
    EXPECT_THROW(received.feed(sent_by(wrong[index])), damaged_channel) << index;
  }
}

TEST(Incoming, AnAnswerWithoutItsMemoryIsDamage) {
  incoming received;
  EXPECT_THROW(received.feed(sent_by([](frame_writer& writer) { writer.write_part(part::answer, ""); })),
               damaged_channel);
}

TEST(Incoming, MemoryThatComesTwiceOrCouldStillBeChangedIsDamage) {
  incoming twice;
  take_memory(twice, exercise::encode_all({small_answer()}));
  EXPECT_THROW(take_memory(twice, exercise::encode_all({small_answer()})), damaged_channel);
  incoming open;
  EXPECT_THROW(open.take_answers(STDERR_FILENO), damaged_channel);
}

TEST(Incoming, WholeFramesWithForeignContentAreDamage) {
  incoming received;
  exercise::byte_pieces foreign;
  foreign.add("not a message");
  take_memory(received, foreign);
  received.feed(sent_by([](frame_writer& writer) {
    writer.write_part(part::answer, "");
    writer.write_part(part::recording, "not a recording");
  }));
  EXPECT_THROW(received.answers(), damaged_channel);
  EXPECT_THROW(received.recording(), damaged_channel);
}

TEST(Incoming, TheFirstFrameSaysThatTheProgramHasBegun) {
  incoming received;
  EXPECT_FALSE(received.has_begun());
  EXPECT_THROW(received.feed(exercise::frames_of(part::recording, "{")), damaged_channel);
  incoming begun;
  begun.feed(exercise::frames_of(part::begun, ""));
  EXPECT_TRUE(begun.has_begun());
}

TEST(Incoming, AFailureIsAFewSentences) {
  incoming received;
  const std::string without_end(incoming::max_failure_bytes, 'x');
  EXPECT_THROW(received.feed(exercise::frames_of(part::begun, "") +
                             exercise::frames_of(part::failure, "kind\n" + without_end, 1)),
               damaged_channel);
}

TEST(Incoming, WhatIsWrongWithARecordingIsToldWhenItIsAskedFor) {
  incoming received;
  received.feed(sent_by([](frame_writer& writer) {
    writer.write(part::recording, "not a recording\n", false);
    writer.write(part::recording, as_bytes(small_recording()), true);
    writer.write_part(part::done, "");
  }));
  EXPECT_TRUE(received.is_done());
  EXPECT_THROW(received.recording(), damaged_channel);
}

}  // namespace
