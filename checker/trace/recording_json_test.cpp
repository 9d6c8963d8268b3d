#include "trace/recording_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "trace/full_recording.h"

namespace {

using std::chrono::nanoseconds;
using testing::HasSubstr;

std::string written(const trace::recording& recording) {
  std::ostringstream out;
  trace::write_json(out, recording);
  return out.str();
}

trace::recording reread(const std::string& text) {
  std::istringstream in(text);
  return trace::read_json(in);
}

std::string refusal(const std::string& text) {
  try {
    reread(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string header =
    R"({"streamlings_recording":3,"backend":"virtual","profile":"","schedule":"as-is","end":0,"calls":0,"operations":0,"has_host_accesses":true})"
    "\n"
    R"({"type":"file"})"
    "\n";

/// What the reader says when `line` is the third line of an otherwise sound recording.
std::string refusal_of_line(const std::string& line) {
  return refusal(header + line + "\n{\"type\":\"end\"}\n");
}

std::string refusal_of_bytes(const std::string& bytes) {
  return refusal_of_line(R"({"type":"host_access","access":{"bytes":)" + bytes + "}}");
}

TEST(RecordingJson, EveryFieldOfEveryStructComesBack) {
  const trace::recording recording = trace::full_recording();
  EXPECT_EQ(reread(written(recording)), recording);
}

TEST(RecordingJson, EmptyRecordingComesBack) { EXPECT_EQ(reread(written({})), trace::recording()); }

TEST(RecordingJson, EmptyListsAreNotAbsentLists) {
  trace::recording recording;
  recording.streams.push_back({.id = 1});
  recording.operations.push_back({.id = 1, .stream = 1});
  recording.operations.push_back({.id = 2,
                                  .stream = 1,
                                  .waited_for = std::vector<trace::constraint>(),
                                  .accesses = std::vector<trace::access>()});
  recording.host_accesses.emplace();
  EXPECT_EQ(reread(written(recording)), recording);
}

TEST(RecordingJson, BitmapsComeBack) {
  std::vector<std::uint64_t> words(1 << 14);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0x9e3779b97f4a7c15u * (i + 1);
  trace::recording recording;
  recording.allocations.push_back({.id = 1, .bytes = 1 << 20});
  recording.host_accesses.emplace().push_back(
      {.access = {1, trace::access_mode::read, trace::byte_set::from_bitmap(64, words)}});
  ASSERT_FALSE(recording.host_accesses->front().access.bytes.bitmap().empty());
  EXPECT_EQ(reread(written(recording)), recording);
}

TEST(RecordingJson, EveryWordIsWrittenAsTheEnumeratorIsCalled) {
  trace::recording recording;
  const auto last = static_cast<int>(trace::operation_kind::graph_launch);
  for (int kind = 0; kind <= last; ++kind) {
    trace::operation operation{
        .id = static_cast<unsigned>(kind) + 1, .kind = static_cast<trace::operation_kind>(kind), .stream = 1};
    for (int reason = 0; kind == last && reason <= static_cast<int>(trace::constraint_kind::completion);
         ++reason) {
      if (reason == 0) operation.waited_for.emplace();
      operation.waited_for->push_back({.kind = static_cast<trace::constraint_kind>(reason)});
    }
    if (kind < 4) operation.source = static_cast<trace::memory_kind>(kind);
    recording.operations.push_back(operation);
  }
  for (unsigned kind = 0; kind < 3; ++kind)
    recording.streams.push_back({.id = kind + 1, .kind = static_cast<trace::stream_kind>(kind)});
  const std::string text = written(recording);
  EXPECT_EQ(text.substr(text.find("{\"type\":\"stream\"")),
            R"({"type":"stream","id":1,"kind":"legacy_default"}
{"type":"stream","id":2,"kind":"per_thread_default"}
{"type":"stream","id":3}
{"type":"operation","id":1,"stream":1,"source":"pageable"}
{"type":"operation","id":2,"kind":"copy","stream":1,"source":"pinned"}
{"type":"operation","id":3,"kind":"memset","stream":1,"source":"device"}
{"type":"operation","id":4,"kind":"event_record","stream":1,"source":"managed"}
{"type":"operation","id":5,"kind":"event_wait","stream":1}
{"type":"operation","id":6,"kind":"host_function","stream":1}
{"type":"operation","id":7,"kind":"graph_launch","stream":1,"waited_for":[{},{"kind":"stream_order"},{"kind":"event"},{"kind":"legacy_default"},{"kind":"engine_busy"},{"kind":"work_queue"},{"kind":"no_room"},{"kind":"staging"},{"kind":"withheld_signal"},{"kind":"implicit_synchronization"},{"kind":"graph_edge"},{"kind":"completion"}]}
{"type":"end"}
)");
  EXPECT_EQ(reread(text), recording);
}

/// A launch of a graph with two nodes, the second after the first, and a kernel behind it.
trace::recording graph_recording() {
  trace::recording recording;
  recording.streams.push_back({.id = 1});
  recording.calls.push_back({.id = 1, .function = trace::api_function::cudaMemsetAsync});
  recording.operations.push_back({.id = 1, .kind = trace::operation_kind::graph_launch, .stream = 1});
  recording.operations.push_back({.id = 2, .stream = 1, .graph_launch = 1, .defined_by = 1});
  recording.operations.push_back({.id = 3, .stream = 1, .graph_launch = 1, .after = {2}});
  recording.operations.push_back({.id = 4, .stream = 1});
  return recording;
}

TEST(RecordingJson, GraphLaunchesComeBack) {
  const trace::recording recording = graph_recording();
  const std::string text = written(recording);
  EXPECT_THAT(text, HasSubstr(R"({"type":"operation","id":2,"stream":1,"graph_launch":1,"defined_by":1})"));
  EXPECT_THAT(text, HasSubstr(R"({"type":"operation","id":3,"stream":1,"graph_launch":1,"after":[2]})"));
  EXPECT_EQ(reread(text), recording);
}

TEST(RecordingJson, EdgesOutsideAGraphLaunchAreRefused) {
  const auto refusal_with = [](auto change) {
    trace::recording recording = graph_recording();
    change(recording.operations);
    return refusal(written(recording));
  };
  EXPECT_THAT(refusal_with([](auto& operations) { operations[2].after = {3}; }),
              HasSubstr("operation 3 names as its graph node operation 3, which does not come before it"));
  EXPECT_THAT(refusal_with([](auto& operations) { operations[2].after = {1}; }),
              HasSubstr("operation 3 depends on operation 1, which is not of the same graph launch"));
  EXPECT_THAT(refusal_with([](auto& operations) { operations[3].after = {2}; }),
              HasSubstr("operation 4 depends on nodes of a graph but is none"));
  EXPECT_THAT(refusal_with([](auto& operations) { operations[3].graph_launch = 2; }),
              HasSubstr("operation 4 names operation 2, which is no graph launch"));
  EXPECT_THAT(refusal_with([](auto& operations) { operations[1].graph_launch = 0; }),
              HasSubstr("operation 3 does not follow the other nodes of its graph launch"));
  EXPECT_THAT(refusal_with([](auto& operations) { operations[1].defined_by = 9; }),
              HasSubstr("operation 2 names call 9, which the recording does not hold"));
}

TEST(RecordingJson, TextThatIsNotUtf8IsReplacedAndNotRefused) {
  trace::recording recording;
  recording.files.push_back({"/home/jos\xe9/a.cu"});
  EXPECT_EQ(reread(written(recording)).files.at(1).path, "/home/jos\xef\xbf\xbd/a.cu");
}

TEST(RecordingJson, TextLongerThanTheBufferOfTheWriterComesBack) {
  for (const std::size_t length : {65'535u, 65'536u, 200'000u}) {
    trace::recording recording;
    recording.files.push_back({std::string(length, 'a') + '"'});
    EXPECT_EQ(reread(written(recording)), recording) << length;
  }
}

TEST(RecordingJson, CutOffFileIsNoticedAtEveryLine) {
  const std::string text = written(trace::full_recording());
  std::size_t lines = 0;
  for (std::size_t end = text.find('\n'); end != text.size() - 1; end = text.find('\n', end + 1)) {
    ++lines;
    EXPECT_EQ(refusal(text.substr(0, end + 1)),
              "line " + std::to_string(lines + 1) + ": the recording is cut off: there is no end line");
  }
  EXPECT_GT(lines, 500u);
  EXPECT_EQ(refusal(""), "line 1: the recording is cut off: there is no end line");
}

TEST(RecordingJson, CutOffLineIsNoticedAtEveryByteOfIt) {
  const std::string text = written(trace::full_recording());
  const std::size_t begin = text.find("\n{\"type\":\"operation\",\"id\":100,") + 1,
                    end = text.find('\n', begin);
  for (std::size_t length = begin + 1; length < end; ++length) {
    ASSERT_THAT(refusal(text.substr(0, length)), HasSubstr(": not a JSON object"));
  }
}

TEST(RecordingJson, OtherVersionIsRefused) {
  EXPECT_EQ(refusal("{\"streamlings_recording\":1}\n"), "line 1: stored form 1 is not the known one, 3");
  EXPECT_EQ(
      refusal("{\"streamlings_recording\":2}\n"),
      "line 1: stored form 2 is not the known one, 3; checker/tools/convert_recording_2_to_3.py converts it");
  EXPECT_EQ(refusal("{\"lesson\":3}\n"), "line 1: not a recording of streamlings");
  EXPECT_EQ(refusal("hello\n"), "line 1: not a JSON object");
}

TEST(RecordingJson, LineThatWriteJsonWouldNotWriteIsRefusedWithItsNumber) {
  EXPECT_EQ(refusal_of_line(R"({"type":"graph"})"), "line 3: unknown type 'graph'");
  EXPECT_EQ(refusal_of_line(R"({"id":1})"), "line 3: no 'type'");
  EXPECT_EQ(refusal_of_line(R"([1])"), "line 3: not a JSON object");
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","id":2})"), "line 3: id 2 where 1 comes next");
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","id":1,"colour":1})"), "line 3: unknown field 'colour'");
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","id":1,"kind":"graph"})"),
            "line 3: 'kind' is unknown word 'graph'");
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","id":1,"kind":"copy","kind":"copy"})"),
            "line 3: 'kind' is there twice");
  EXPECT_EQ(refusal_of_line(R"({"type":"file"})"
                            "\n"
                            R"({"type":"end"})"),
            "line 4: a file without its path");
  EXPECT_EQ(refusal_of_line(R"({"id":1,"type":"operation"})"), "line 3: no 'type'");
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","colour":1)"), "line 3: not a JSON object");
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","id":1}})"), "line 3: not a JSON object");
  EXPECT_EQ(refusal_of_line(R"({"type":"end","id":1})"), "line 3: unknown field in the end line");
  EXPECT_EQ(refusal_of_line(R"({"type":"end"})"), "line 4: something follows the end line");
}

