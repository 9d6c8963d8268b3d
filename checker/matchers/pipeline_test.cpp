#include "matchers/pipeline.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A run on a device with two copy engines, whose plan names `engines` of them, after `call`.
sample_run run_that(const char* call, std::int64_t engines) {
  sample_run run;
  run.call(call, {0, 1}, 5);
  run.recording().devices = {{.name = "sample", .copy_engines = 2}};
  run.answer().set("engines", engines);
  run.answer().set("device", std::int64_t{0});
  return run;
}

TEST(AsksForCopyEngines, PassesWhenTheDeviceWasAskedAndTheNumberIsRight) {
  EXPECT_EQ(AsksForCopyEngines("make_plan", "engines", "device")
                .match(run_that("cudaDeviceGetAttribute", 2).learner())
                .outcome,
            report::criterion_verdict::pass);
  EXPECT_EQ(AsksForCopyEngines("make_plan", "engines", "device")
                .match(run_that("cudaGetDeviceProperties", 2).learner())
                .outcome,
            report::criterion_verdict::pass);
}

TEST(AsksForCopyEngines, FailsForARightGuess) {
  sample_run run = run_that("cudaGetDevice", 2);
  run.source() = {"async_copy.cu", "\nplan make_plan(int device) {\n", ""};
  const verdict found = AsksForCopyEngines("make_plan", "engines", "device").match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:2");
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("The plan says 2, the device has 2, and it was not asked."));
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(AsksForCopyEngines, FailsForAnotherAttribute) {
  const verdict found = AsksForCopyEngines("make_plan", "engines", "device")
                            .match(run_that("cudaDeviceGetAttribute", 1).learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("The plan says 1, the device has 2"));
}

TEST(AsksForCopyEngines, NamesTheAttributeThatWasAskedFor) {
  sample_run run = run_that("cudaDeviceGetAttribute", 1);
  run.source() = {"async_copy.cu",
                  "// cudaDevAttrAsyncEngineCount\n\nplan make_plan(int device) {\n  int engines = 0;\n"
                  "  cudaDeviceGetAttribute(&engines,\n      cudaDevAttrGpuOverlap, device);\n}\n",
                  ""};
  EXPECT_EQ(AsksForCopyEngines("make_plan", "engines", "device").match(run.learner()).why.observation,
            "The plan says 1, the device has 2, and it was asked for cudaDevAttrGpuOverlap.");
}

TEST(AsksForCopyEngines, FailsForANumberThatFollowsFromAnotherAttribute) {
  const auto judged = [](const std::string& attribute) {
    sample_run run = run_that("cudaDeviceGetAttribute", 2);
    run.source() = {"async_copy.cu",
                    "plan make_plan(int device) {\n\n\n  int n = 0;\n  cudaDeviceGetAttribute(&n, " +
                        attribute + ", device);\n}\n",
                    ""};
    return AsksForCopyEngines("make_plan", "engines", "device").match(run.learner());
  };
  EXPECT_EQ(judged("cudaDevAttrAsyncEngineCount").outcome, report::criterion_verdict::pass);
  const verdict found = judged("cudaDevAttrConcurrentKernels");
  EXPECT_EQ(found.mistake, "wrong_copy_engines");
  EXPECT_EQ(
      found.why.observation,
      "The plan says 2, the device has 2, and it was asked for cudaDevAttrConcurrentKernels. That the numbers agree here is "
      "luck.");
}

TEST(AsksForCopyEngines, FailsForTheAnswerOfAnotherDevice) {
  sample_run run = run_that("cudaDeviceGetAttribute", 2);
  run.recording().devices.push_back({.ordinal = 1, .name = "sample", .copy_engines = 2});
  run.recording().calls.back().asked_device = 0;
  EXPECT_EQ(AsksForCopyEngines("make_plan", "engines", "device").match(run.learner()).outcome,
            report::criterion_verdict::pass);
  run.answer().set("device", std::int64_t{1});
  const verdict found = AsksForCopyEngines("make_plan", "engines", "device").match(run.learner());
  EXPECT_EQ(found.mistake, "device_not_asked");
  EXPECT_EQ(found.why.where, "async_copy.cu:5");
  EXPECT_THAT(found.why.observation, HasSubstr("The plan is for device 1, and device 0 was asked."));
}

