#include "report/finding.h"

#include <gtest/gtest.h>

#include "report/findings_json.h"

namespace report {
namespace {

/// A stream that nobody destroys (line 3), and two kernels in two streams that write the same bytes (lines 7, 8).
trace::recording program_with_a_race_and_a_leak() {
  trace::recording recording;
  recording.files.push_back({"/home/me/sum.cu"});
  recording.streams = {
      {.id = 1, .kind = trace::stream_kind::legacy_default}, {.id = 2, .created_by = 1}, {.id = 3}};
  recording.calls = {
      {.id = 1, .function = trace::api_function::cudaStreamCreate, .thread = 1, .where = {1, 3}}};
  recording.allocations = {{.id = 1, .bytes = 64}};
  recording.host_accesses.emplace();
  for (const trace::stream_id stream : {2u, 3u}) {
    const trace::operation_id id = stream - 1;
    recording.calls.push_back({.id = id + 1,
                               .function = trace::api_function::cudaLaunchKernel,
                               .thread = 1,
                               .where = {1, 6 + id},
                               .operation = id});
    recording.operations.push_back({.id = id, .stream = stream, .name = "fill", .issued_by = id + 1});
    recording.operations.back().accesses = {{1, trace::access_mode::write, trace::byte_set::range(0, 64)}};
  }
  return recording;
}

std::vector<finding> findings_in(const trace::recording& recording, analysis::program_end end) {
  return findings_of(recording, analysis::mistakes_in(recording, end));
}

TEST(Finding, RacesComeBeforeMisuseEachWithItsLines) {
  const auto found = findings_in(program_with_a_race_and_a_leak(), analysis::program_end::by_itself);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].category, finding_category::race);
  EXPECT_EQ(found[0].rule, "unordered_accesses");
  EXPECT_EQ(found[0].places, (std::vector<source_place>{{"/home/me/sum.cu", 8}, {"/home/me/sum.cu", 7}}));
  EXPECT_EQ(found[1].category, finding_category::misuse);
  EXPECT_EQ(found[1].rule, "stream_leak");
}

TEST(Finding, PlacesOfOneLineAreOneWithTheirCallers) {
  trace::recording recording = program_with_a_race_and_a_leak();
  recording.callers = {{{{1, 20}}}, {{{1, 21}}}};
  recording.calls[1].where = {1, 7, false, 1};
  recording.calls[2].where = {1, 7, false, 2};
  const auto found = findings_in(recording, analysis::program_end::cut_short);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].places,
            (std::vector<source_place>{
                {"/home/me/sum.cu", 7, {{"/home/me/sum.cu", 21}, {"/home/me/sum.cu", 20}}}}));
}

TEST(Finding, ProgramThatWasCutShortMayLeaveThingsBehind) {
  EXPECT_EQ(findings_in(program_with_a_race_and_a_leak(), analysis::program_end::cut_short).size(), 1u);
}

TEST(Finding, WithoutAccessesNothingIsSaidOfRaces) {
  trace::recording recording = program_with_a_race_and_a_leak();
  for (trace::operation& operation : recording.operations) operation.accesses.reset();
  recording.host_accesses.reset();
  EXPECT_EQ(findings_in(recording, analysis::program_end::cut_short).size(), 0u);
}

TEST(Finding, JsonHoldsAllOfIt) {
  const finding one{finding_category::misuse,
                    "memory_leak",
                    "Memory is never freed",
                    "Say \"free\".",
                    {{"/a.cu", 5, {{"/b.cu", 9}}}}};
  EXPECT_EQ(findings_json({one}), R"({
  "version": 1,
  "findings": [
    {
      "category": "misuse",
      "rule": "memory_leak",
      "title": "Memory is never freed",
      "message": "Say \"free\".",
      "places": [
        {
          "file": "/a.cu",
          "line": 5,
          "called_from": [
            {
              "file": "/b.cu",
              "line": 9
            }
          ]
        }
      ]
    }
  ]
}
)");
}

TEST(Finding, JsonOfARunThatWasEndedSaysWhereThreadsStood) {
  trace::recording recording;
  recording.files = {{}, {"/a.cu"}};
  recording.diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "kernel k: thread 0 was running", 0, {1, 3}}};
  EXPECT_EQ(findings_json({}, standings_of(recording)), R"({
  "version": 1,
  "findings": [],
  "stood": [
    {
      "message": "Kernel k: thread 0 was running.",
      "places": [
        {
          "file": "/a.cu",
          "line": 3
        }
      ]
    }
  ]
}
)");
}

TEST(Finding, JsonOfAProgramThatDidNotRunSaysWhy) {
  EXPECT_EQ(no_findings_json("a.cu:1: error: \xff"),
            "{\n  \"version\": 1,\n  \"error\": \"a.cu:1: error: \xef\xbf\xbd\"\n}\n");
}

}  // namespace
}  // namespace report