TEST(RecordingJson, ValueOfTheWrongTypeIsRefused) {
  const auto of_operation = [](const std::string& field) {
    return refusal_of_line(R"({"type":"operation","id":1,)" + field + "}");
  };
  EXPECT_EQ(of_operation(R"("stream":"1")"), "line 3: 'stream' is not a whole number from 0");
  EXPECT_EQ(of_operation(R"("stream":-1)"), "line 3: 'stream' is not a whole number from 0");
  EXPECT_EQ(of_operation(R"("stream":1.5)"), "line 3: 'stream' is not a whole number from 0");
  EXPECT_EQ(of_operation(R"("stream":4294967296)"), "line 3: 'stream' is too large");
  EXPECT_EQ(of_operation(R"("priority":3000000000)"), "line 3: 'priority' is too large");
  EXPECT_EQ(of_operation(R"("priority":-3000000000)"), "line 3: 'priority' is too large");
  EXPECT_EQ(of_operation(R"("start":-5)"), "line 3: 'start' is not a whole number from 0");
  EXPECT_EQ(of_operation(R"("start":9007199254740993)"), "line 3: 'start' is a time of more than 104 days");
  EXPECT_EQ(of_operation(R"("name":7)"), "line 3: 'name' is not a text");
  EXPECT_EQ(of_operation(R"("grid":[1,2])"), "line 3: 'grid' is not a list of 3 numbers");
  EXPECT_EQ(of_operation(R"("accesses":{})"), "line 3: 'accesses' is not a list");
  EXPECT_EQ(of_operation(R"("accesses":[7])"), "line 3: 'accesses' is not an object");
  EXPECT_EQ(of_operation(R"("accesses":[{"type":"end"}])"), "line 3: 'accesses' is unknown field 'type'");
  EXPECT_EQ(refusal_of_line(R"({"type":"event","id":1,"has_timing":0})"),
            "line 3: 'has_timing' is neither true nor false");
}