TEST(AsksForCopyEngines, IsNotObservableWithoutADevice) {
  sample_run run = run_that("cudaDeviceGetAttribute", 2);
  run.recording().devices.clear();
  const verdict found = AsksForCopyEngines("make_plan", "engines", "device").match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
}

sample_run chunk_by_chunk() {
  sample_run run;
  for (int chunk = 0; chunk < 2; ++chunk) {
    run.copy_to_device(run.lane[chunk], {0, 10}, 11);
    run.kernel(run.lane[chunk], {10, 20}, 12);
    run.copy_to_host(run.lane[chunk], {20, 30}, 13);
  }
  return run;
}

sample_run step_by_step() {
  sample_run run;
  for (int chunk = 0; chunk < 2; ++chunk) run.copy_to_device(run.lane[chunk], {0, 10}, 11);
  for (int chunk = 0; chunk < 2; ++chunk) run.kernel(run.lane[chunk], {10, 20}, 12);
  for (int chunk = 0; chunk < 2; ++chunk) run.copy_to_host(run.lane[chunk], {20, 30}, 13);
  return run;
}

verdict queued(sample_run run, std::int64_t is_breadth_first) {
  run.answer().set("plan.chunks", std::int64_t{2});
  run.answer().set("plan.streams", std::int64_t{2});
  run.answer().set("plan.is_breadth_first", is_breadth_first);
  return QueuesChunks("plan").match(run.learner());
}
verdict queued_depth_first(const sample_run& run) { return queued(run, 0); }
verdict queued_breadth_first(const sample_run& run) { return queued(run, 1); }

TEST(QueuesChunks, TellsTheTwoOrdersApart) {
  EXPECT_EQ(queued_depth_first(chunk_by_chunk()).outcome, report::criterion_verdict::pass);
  EXPECT_EQ(queued_breadth_first(step_by_step()).outcome, report::criterion_verdict::pass);
  EXPECT_EQ(queued_breadth_first(chunk_by_chunk()).outcome, report::criterion_verdict::fail);
  EXPECT_EQ(queued_depth_first(step_by_step()).outcome, report::criterion_verdict::fail);
}

TEST(QueuesChunks, NamesTheOperationThatBreaksTheOrder) {
  sample_run run = chunk_by_chunk();
  const verdict found = queued_breadth_first(run);
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "was queued after work of a later step. All was queued chunk by chunk (depth first), as a plan of the "
          "other order asks for."));
  EXPECT_EQ(found.why.where, "async_copy.cu:11");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(QueuesChunks, TheStreamsTakeTurns) {
  const auto queued_in = [](const std::vector<int>& lanes) {
    sample_run run;
    for (const int lane : lanes) {
      run.copy_to_device(run.lane[lane], {0, 10}, 11);
      run.kernel(run.lane[lane], {10, 20}, 12);
      run.copy_to_host(run.lane[lane], {20, 30}, 13);
    }
    run.answer().set("plan.chunks", static_cast<std::int64_t>(lanes.size()));
    run.answer().set("plan.streams", std::int64_t{2});
    run.answer().set("plan.is_breadth_first", std::int64_t{0});
    return QueuesChunks("plan").match(run.learner());
  };
  EXPECT_EQ(queued_in({0, 1, 0, 1}).outcome, report::criterion_verdict::pass);
  EXPECT_EQ(queued_in({1, 0, 1}).outcome, report::criterion_verdict::pass);
  EXPECT_EQ(queued_in({0, 0, 1, 1}).mistake, "plan_not_followed");
  EXPECT_THAT(queued_in({0, 1, 1, 0}).why.observation,
              HasSubstr("is in stream 3. It is the turn of stream 2."));
  EXPECT_THAT(queued_in({0, 0, 1, 1}).why.observation,
              HasSubstr("already. It is the turn of a stream that has no kernel yet, such as stream 3."));
}

/// Two chunks, and one copy back for both.
sample_run copied_back_at_once() {
  sample_run run;
  for (const int lane : {0, 1}) {
    run.copy_to_device(run.lane[lane], {0, 10}, 11);
    run.kernel(run.lane[lane], {10, 20}, 12);
  }
  run.copy_to_host(run.lane[0], {20, 30}, 13);
  run.answer().set("plan.chunks", std::int64_t{2});
  run.answer().set("plan.streams", std::int64_t{2});
  run.answer().set("plan.is_breadth_first", std::int64_t{1});
  return run;
}

