#include "trace/recording_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "trace/full_recording.h"
#include "trace/recording_json.h"

namespace {

using testing::EndsWith;

std::string bytes_of(const trace::recording& recording) {
  std::ostringstream out;
  trace::write_bytes(out, recording);
  return out.str();
}

trace::recording read(std::string_view bytes, std::size_t piece = std::string::npos) {
  trace::bytes_reader reader;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    reader.feed(bytes.substr(0, piece));
  return reader.finish();
}

std::string refusal_of_recording(std::string_view bytes) {
  try {
    read(bytes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

template <typename Number>
std::string as_bytes(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string block_of(std::uint64_t contents, const std::string& entries) {
  return as_bytes(contents) + as_bytes(std::uint64_t{entries.size()}) + entries;
}

/// Of each_list.
constexpr std::uint64_t files = 1, streams = 5, operations = 9;
/// Fields of an operation.
constexpr std::uint32_t id = 1, kind = 1 << 1, stream = 1 << 2, name = 1 << 4, start = 1 << 7,
                        prints = 1 << 17, accesses = 1 << 25;
const std::string beginning = std::string(trace::bytes_format_word) +
                              block_of(trace::block_header::header, std::string(4, '\0')) +
                              block_of(files, std::string(4, '\0'));

/// What the reader says of a sound recording with those bytes as its first operation.
std::string refusal_of_operation(const std::string& entry) {
  return refusal_of_recording(beginning + block_of(streams, as_bytes(id) + as_bytes(1)) +
                              block_of(operations, entry) + block_of(trace::block_header::end, ""));
}
std::string refusal_of_field(std::uint32_t field, const std::string& value) {
  return refusal_of_operation(as_bytes(id | field) + as_bytes(1) + value);
}

TEST(RecordingBytes, EveryFieldOfEveryStructComesBack) {
  EXPECT_EQ(read(bytes_of(trace::full_recording())), trace::full_recording());
}

TEST(RecordingBytes, ItComesBackFromPiecesOfAnyLength) {
  const std::string bytes = bytes_of(trace::full_recording());
  for (const std::size_t length : {1, 7, 100, 10000})
    EXPECT_EQ(read(bytes, length), trace::full_recording()) << length;
}

TEST(RecordingBytes, EmptyRecordingComesBack) { EXPECT_EQ(read(bytes_of({})), trace::recording()); }

TEST(RecordingBytes, ManyEntriesComeBackFromManyBlocks) {
  trace::recording recording;
  for (trace::stream_id stream_id = 1; stream_id <= 20000; ++stream_id)
    recording.streams.push_back({.id = stream_id});
  EXPECT_EQ(read(bytes_of(recording)), recording);
}

TEST(RecordingBytes, EmptyListsAreNotAbsentLists) {
  trace::recording recording;
  recording.streams.push_back({.id = 1});
  recording.operations.push_back({.id = 1, .stream = 1, .waited_for = std::vector<trace::constraint>()});
  recording.host_accesses.emplace();
  EXPECT_EQ(read(bytes_of(recording)), recording);
}

TEST(RecordingBytes, EveryFormOfAByteSetComesBack) {
  std::vector<trace::byte_run> runs;
  for (std::uint64_t i = 0; i < 9 * trace::byte_set::max_runs; ++i)
    runs.push_back({4 * i + (i * 2654435761 >> 16) % 3, 1, 1, 1});
  trace::recording recording;
  recording.allocations.push_back({.id = 1});
  recording.host_accesses.emplace();
  for (const trace::byte_set& bytes :
       {trace::byte_set(), trace::byte_set::range(5, 6),
        trace::byte_set::from_runs({{0, 4, 8, 3}, {100, 1, 1, 1}}), trace::byte_set::from_runs(runs)}) {
    recording.host_accesses->push_back({.access = {.allocation = 1, .bytes = bytes}});
  }
  ASSERT_FALSE(recording.host_accesses->back().access.bytes.bitmap().empty());
  EXPECT_EQ(read(bytes_of(recording)), recording);
}

TEST(RecordingBytes, TextThatIsNotUtf8IsReplacedAsInJson) {
  trace::recording recording;
  recording.marks.push_back({.name = "a\xff\x01 gr\xc3\xbc\xc3\x9f"});
  std::stringstream json;
  trace::write_json(json, recording);
  const trace::recording again = read(bytes_of(recording));
  EXPECT_EQ(again, trace::read_json(json));
  EXPECT_EQ(again.marks.front().name, "a\xef\xbf\xbd\x01 gr\xc3\xbc\xc3\x9f");
}

TEST(RecordingBytes, CutOffBytesAreRefused) {
  const std::string bytes = bytes_of(trace::full_recording());
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 50)
    EXPECT_EQ(refusal_of_recording(bytes.substr(0, length)), "the recording is cut off") << length;
}

TEST(RecordingBytes, BlocksOutOfOrderAreRefused) {
  const std::string end = block_of(trace::block_header::end, "");
  EXPECT_EQ(refusal_of_recording(beginning + end), "accepted");
  EXPECT_THAT(refusal_of_recording("{\"streamlings_recording\":3}"),
              EndsWith("not a recording of this version"));
  EXPECT_THAT(refusal_of_recording(std::string(trace::bytes_format_word) + end), EndsWith("no header"));
  EXPECT_THAT(refusal_of_recording(beginning + block_of(trace::block_header::header, "")),
              EndsWith("unknown contents"));
  EXPECT_THAT(refusal_of_recording(beginning + block_of(16, "")), EndsWith("unknown contents"));
  EXPECT_THAT(refusal_of_recording(beginning + end + "x"), EndsWith("something follows the end"));
  EXPECT_THAT(refusal_of_recording(beginning + block_of(trace::block_header::end, "x")),
              EndsWith("holds something"));
}

TEST(RecordingBytes, NoLengthIsBelievedBeforeTheBytesAreThere) {
  constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(refusal_of_recording(beginning + as_bytes(operations) + as_bytes(huge)),
              EndsWith("longer than blocks of recordings are"));
  EXPECT_EQ(refusal_of_field(name, as_bytes(huge)), "the recording: operation 1: cut off");
  EXPECT_EQ(refusal_of_field(name, as_bytes(std::uint64_t{2}) + "x"), "the recording: operation 1: cut off");
  EXPECT_EQ(refusal_of_field(accesses, as_bytes(huge)), "the recording: operation 1: cut off");
  const std::string access_of_bytes = as_bytes(std::uint64_t{1}) + as_bytes(1 << 2);
  EXPECT_EQ(refusal_of_field(accesses, access_of_bytes + as_bytes(huge)),
            "the recording: operation 1: cut off");
  EXPECT_EQ(refusal_of_field(accesses, access_of_bytes + as_bytes(std::uint64_t{0}) +
                                           as_bytes(std::uint64_t{0}) + as_bytes(huge)),
            "the recording: operation 1: cut off");
}

TEST(RecordingBytes, ValueThatJsonWouldNotHoldIsRefused) {
  EXPECT_EQ(refusal_of_field(stream, as_bytes(1)), "accepted");
  EXPECT_THAT(refusal_of_field(stream, as_bytes(2)),
              EndsWith("names stream 2, which the recording does not hold"));
  EXPECT_THAT(refusal_of_operation(as_bytes(id) + as_bytes(2)), EndsWith("id 2 where 1 comes next"));
  EXPECT_THAT(refusal_of_operation(as_bytes(id | 1 << 26) + as_bytes(1)), EndsWith("an unknown field"));
  EXPECT_THAT(refusal_of_field(kind, as_bytes(std::uint16_t{11})), EndsWith("a value outside its enum"));
  EXPECT_THAT(refusal_of_field(start, as_bytes(std::int64_t{-1})), EndsWith("a time of more than 104 days"));
  EXPECT_THAT(refusal_of_field(prints, "\2"), EndsWith("neither true nor false"));
  const std::string access_of_bytes = as_bytes(std::uint64_t{1}) + as_bytes(1 << 2);
  const auto of_run = [&](const trace::byte_run& run) {
    return refusal_of_field(accesses, access_of_bytes + as_bytes(std::uint64_t{1}) + as_bytes(run));
  };
  EXPECT_THAT(of_run({0, 4, 4, 0}), EndsWith("empty, unordered or touch each other"));
  EXPECT_THAT(of_run({1, 4, std::uint64_t{1} << 63, 9}), EndsWith("beyond 64 bits"));
  EXPECT_THAT(
      refusal_of_field(accesses, access_of_bytes + as_bytes(std::uint64_t{0}) + as_bytes(std::uint64_t{0}) +
                                     as_bytes(std::uint64_t{1}) + as_bytes(std::uint64_t{0xff})),
      EndsWith("a bitmap that is not in its shortest form"));
}

}  // namespace