TEST(RecordingJson, ByteSetsThatAreNotInTheirShortestFormAreRefused) {
  EXPECT_THAT(refusal_of_bytes("[[0,0,0,1]]"), HasSubstr("empty, unordered or touch"));
  EXPECT_THAT(refusal_of_bytes("[[0,4,4,0]]"), HasSubstr("empty, unordered or touch"));
  EXPECT_THAT(refusal_of_bytes("[[8,4,4,1],[0,4,4,1]]"), HasSubstr("empty, unordered or touch"));
  EXPECT_THAT(refusal_of_bytes("[[0,1,2,1000000000000000000],[1,1,2,1000000000000000000]]"),
              HasSubstr("unordered"));
  EXPECT_THAT(refusal_of_bytes("[[0,4,4,1],[8,4,4,1]]"), HasSubstr("not in its shortest form"));
  EXPECT_THAT(refusal_of_bytes("[[1,4,18446744073709551615,18446744073709551615]]"),
              HasSubstr("beyond 64 bits"));
  EXPECT_THAT(refusal_of_bytes("[[1,2,3]]"), HasSubstr("not a list of 4 numbers"));
  EXPECT_THAT(refusal_of_bytes("7"), HasSubstr("not a list of byte runs"));
  EXPECT_THAT(refusal_of_bytes("{}"), HasSubstr("neither a list of runs nor a bitmap"));
  EXPECT_THAT(refusal_of_bytes(R"({"first":0,"bitmap":"00000000000000ff"})"),
              HasSubstr("not in its shortest form"));
  EXPECT_THAT(refusal_of_bytes(R"({"first":0,"bitmap":"xyz0000000000000"})"), HasSubstr("not hexadecimal"));
  EXPECT_THAT(refusal_of_bytes(R"({"first":18446744073709551615,"bitmap":"0000000000000001"})"),
              HasSubstr("beyond 64 bits"));
}