TEST(QueuesChunks, NamesTheFirstOperationInAStreamWithoutKernels) {
  sample_run run;
  for (int chunk = 0; chunk < 2; ++chunk) {
    run.copy_to_device(run.lane[0], {0, 10}, 11);
    run.kernel(run.lane[0], {10, 20}, 12);
    run.copy_to_host(run.lane[chunk], {20, 30}, 13);
  }
  run.answer().set("plan.chunks", std::int64_t{2});
  run.answer().set("plan.streams", std::int64_t{1});
  run.answer().set("plan.is_breadth_first", std::int64_t{0});
  const verdict found = QueuesChunks("plan").match(run.learner());
  EXPECT_EQ(found.mistake, "plan_not_followed");
  EXPECT_THAT(found.why.observation, HasSubstr("in stream 3 is the first in a stream without kernels."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(QueuesChunks, EachChunkHasItsOwnCopyBack) {
  sample_run run = copied_back_at_once();
  const verdict found = QueuesChunks("plan").match(run.learner());
  EXPECT_EQ(found.mistake, "plan_not_followed");
  EXPECT_THAT(found.why.observation, HasSubstr("is for several chunks: 2 kernels were queued"));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(QueuesChunks, ACopyOfWhatOneKernelMadeIsNotForSeveralChunks) {
  for (const bool is_of_both : {false, true}) {
    sample_run run = copied_back_at_once();
    run.touches(5, 2, trace::access_mode::read);
    run.touches(4, 2, trace::access_mode::write);
    if (is_of_both) run.touches(2, 2, trace::access_mode::write);
    EXPECT_EQ(QueuesChunks("plan").match(run.learner()).mistake == "plan_not_followed", is_of_both);
  }
}

TEST(QueuesChunks, ACopyThatFailedIsNotOneForSeveralChunks) {
  sample_run run = copied_back_at_once();
  const trace::call_id refused = run.call("cudaMemcpyAsync", {30, 31}, 14);
  run.recording().calls.at(refused - 1).error_code = 1;
  run.recording().calls.at(refused - 1).error_name = "cudaErrorInvalidValue";
  const verdict found = QueuesChunks("plan").match(run.learner());
  EXPECT_EQ(found.mistake, "failed_call");
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
  EXPECT_THAT(found.why.observation, HasSubstr("(async_copy.cu:14) failed with cudaErrorInvalidValue."));
}

TEST(QueuesChunks, OneChunkHasNoOrder) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 10}, 11);
  run.kernel(run.lane[0], {10, 20}, 12);
  run.copy_to_host(run.lane[0], {20, 30}, 13);
  const verdict found = queued_depth_first(run);
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("Only one kernel was queued"));
}

TEST(QueuesChunks, NothingQueuedFails) {
  const verdict found = queued_depth_first(sample_run());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("No kernel was queued."));
}

// Two chunks, the second so late that all ends at `end`. Serial is 450 us, attainable 261 us.
calibrated_sample_run two_chunks(int end) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 100), 12);
  run.kernel(run.lane[0], run.at(100, 175), 13);
  run.copy_to_host(run.lane[0], run.at(175, 225), 14);
  run.copy_to_device(run.lane[1], run.at(end - 225, end - 125), 12);
  run.kernel(run.lane[1], run.at(end - 125, end - 50), 13);
  run.copy_to_host(run.lane[1], run.at(end - 50, end), 14);
  return run;
}

TEST(ReachesOverlapEfficiency, PassesAndNotesTheShareOfTheGain) {
  calibrated_sample_run run = two_chunks(325);
  const verdict found = ReachesOverlapEfficiency().at_least(0.65).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "0.66, required 0.65: 325 us instead of 450 us");
}

TEST(ReachesOverlapEfficiency, IsTooSlowAndNamesThePauseOfTheBusiestStage) {
  calibrated_sample_run run = two_chunks(400);
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("Yours took 400 us, which gains 26 %."));
  EXPECT_EQ(found.run, report::run_verdict::too_slow);
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_THAT(found.why.observation, HasSubstr("they did from 100 us to 175 us"));
}

