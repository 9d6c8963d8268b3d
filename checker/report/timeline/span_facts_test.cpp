#include "report/timeline/span_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "report/sample_runs.h"

namespace report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using namespace std::chrono_literals;

/// The facts of that operation, by name.
std::map<std::string, std::string> facts_of_operation(const trace::recording& recording,
                                                      trace::operation_id id) {
  const analysis::part part = analysis::part_of(recording, "");
  const trace::operation& operation = recording.operation_at(id);
  std::map<std::string, std::string> facts;
  span drawn{operation.start, operation.end, activity::kernel, {}, id, 0};
  if (operation.kind == trace::operation_kind::copy) drawn.activity = activity::copy_to_device;
  for (const fact& fact : span_facts(part).of(drawn)) facts[fact.name] = fact.value;
  return facts;
}

TEST(SpanFacts, ACopyTellsItsBytesAndItsRate) {
  sample_run run;
  run.copy_to_device(run.stream(), 0, 10, 110);
  run.recording.operations.back().bytes = 1'000'000;
  const auto facts = facts_of_operation(run.recording, 1);
  EXPECT_EQ(facts.at("bytes"), "1.0 MB, pinned to device memory");
  EXPECT_EQ(facts.at("rate"), "10 GB/s");
  EXPECT_EQ(facts.at("time"), "10 us to 110 us, 100 us long");
}

TEST(SpanFacts, ACopyOfUnknownSizeTellsNeitherBytesNorRate) {
  sample_run run;
  run.copy_to_device(run.stream(), 0, 10, 110);
  const auto facts = facts_of_operation(run.recording, 1);
  EXPECT_THAT(facts, Not(Contains(Key("bytes"))));
  EXPECT_THAT(facts, Not(Contains(Key("rate"))));
}

TEST(SpanFacts, AKernelTellsItsWholeNameAndItsGrid) {
  sample_run run;
  run.kernel("void scale<float>(float*)", run.stream(), 0, 10, 110);
  run.recording.operations.back().grid = {64, 2, 1};
  run.recording.operations.back().block = {256, 1, 1};
  const auto facts = facts_of_operation(run.recording, 1);
  EXPECT_EQ(facts.at("what"), "kernel void scale<float>(float*)");
  EXPECT_EQ(facts.at("grid"), "64 x 2 blocks of 256 threads");
}

TEST(SpanFacts, TheReasonIsTheRecordedOne) {
  sample_run run;
  const trace::stream_id stream = run.stream();
  run.copy_to_device(stream, 0, 10, 110);
  run.kernel("scale", stream, 4, 110, 200);
  run.recording.operations.back().waited_for = {
      {{.kind = trace::constraint_kind::stream_order, .operation = 1, .until = 110us}}};
  const auto facts = facts_of_operation(run.recording, 2);
  EXPECT_THAT(facts.at("why not earlier"), HasSubstr("same stream"));
  EXPECT_THAT(facts.at("why not earlier"), Not(HasSubstr("Probably")));
}

TEST(SpanFacts, AnInferredReasonIsSaidToBeProbable) {
  const trace::recording recording = overlapped_sample();
  EXPECT_THAT(facts_of_operation(recording, 2).at("why not earlier"), HasSubstr("Probably"));
}

TEST(SpanFacts, WaitedForIsWhatTheBackendRecorded) {
  sample_run run;
  run.kernel("scale", 1, 4, 110, 200);
  run.recording.operations.back().waited_for.emplace();
  const analysis::part part = analysis::part_of(run.recording, "");
  EXPECT_THAT(span_facts(part).waited_for(1), IsEmpty());
}

TEST(SpanFacts, ACallThatFailedTellsItsError) {
  sample_run run;
  run.call("cudaMalloc", 0, 10);
  run.recording.calls.back().error_code = 2;
  run.recording.calls.back().error_name = "cudaErrorMemoryAllocation";
  const analysis::part part = analysis::part_of(run.recording, "");
  EXPECT_THAT(span_facts(part).of({0us, 10us, activity::call, {"cudaMalloc"}, 0, 1}),
              Contains(fact{"returned", "cudaErrorMemoryAllocation"}));
}

}  // namespace
}  // namespace report
