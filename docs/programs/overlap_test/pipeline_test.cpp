#include <gmock/gmock.h>
#include <streamlings/streamlings.h>

using namespace streamlings;

TEST(Pipeline, IsRightUnderEverySchedule) {
  for (const schedule each : {schedule::as_is, schedule::slow_copies, schedule::slow_kernels, schedule::late_pageable}) {
    run_options options;
    options.schedule = each;
    EXPECT_THAT(run_program(PIPELINE, options), Succeeds());
  }
}

TEST(Pipeline, CopiesOverlapKernels) {
  const run pipeline = run_program(PIPELINE);
  EXPECT_THAT(pipeline, HasNoRaces());
  EXPECT_THAT(pipeline, HasNoMisuse());
  EXPECT_THAT(pipeline, Overlaps(copies(), kernels()).at_least(0.6));
  EXPECT_THAT(pipeline, KeepsBusy(kernels("twice")).at_least(0.8));
  EXPECT_THAT(pipeline, HostWaits().at_most(1)) << pipeline.timeline();
}

TEST(Pipeline, OverlapsOnALargeGpuToo) {
  run_options options;
  options.profile = "h200";
  EXPECT_GT(run_program(PIPELINE, options).overlap(copies_to_device(), copies_to_host()), 0.4);
}

// What a failure says: this program copies a chunk back in another stream, so perhaps before it is computed.
TEST(RacyPipeline, IsNamedWithItsLines) {
  const verdict found = HasNoRaces().judge(run_program(RACY_PIPELINE));
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.message, testing::HasSubstr("race: Nothing orders two accesses to the same bytes (pipeline.cu:32, pipeline.cu:30)"));
}