TEST(RecordingJson, IdThatNamesNothingIsRefused) {
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","id":1,"stream":12})"),
            "line 4: operation 1 names stream 12, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"operation","id":1})"),
            "line 4: operation 1 names stream 0, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"call","id":1,"where":[1,5]})"),
            "line 4: call 1 names file 1, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"call","id":1,"where":[0,5,0,2]})"),
            "line 4: call 1 names callers 2, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"callers","lines":[[1,5]]})"),
            "line 4: callers 1 names file 1, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"stream","id":1})"
                            "\n"
                            R"({"type":"operation","id":1,"kind":"event_wait","stream":1,"captured":1})"),
            "line 5: operation 1 captured operation 1, which is not an event record");
  EXPECT_EQ(refusal_of_line(R"({"type":"stream","id":1})"
                            "\n"
                            R"({"type":"operation","id":1,"kind":"event_record","stream":1,"captured":1})"),
            "line 5: operation 1 captured operation 1, which was issued later");
  EXPECT_EQ(refusal_of_line(R"({"type":"host_access","access":{}})"),
            "line 4: host access 1 names allocation 0, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"host_edge","to_after":3})"),
            "line 4: host edge 1 names call 3, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"host_edge","where":[1,5,1]})"),
            "line 4: host edge 1 names file 1, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(R"({"type":"mark","where":[1,5,1]})"),
            "line 4: mark 1 names file 1, which the recording does not hold");
}

TEST(RecordingJson, DevicesThatTheMachineDoesNotHaveAreRefused) {
  for (const char* kind : {"stream", "event", "allocation", "call"}) {
    const std::string start = R"({"type":")" + std::string(kind) + R"(","id":1)";
    EXPECT_EQ(refusal_of_line(start + R"(,"device":0})"), "accepted") << kind;
    EXPECT_EQ(
        refusal_of_line(start + R"(,"device":4000000000})"),
        "line 4: " + std::string(kind) + " 1 names device 4000000000, which the recording does not hold");
  }
  const std::string stream = "{\"type\":\"stream\",\"id\":1}\n";
  EXPECT_EQ(refusal_of_line(stream + R"({"type":"operation","id":1,"stream":1,"device":1})"),
            "line 5: operation 1 names device 1, which the recording does not hold");
  EXPECT_EQ(refusal_of_line("{\"type\":\"device\"}\n{\"type\":\"device\",\"ordinal\":1}\n" + stream +
                            R"({"type":"operation","id":1,"stream":1,"device":1})"),
            "accepted");
}

TEST(RecordingJson, MultiprocessorsThatTheDeviceDoesNotHaveAreRefused) {
  const std::string start =
      "{\"type\":\"device\",\"multiprocessors\":4}\n{\"type\":\"stream\",\"id\":1}\n"
      "{\"type\":\"operation\",\"id\":1,\"stream\":1}\n";
  EXPECT_EQ(
      refusal_of_line(start + R"({"type":"residency","operation":1,"multiprocessor":2,"multiprocessors":2})"),
      "accepted");
  EXPECT_EQ(
      refusal_of_line(start + R"({"type":"residency","operation":1,"multiprocessor":2,"multiprocessors":3})"),
      "line 7: residency 1 names multiprocessor 5, which the recording does not hold");
  EXPECT_EQ(refusal_of_line(start + R"({"type":"residency"})"),
            "line 7: residency 1 names operation 0, which the recording does not hold");
}

}  // namespace
