#include "matchers/origin.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using trace::access_mode;

/// Memory `output` is pinned.
class Origin : public ::testing::Test {
 protected:
  static constexpr trace::allocation_id pinned = 1, device = 2;

  Origin() { run.recording().allocations.front().name = "lanes[0].output"; }

  void compute(int line) {
    run.touches(run.kernel(sample_run::lane[0], {100, 200}, line), device, access_mode::write);
  }
  void bring_back(int line) {
    const trace::operation_id copy = run.copy_to_host(sample_run::lane[0], {200, 300}, line);
    run.touches(copy, device, access_mode::read);
    run.touches(copy, pinned, access_mode::write);
  }
  void upload(trace::allocation_id from, int line) {
    const trace::operation_id copy = run.copy_to_device(sample_run::lane[0], {0, 100}, line);
    run.touches(copy, from, access_mode::read);
    run.touches(copy, device, access_mode::write);
  }
  void write_on_the_host(int line) {
    run.host_reads(pinned, line);
    run.recording().host_accesses->back().access.mode = access_mode::write;
  }
  verdict judged() { return ComesFromTheDevice("output").match(run.learner()); }

  sample_run run;
};

TEST_F(Origin, WhatAKernelMadeAndACopyBroughtPasses) {
  compute(10);
  bring_back(11);
  EXPECT_EQ(judged().outcome, report::criterion_verdict::pass);
}

TEST_F(Origin, WhatTheHostWritesBehindTheCopyFailsAtItsLine) {
  compute(10);
  bring_back(11);
  write_on_the_host(13);
  EXPECT_EQ(judged().mistake, "result_of_the_host");
  EXPECT_THAT(judged().why.where, HasSubstr(":13"));
}

TEST_F(Origin, WhatTheHostCopiesOnPasses) {
  run.recording().allocations.push_back(
      {.id = 3, .kind = trace::memory_kind::pageable, .bytes = sample_run::bytes, .name = "result"});
  compute(10);
  bring_back(11);
  run.call("cudaStreamSynchronize", {200, 300}, 11, sample_run::lane[0]);
  run.host_reads(pinned, 12);
  run.host_reads(3, 12);
  run.recording().host_accesses->back().access.mode = access_mode::write;
  EXPECT_EQ(ComesFromTheDevice("result").match(run.learner()).outcome, report::criterion_verdict::pass);
  run.recording().host_accesses->front().where.line = 9;
  EXPECT_EQ(ComesFromTheDevice("result").match(run.learner()).mistake, "result_of_the_host");
}

TEST_F(Origin, WhatTheHostReadsBeforeTheCopyHasComeIsNotCopiedOn) {
  run.recording().allocations.push_back(
      {.id = 3, .kind = trace::memory_kind::pageable, .bytes = sample_run::bytes, .name = "result"});
  run.call("cudaStreamSynchronize", {0, 1}, 9, sample_run::lane[0]);
  run.host_reads(pinned, 10);
  run.host_reads(3, 10);
  run.recording().host_accesses->back().access.mode = access_mode::write;
  compute(11);
  bring_back(12);
  EXPECT_EQ(ComesFromTheDevice("result").match(run.learner()).mistake, "result_of_the_host");
}

TEST_F(Origin, WhatTheHostWritesBeforeTheCopyIsGone) {
  compute(10);
  write_on_the_host(11);
  bring_back(12);
  EXPECT_EQ(judged().outcome, report::criterion_verdict::pass);
}

TEST_F(Origin, ACopyOfWhatTheHostSentFails) {
  upload(pinned, 10);
  bring_back(11);
  EXPECT_THAT(judged().why.where, HasSubstr(":11"));
  EXPECT_THAT(judged().why.observation, HasSubstr("no kernel had written what it brought"));
}

TEST_F(Origin, ACopyBehindWhichAnotherBringsTheResultPasses) {
  upload(pinned, 10);
  bring_back(11);
  compute(12);
  bring_back(13);
  run.recording().operations[2].start = run.recording().operations[2].end = std::chrono::microseconds(310);
  run.recording().operations[3].start = std::chrono::microseconds(320);
  EXPECT_EQ(judged().outcome, report::criterion_verdict::pass);
}

TEST_F(Origin, WhatNoOperationWroteFails) {
  compute(10);
  EXPECT_THAT(judged().why.observation, HasSubstr("No operation of your function wrote into `output`"));
}

TEST_F(Origin, OfMemoryThatTheRecordingDoesNotKnowNothingIsSaid) {
  compute(10);
  EXPECT_EQ(ComesFromTheDevice("result").match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST_F(Origin, WithoutAccessesThatIsSaid) {
  compute(10);
  run.recording().host_accesses.reset();
  EXPECT_EQ(judged().outcome, report::criterion_verdict::pass);
  EXPECT_EQ(judged().note, "whether kernels made them is not recorded");
}

}  // namespace
}  // namespace matchers