TEST(ReachesOverlapEfficiency, JudgesByEventsWhereNothingElseWasRecordedAndDoesNotExplain) {
  calibrated_sample_run run = two_chunks(400);
  run.recording().diagnostics.push_back({trace::diagnostic_kind::not_recorded, "refused", 0, {}});
  verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("Yours took 400 us, which gains 26 %. That is by events"));
  EXPECT_EQ(found.found_in, basis::lengths);
  EXPECT_TRUE(found.compares_with_calibration);
  EXPECT_EQ(found.why.where, "");
  found = ReachesOverlapEfficiency().at_least(0.2).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "0.26, required 0.20: 400 us instead of 450 us, by events");
}

TEST(ReachesOverlapEfficiency, DoesNotJudgeWhereLessIsCopiedThanTheWorkNeeds) {
  calibrated_sample_run run = two_chunks(325);
  for (trace::operation& copy : run.recording().operations)
    if (copy.destination == trace::memory_kind::pinned && copy.stream != run.default_stream)
      copy.bytes = 499'500;
  const verdict found = ReachesOverlapEfficiency().at_least(0.65).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
  EXPECT_THAT(found.note,
              HasSubstr("not all of the work was done, 1.0 KB less than needed was copied to the host"));
}

TEST(ReachesOverlapEfficiency, HasNoOverlapWhenNothingIsGained) {
  calibrated_sample_run run = two_chunks(500);
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("gains nothing"));
  EXPECT_EQ(found.run, report::run_verdict::no_overlap);
}

TEST(ReachesOverlapEfficiency, SaysThatOneChunkCannotOverlap) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 200), 12);
  run.kernel(run.lane[0], run.at(200, 350), 13);
  run.copy_to_host(run.lane[0], run.at(350, 450), 14);
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("All of it is one chunk"));
}

TEST(ReachesOverlapEfficiency, SaysThatTheFirstKernelWasLate) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 200), 12);
  for (int chunk = 0; chunk < 8; ++chunk) {
    run.kernel(run.lane[0], run.at(200 + 20 * chunk, 220 + 20 * chunk), 13);
  }
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("No kernel ran before 200 us"));
}

TEST(ReachesOverlapEfficiency, SaysWhenTheNumberOfChunksIsTheReason) {
  calibrated_sample_run run = two_chunks(325);
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("It has 2 kernels where 8 chunks are best"));
}

TEST(ReachesOverlapEfficiency, FailsWhenNothingWasDone) {
  calibrated_sample_run run;
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("There were no copies and no kernels."));
}

TEST(ReachesOverlapEfficiency, DoesNotBelieveWhatIsFasterThanTheCopies) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 100), 12);
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
}

TEST(ReachesOverlapEfficiency, IsNotObservableWhereLittleCanBeGained) {
  // One engine for both directions, busy from the beginning to the end, and a kernel of no length.
  calibrated_sample_run run(1);
  run.recording().operations.at(2).end = run.recording().operations.at(2).start;
  run.recording().operations.at(3).start = run.recording().operations.at(2).start;
  run.copy_to_device(run.lane[0], run.at(0, 450), 12);
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
}

TEST(ReachesOverlapEfficiency, NamesALaunchThatLeavesRoomEmpty) {
  calibrated_sample_run run;
  run.recording().operations.at(2).grid = {40, 1, 1};  // all of the work, in the serial part
  const auto chunk = [&](int begin) {
    run.copy_to_device(run.lane[0], run.at(begin, begin + 100), 19);
    run.recording().operations.at(run.kernel(run.lane[0], run.at(begin + 100, begin + 300), 20) - 1).grid = {
        1, 1, 1};
    run.copy_to_host(run.lane[0], run.at(begin + 300, begin + 350), 21);
  };
  chunk(0);
  chunk(400);
  const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "room_left_empty");
  EXPECT_THAT(found.why.observation,
              testing::HasSubstr(
                  "in one launch of 40 blocks, which is 150 us: the kernel transform 1 in stream 2 has 1."));
  EXPECT_EQ(found.why.where, "async_copy.cu:20");
}

}  // namespace
}  // namespace matchers
