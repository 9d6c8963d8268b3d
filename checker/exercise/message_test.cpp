#include "exercise/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "exercise/settings.h"

namespace {

using exercise::message;
using testing::ElementsAre;
using testing::IsEmpty;

message example() {
  message sample;
  sample.set("elements", std::int64_t{1000});
  sample.set("scale", 2.5);
  sample.set("name", std::string("axpy\0\n", 6));
  sample.set("bytes", std::vector<std::uint8_t>{0, 255, 7});
  sample.set("indices", std::vector<std::int32_t>{-1, 5});
  sample.set("offsets", std::vector<std::int64_t>{});
  sample.set("input", std::vector<float>{1.5F, -2.0F, 3.25F});
  sample.set("exact", std::vector<double>{0.1});
  return sample;
}

TEST(Message, SurvivesTheRoundTrip) { EXPECT_EQ(message::decode(example().encode()), example()); }

TEST(Message, KnowsItsSize) {
  EXPECT_EQ(example().encoded_size(), example().encode().size());
  EXPECT_EQ(message().encoded_size(), message().encode().size());
}

TEST(Message, AnEmptyMessageSurvivesTheRoundTrip) {
  EXPECT_EQ(message::decode(message().encode()), message());
}

TEST(Message, GivesEachValueByNameAndType) {
  const message sample = message::decode(example().encode());
  EXPECT_EQ(sample.integer("elements"), 1000);
  EXPECT_EQ(sample.number("scale"), 2.5);
  EXPECT_EQ(sample.number("elements"), 1000.0);
  EXPECT_EQ(sample.text("name").size(), 6U);
  EXPECT_THAT(sample.values<float>("input"), ElementsAre(1.5F, -2.0F, 3.25F));
  EXPECT_THAT(sample.values<std::int64_t>("offsets"), IsEmpty());
}

TEST(Message, ANameThatIsMissingOrOfAnotherTypeThrows) {
  const message sample = example();
  EXPECT_THROW(sample.integer("nothing"), exercise::missing_name);
  EXPECT_THROW(sample.integer("scale"), exercise::missing_name);
  EXPECT_THROW(sample.number("name"), exercise::missing_name);
  EXPECT_THROW(sample.text("elements"), exercise::missing_name);
  EXPECT_THROW(sample.values<double>("input"), exercise::missing_name);
}

TEST(Message, KnowsWhichNamesNobodyHasRead) {
  message sample;
  sample.set("elements", std::int64_t{1});
  sample.set("input", std::vector<float>{1});
  sample.set("scale", 1.0);
  sample.integer("elements");
  EXPECT_TRUE(sample.has("input"));
  EXPECT_THROW(sample.integer("scale"), exercise::missing_name);
  EXPECT_THAT(sample.unread_names(), ElementsAre("input", "scale"));
  sample.values<float>("input");
  sample.number("scale");
  EXPECT_THAT(sample.unread_names(), IsEmpty());
}

TEST(Message, EveryTruncationIsRefused) {
  const std::string bytes = example().encode();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(message::decode(std::string_view(bytes).substr(0, length)), std::runtime_error) << length;
  }
}

TEST(Message, BytesAfterTheEndAreRefused) {
  EXPECT_THROW(message::decode(example().encode() + "x"), std::runtime_error);
}

// A flipped bit may still be a message (another number), but then it is one that encodes to the same bytes again.
TEST(Message, EveryFlippedBitIsRefusedOrIsAnotherMessage) {
  const std::string bytes = example().encode();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    try {
      EXPECT_EQ(message::decode(flipped).encode(), flipped) << "bit " << bit;
    } catch (const std::runtime_error&) {
    }
  }
}

TEST(Message, ALengthBeyondTheBytesThatAreThereIsNotBelieved) {
  message sample;
  sample.set("input", std::vector<double>{1.0});
  std::string bytes = sample.encode();
  for (std::size_t position = bytes.size() - 16; position < bytes.size() - 8; ++position)
    bytes[position] = '\x7f';
  EXPECT_THROW(message::decode(bytes), std::runtime_error);
}

TEST(Digest, EveryByteCounts) {
  const std::string text(37, 'a');
  std::set<std::int64_t> digests{exercise::digest(text.data(), text.size())};
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = 'b';
    digests.insert(exercise::digest(other.data(), other.size()));
  }
  EXPECT_EQ(digests.size(), text.size() + 1);
}

TEST(Digest, LengthCounts) {
  const std::string zeros(16, '\0');
  EXPECT_NE(exercise::digest(zeros.data(), 8), exercise::digest(zeros.data(), 16));
  EXPECT_NE(exercise::digest(zeros.data(), 0), exercise::digest(zeros.data(), 1));
}

TEST(Digest, PlaceInMemoryDoesNotCount) {
  const std::string text = "xthe same bytes", other = "the same bytes";
  EXPECT_EQ(exercise::digest(text.data() + 1, other.size()), exercise::digest(other.data(), other.size()));
}

TEST(Messages, SeveralTravelTogether) {
  message one, other;
  one.set("elements", std::int64_t{7});
  other.set("input", std::vector<float>{1, 2});
  EXPECT_EQ(exercise::decode_all(exercise::encode_all({one, other}).joined()), (std::vector{one, other}));
  EXPECT_THROW(exercise::decode_all(exercise::encode_all({one}).joined() + "x"), std::runtime_error);
}

TEST(Messages, SettingsArriveAsTheyWereSent) {
  trace::backend_settings sent{"h200.json", trace::schedule_kind::slow_copies, 2};
  EXPECT_FALSE(exercise::settings_of(exercise::message_of(sent)).variables);
  sent.variables = {.work_queues = 4, .launches_block = true};
  const trace::backend_settings received = exercise::settings_of(exercise::message_of(sent));
  EXPECT_EQ(received.profile, "h200.json");
  EXPECT_EQ(received.schedule, trace::schedule_kind::slow_copies);
  EXPECT_EQ(received.devices, 2u);
  ASSERT_TRUE(received.variables);
  EXPECT_EQ(received.variables->work_queues, 4u);
  EXPECT_TRUE(received.variables->launches_block);
}

}  // namespace
