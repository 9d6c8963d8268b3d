#include "matchers/is_ordered.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"
#include "report/wording/place_text.h"

namespace matchers {
namespace {

using testing::HasSubstr;

// A kernel writes the device buffer in one stream; the copy back reads it in `second`.
sample_run kernel_then_copy_in(trace::stream_id second) {
  sample_run run;
  const auto kernel = run.kernel(run.lane[0], {0, 100}, 12);
  const auto copy = run.copy_to_host(second, {100, 200}, 13);
  run.touches(kernel, 2, trace::access_mode::write);
  run.touches(copy, 2, trace::access_mode::read);
  run.touches(copy, 1, trace::access_mode::write);
  return run;
}

TEST(IsOrdered, PassesInOneStream) {
  sample_run run = kernel_then_copy_in(sample_run::lane[0]);
  EXPECT_EQ(IsOrdered().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(IsOrdered, FailsAcrossStreamsEvenWhenTheTimesAreRight) {
  sample_run run = kernel_then_copy_in(sample_run::lane[1]);
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("transform"));
  EXPECT_EQ(found.run, report::run_verdict::race_detected);
  EXPECT_EQ(found.why.where, "async_copy.cu:13, async_copy.cu:12");
}

TEST(IsOrdered, OfFurtherRacesNamesTheLinesOfTheAccessesAndNoneThatOrdersNothing) {
  sample_run run = kernel_then_copy_in(sample_run::lane[1]);
  run.marker(trace::operation_kind::event_record, run.lane[1], 210, 14);
  run.touches(run.kernel(run.lane[1], {220, 300}, 15), 1, trace::access_mode::write);
  run.marker(trace::operation_kind::event_wait, run.lane[0], 320, 16);
  run.recording().operations.back().captured = 3;
  run.touches(run.kernel(run.lane[0], {330, 400}, 17), 1, trace::access_mode::read);
  EXPECT_THAT(IsOrdered().match(run.learner()).why.observation,
              testing::EndsWith(" There are races at async_copy.cu:17, async_copy.cu:15, too."));
}

TEST(IsOrdered, OfAChunkOutOfTurnTheStreamIsNamedInPlaceOfAnEvent) {
  sample_run run;
  for (const std::size_t chunk : {0, 1}) {
    run.recording().streams[run.lane[chunk] - 1].name = "streams[" + std::to_string(chunk) + "]";
    const trace::operation_id copy = run.copy_to_device(run.lane[chunk], {0, 100}, 11);
    const trace::operation_id kernel = run.kernel(run.lane[1 - chunk], {100, 200}, 12);
    for (const trace::operation_id id : {copy, kernel})
      run.recording().operations[id - 1].accesses->push_back(
          {2, trace::access_mode::write, trace::byte_set::range(64 * chunk, 64)});
  }
  run.answer().set("plan.chunks", std::int64_t{2});
  run.answer().set("plan.streams", std::int64_t{2});
  const report::evidence why = IsOrdered("plan").match(run.learner()).why;
  EXPECT_THAT(
      why.observation,
      HasSubstr("transform 1 is of chunk 0, for which it is the turn of `streams[0]`, in each of its steps. "
                "Queue it there (async_copy.cu:12)"));
  EXPECT_THAT(why.observation, testing::Not(HasSubstr("cudaEventRecord")));
  EXPECT_THAT(IsOrdered().match(run.learner()).why.observation, HasSubstr("cudaEventRecord"));
}

TEST(IsOrdered, OfPiecesThatOverlapWhileTheirLengthsFitTheLineOfTheirBeginIsNamedFirst) {
  sample_run run;
  run.source() = {"async_copy.cu",
                  "void f() {\n"
                  "  const int first = index * last;\n"
                  "  cudaMemcpyAsync(device + part.first, host + part.first, bytes, kind, stream);\n"
                  "}\n",
                  ""};
  const auto piece = [&](trace::stream_id stream, std::size_t begin) {
    const trace::operation_id copy = run.copy_to_device(stream, {0, 100}, 3);
    run.recording().operations[copy - 1].accesses->push_back(
        {2, trace::access_mode::write, trace::byte_set::range(begin, sample_run::bytes / 2)});
  };
  piece(run.lane[0], 0);
  piece(run.lane[1], sample_run::bytes / 4);
  const report::evidence why = IsOrdered().match(run.learner()).why;
  EXPECT_THAT(
      why.observation,
      HasSubstr(
          "The 2 copies of async_copy.cu:3 are together as long as the device allocation 2, and overlap "
          "all the same: their lengths fit, and where they begin does not. They begin at `part.first`, which is "
          "computed at async_copy.cu:2."));
  EXPECT_THAT(why.observation, testing::Not(HasSubstr("cudaEventRecord")));
  EXPECT_EQ(why.where, "async_copy.cu:2, async_copy.cu:3");
  run.recording().allocations[1].bytes = 2 * sample_run::bytes;  // then a length can be wrong
  EXPECT_THAT(IsOrdered().match(run.learner()).why.observation, HasSubstr("cudaEventRecord"));
}

// Two lanes: the copies and kernels of the second use the buffer of the first.
sample_run two_lanes_with_one_buffer(bool has_stream_for_each_line) {
  sample_run run;
  for (const std::size_t lane : {0, 1})
    run.recording().streams[run.lane[lane] - 1].name = "lanes[" + std::to_string(lane) + "].stream";
  run.recording().allocations[1].name = "lanes[0].device_input";
  for (const std::size_t lane : {0, 1}) {
    const trace::operation_id copy =
        run.copy_to_device(run.lane[has_stream_for_each_line ? 0 : lane], {0, 100}, 11);
    const trace::operation_id kernel =
        run.kernel(run.lane[has_stream_for_each_line ? 1 : lane], {100, 200}, 12);
    run.touches(copy, 2, trace::access_mode::write);
    run.touches(kernel, 2, trace::access_mode::read);
  }
  return run;
}

TEST(IsOrdered, OfWorkInTheStreamOfAnotherElementThanItsMemorySaysSo) {
  sample_run run = two_lanes_with_one_buffer(false);
  const report::evidence why = IsOrdered().match(run.learner()).why;
  EXPECT_THAT(why.observation,
              HasSubstr("works in the stream of `lanes[1]` with the memory of `lanes[0]` (async_copy.cu:11): "
                        "take both from one element"));
  EXPECT_THAT(why.observation, testing::Not(HasSubstr("cudaEventRecord")));
}

TEST(IsOrdered, OfACopyFromItsOwnElementToAnotherAWaitIsMissing) {
  sample_run run = two_lanes_with_one_buffer(false);
  run.recording().allocations[0].name = "lanes[1].edge";
  for (const trace::operation_id id : {1, 2, 3, 4}) run.touches(id, 1, trace::access_mode::read);
  EXPECT_THAT(IsOrdered().match(run.learner()).why.observation, testing::Not(HasSubstr("from one element")));
}

TEST(IsOrdered, OfAStreamForEachKindOfWorkAWaitIsMissing) {
  sample_run run = two_lanes_with_one_buffer(true);
  const report::evidence why = IsOrdered().match(run.learner()).why;
  EXPECT_THAT(why.observation, HasSubstr("cudaEventRecord"));
  EXPECT_THAT(why.observation, testing::Not(HasSubstr("from one element")));
}

TEST(IsOrdered, NamesBothCallersOfAFunctionThatRacesWithItself) {
  sample_run run = kernel_then_copy_in(sample_run::lane[1]);
  trace::recording& recording = run.recording();
  recording.callers = {{{{1, 25}}}, {{{1, 31}}}};
  recording.calls.at(recording.operation_at(1).issued_by - 1).where = {1, 12, false, 1};
  recording.calls.at(recording.operation_at(2).issued_by - 1).where = {1, 12, false, 2};
  const report::evidence why = IsOrdered().match(run.learner()).why;
  EXPECT_EQ(report::places_with_callers(why), "async_copy.cu:12 (called from line 25 or 31)");
}

TEST(IsOrdered, FailsWhenTheHostReadsWithoutAWait) {
  sample_run run = kernel_then_copy_in(sample_run::lane[0]);
  run.host_reads(1, 20);
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("async_copy.cu:20"));
  EXPECT_EQ(found.why.where, "async_copy.cu:20, async_copy.cu:13");
}

TEST(IsOrdered, PassesWhenTheHostWaitsBeforeItReads) {
  sample_run run = kernel_then_copy_in(sample_run::lane[0]);
  run.call("cudaStreamSynchronize", {150, 200}, 19, run.lane[0]);
  run.host_reads(1, 20);
  EXPECT_EQ(IsOrdered().match(run.learner()).outcome, report::criterion_verdict::pass);
}

/// A function that waits in line 20, and in a second call, whose launch fails, returns before that. Its caller then reads.
sample_run early_return_after_a_failed_launch(int first_line_of_the_second_call) {
  sample_run run;
  trace::recording& recording = run.recording();
  recording.files.push_back({"/course/drive.cpp", true});
  const auto mark = [&](const std::string& name, int time) {
    recording.marks.push_back(
        {.name = name,
         .time = std::chrono::microseconds(time),
         .after = static_cast<trace::call_id>(recording.calls.size()),
         .after_operation = static_cast<trace::operation_id>(recording.operations.size())});
  };
  recording.marks.clear();
  mark("begin:first", 0);
  run.touches(run.kernel(run.lane[0], {0, 100}, 12), 2, trace::access_mode::write);
  run.call("cudaDeviceSynchronize", {10, 100}, 20);
  mark("end:first", 150);
  mark("begin:second", 200);
  run.touches(run.kernel(run.lane[0], {200, 300}, first_line_of_the_second_call), 2,
              trace::access_mode::write);
  const trace::call_id launch = run.call("cudaLaunchKernel", {210, 211}, 14);
  recording.calls[launch - 1].error_code = 9;
  recording.calls[launch - 1].error_name = "cudaErrorInvalidConfiguration";
  const auto copy = run.copy_to_host(run.lane[1], {400, 500}, 5);
  recording.calls.back().where.file = static_cast<std::uint32_t>(recording.files.size() - 1);
  run.touches(copy, 2, trace::access_mode::read);
  mark("end:second", 600);
  mark("begin:learner", 900);
  mark("end:learner", 900);
  return run;
}

TEST(IsOrdered, OfAnEarlyReturnNamesTheFailedLaunchAndTheWaitThatOtherCallsReach) {
  const verdict found = IsOrdered().match(early_return_after_a_failed_launch(12).part("second"));
  EXPECT_EQ(found.mistake, "unfinished_at_return");
  EXPECT_EQ(found.why.where, "async_copy.cu:20, async_copy.cu:12");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "That was in a call in which the launch (async_copy.cu:14) failed with "
          "cudaErrorInvalidConfiguration: every way out after it has to wait. Your function returned before "
          "cudaDeviceSynchronize (async_copy.cu:20), which it reaches in other calls."));
}

TEST(IsOrdered, OfAnEarlyReturnItsLineComesFirstWhereItIsTheOnlyOne) {
  sample_run run = early_return_after_a_failed_launch(12);
  const auto observed_with = [&](const std::string& line) {
    run.source() = {"async_copy.cu", "int f() {" + std::string(14, '\n') + line + "\n\n\n\n  wait();\n}\n",
                    ""};
    return IsOrdered().match(run.part("second")).why;
  };
  const report::evidence why = observed_with("\n  if (error) return 1;");
  EXPECT_THAT(why.observation, HasSubstr("Your function returned (async_copy.cu:16) before"));
  EXPECT_EQ(why.where, "async_copy.cu:16, async_copy.cu:20, async_copy.cu:12");
  EXPECT_THAT(observed_with("if (a) return 1;\n  if (b) return 2;").observation,
              HasSubstr("Your function returned before"));
  EXPECT_THAT(observed_with("return 1; }\nint g() {").observation,
              HasSubstr("Your function returned before"));
}

TEST(IsOrdered, OfAnEarlyReturnNamesNoWaitOfAnotherFunction) {
  const verdict found = IsOrdered().match(early_return_after_a_failed_launch(13).part("second"));
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("which it reaches")));
}

TEST(IsOrdered, NamesTheNextCallWhereFunctionsOfTheCallerRace) {
  sample_run run;
  trace::recording& recording = run.recording();
  recording.files.push_back({"/course/drive.cpp", true});
  const auto file = static_cast<std::uint32_t>(recording.files.size() - 1);
  recording.host_accesses = {
      {.thread = 2,
       .where = {file, 5},
       .access = {.allocation = 1, .mode = trace::access_mode::write, .bytes = trace::byte_set::range(0, 8)}},
      {.thread = 3,
       .where = {file, 5},
       .access = {
           .allocation = 1, .mode = trace::access_mode::write, .bytes = trace::byte_set::range(0, 8)}}};
  run.call("cudaMemcpy", {10, 20}, 33);
  recording.calls.back().thread = 3;
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.mistake, "host_code_unordered");
  EXPECT_EQ(found.why.where, "async_copy.cu:33");
  EXPECT_THAT(found.why.observation,
              HasSubstr("The function was called before cudaMemcpy (async_copy.cu:33), in host thread 3."));
}

/// Thread 2 writes in line 4, and thread 3 as well, or issues a copy in line 6 that reads it.
sample_run two_threads(const std::string& text, bool is_copy) {
  sample_run run;
  trace::recording& recording = run.recording();
  run.source() = {"async_copy.cu", text, ""};
  const trace::access write{
      .allocation = 1, .mode = trace::access_mode::write, .bytes = trace::byte_set::range(0, 8)};
  recording.host_accesses = {{.thread = 2, .where = {1, 4}, .access = write}};
  if (is_copy) {
    run.touches(run.copy_to_device(run.lane[0], {0, 10}, 6), 1, trace::access_mode::read);
    recording.calls.back().thread = 3;
  } else {
    recording.host_accesses->push_back({.thread = 3, .where = {1, 4}, .access = write});
  }
  return run;
}

TEST(IsOrdered, OfAMutexThatThreadsDoNotShareSaysThatInPlaceOfAdvice) {
  const verdict found = IsOrdered().match(two_threads("void f() {\n"
                                                      "  std::mutex own;\n"
                                                      "  std::lock_guard<std::mutex> lock(own);\n"
                                                      "  load();\n"
                                                      "}\n",
                                                      false)
                                              .learner());
  EXPECT_THAT(
      found.why.observation,
      testing::EndsWith(
          " The mutex `own` (async_copy.cu:2) is made anew each time its line is reached: it keeps no "
          "other thread out. Nothing orders the two until all threads lock one and the same."));
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("std::atomic")));
  EXPECT_EQ(found.why.where, "async_copy.cu:2, async_copy.cu:4");
}

TEST(IsOrdered, OfAMutexThatIsAMemberOfAnObjectOfEachThreadSaysThatTheseAreTwo) {
  const std::string text =
      "struct taker {\n"
      "  std::mutex own;\n"
      "  void f() { std::lock_guard<std::mutex> lock(own);\n"
      "    load();\n"
      "  }\n"
      "};\n";
  const verdict found = IsOrdered().match(two_threads(text, false).learner());
  EXPECT_THAT(found.why.observation,
              testing::EndsWith(
                  "Each holds a mutex called `own` (async_copy.cu:2) there (async_copy.cu:3), and nothing "
                  "orders the two all the same: these are two mutexes, such as members of two objects. "
                  "Let all threads lock one and the same."));
  EXPECT_EQ(found.why.where, "async_copy.cu:2, async_copy.cu:3, async_copy.cu:4");
  const verdict shared = IsOrdered().match(two_threads(text + "// std::shared_lock\n", false).learner());
  EXPECT_THAT(shared.why.observation, testing::Not(HasSubstr("two mutexes")));
}

TEST(IsOrdered, OfALoopThatWaitsForAVariableNamesItAndTheDetachedThread) {
  sample_run run;
  trace::recording& recording = run.recording();
  run.source() = {"async_copy.cu",
                  "void f() {\n"
                  "  std::thread consumer([&] {\n"
                  "    work();\n"
                  "    count = count + 1;\n"
                  "  });\n"
                  "  consumer.detach();\n"
                  "  while (count < 9) yield();\n"
                  "}\n",
                  ""};
  const trace::access write{
      .allocation = 1, .mode = trace::access_mode::write, .bytes = trace::byte_set::range(0, 4)};
  const trace::access read{
      .allocation = 1, .mode = trace::access_mode::read, .bytes = trace::byte_set::range(0, 4)};
  recording.host_accesses = {{.thread = 2, .where = {1, 4}, .access = write},
                             {.thread = 3, .where = {1, 4}, .access = write},
                             {.thread = 4, .where = {1, 7}, .access = read}};
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.mistake, "host_code_unordered");
  EXPECT_THAT(
      found.why.observation,
      testing::AllOf(
          HasSubstr(
              "The loop at async_copy.cu:7 waits for that, and a plain or volatile variable orders nothing"),
          HasSubstr("A thread that is detached (async_copy.cu:6) cannot be joined."),
          testing::Not(HasSubstr("uard both"))));
  EXPECT_EQ(found.why.where, "async_copy.cu:7, async_copy.cu:4, async_copy.cu:6");
}

TEST(IsOrdered, OfALockThatEndsBeforeTheCopySaysWhereItIsHeld) {
  const verdict found = IsOrdered().match(two_threads("std::mutex m;\n"
                                                      "void f() {\n"
                                                      "  { std::lock_guard<std::mutex> lock(m);\n"
                                                      "    load();\n"
                                                      "  }\n"
                                                      "  copy();\n"
                                                      "}\n",
                                                      true)
                                              .learner());
  EXPECT_EQ(found.mistake, "host_not_awaited");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "The mutex `m` is locked (async_copy.cu:3) at async_copy.cu:4, and not any more at async_copy.cu:6."));
  EXPECT_EQ(found.why.where, "async_copy.cu:6, async_copy.cu:4, async_copy.cu:3");
}

TEST(IsOrdered, OfACopyThatOutlastsTheLockNamesTheWaitBehindIt) {
  sample_run run;
  trace::recording& recording = run.recording();
  run.source() = {"async_copy.cu",
                  "std::mutex m;\n"
                  "void f() {\n"
                  "  { std::lock_guard<std::mutex> lock(m);\n"
                  "    load();\n"
                  "    copy();\n"
                  "  }\n"
                  "  wait();\n"
                  "}\n",
                  ""};
  run.touches(run.copy_to_device(run.lane[0], {0, 10}, 5), 1, trace::access_mode::read);
  const trace::call_id copied = recording.calls.back().id;
  run.call("cudaStreamSynchronize", {10, 20}, 7, run.lane[0]);
  const trace::access write{
      .allocation = 1, .mode = trace::access_mode::write, .bytes = trace::byte_set::range(0, 8)};
  recording.host_accesses = {{.thread = 3, .after = copied, .where = {1, 4}, .access = write}};
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      testing::AllOf(
          HasSubstr(
              "issues H2D 1 while it holds the mutex `m` (async_copy.cu:3), and releases that before H2D 1 is done: it waits "
              "for that in async_copy.cu:7, behind the lock. Wait for it before the mutex is released."),
          testing::Not(HasSubstr("cudaDeviceSynchronize"))));
  EXPECT_EQ(found.why.where, "async_copy.cu:5, async_copy.cu:4, async_copy.cu:3, async_copy.cu:7");
}

TEST(IsOrdered, OfAnOperationThatIsNotCapturedNamesTheBeginOfTheCapture) {
  for (const bool has_ended : {false, true}) {
    sample_run run;
    run.call("cudaStreamBeginCapture", {0, 1}, 11, run.lane[1]);
    if (has_ended) run.call("cudaStreamEndCapture", {1, 2}, 12, run.lane[1]);
    run.touches(run.copy_to_host(run.lane[0], {10, 20}, 13), 1, trace::access_mode::write);
    run.host_reads(1, 20);
    const verdict found = IsOrdered().match(run.learner());
    EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
    if (has_ended) {
      EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("capture")));
      continue;
    }
    EXPECT_THAT(found.why.observation,
                HasSubstr("was queued during a capture, and ran at once: the capture began in"));
    EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("Let the host wait")));
    EXPECT_EQ(found.why.where, "async_copy.cu:11, async_copy.cu:20, async_copy.cu:13");
  }
}

TEST(IsOrdered, OfAHostFunctionThatIsGivenTheAddressOfALocalVariableNamesIt) {
  sample_run run;
  trace::recording& recording = run.recording();
  recording.allocations.at(0).kind = trace::memory_kind::pageable;
  run.source() = {"async_copy.cu",
                  "void f() {\n"
                  "  for (int i = 0; i < 2; ++i) {\n"
                  "    lane* mine = next();\n"
                  "    cudaLaunchHostFunc(stream, announce, &mine);\n"
                  "  }\n"
                  "}\n",
                  ""};
  const auto function = run.host_function(run.lane[0], {0, 10}, 4);
  recording.host_edges.clear();
  run.touches(function, 1, trace::access_mode::read);
  run.host_reads(1, 3);
  recording.host_accesses->back().access.mode = trace::access_mode::write;
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.mistake, "host_code_unordered");
  EXPECT_THAT(found.why.observation, HasSubstr("They are `mine`, a local variable (async_copy.cu:3)"));
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("mutex")));
  EXPECT_EQ(found.why.where, "async_copy.cu:4, async_copy.cu:3");
}

TEST(IsOrdered, OfALocalVariableOfALoopWhoseAddressIsHandedOnSaysThatFirst) {
  sample_run run;
  trace::recording& recording = run.recording();
  recording.allocations.at(0).kind = trace::memory_kind::pageable;
  recording.allocations.at(0).name.clear();
  run.source() = {"async_copy.cu",
                  "void f() {\n"
                  "  for (int i = 0; i < 2; ++i) {\n"
                  "    lane mine = *next();\n"
                  "    mine.batch = i;\n"
                  "    cudaLaunchHostFunc(stream, announce, &mine);\n"
                  "  }\n"
                  "}\n",
                  ""};
  const auto function = run.host_function(run.lane[0], {0, 10}, 9);
  recording.host_edges.clear();
  run.touches(function, 1, trace::access_mode::read);
  run.host_reads(1, 4);
  recording.host_accesses->back().access.mode = trace::access_mode::write;
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.mistake, "host_code_unordered");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "What async_copy.cu:4 writes is in `mine`, a local variable that each round of the loop makes anew "
          "(async_copy.cu:3), and async_copy.cu:5 hands on its address"));
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("mutex")));
  EXPECT_THAT(found.why.where, testing::StartsWith("async_copy.cu:3, async_copy.cu:5, "));
}

/// Host threads 2 and 3 access one variable without a name, each at a line.
sample_run two_accesses(const std::string& text, int first, int second, trace::access_mode mode_of_first) {
  sample_run run;
  trace::recording& recording = run.recording();
  recording.allocations.at(0).kind = trace::memory_kind::pageable;
  recording.allocations.at(0).name.clear();
  run.source() = {"async_copy.cu", text, ""};
  const auto access = [](trace::access_mode mode) {
    return trace::access{.allocation = 1, .mode = mode, .bytes = trace::byte_set::range(0, 4)};
  };
  recording.host_accesses = {
      {.thread = 2, .where = {1, static_cast<std::uint32_t>(first)}, .access = access(mode_of_first)},
      {.thread = 3,
       .where = {1, static_cast<std::uint32_t>(second)},
       .access = access(trace::access_mode::write)}};
  return run;
}

TEST(IsOrdered, BetweenThreadsInCodeOfOthersTheThreadThatNobodyWaitsForIsNamed) {
  sample_run run = two_accesses("void f() {\n  std::thread one(g);\n  one.detach();\n}\n", 1, 1,
                                trace::access_mode::write);
  trace::recording& recording = run.recording();
  for (trace::host_access& access : *recording.host_accesses) access.where = {};
  run.call("cudaDeviceSynchronize", {0, 10}, 1);
  run.call("host_work", {10, 90}, 2);
  recording.calls.back().thread = 2;
  recording.host_edges = {{.from = 1, .from_after = 1, .to = 2, .where = {1, 2}}};
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "Neither is in a line of your file: both are in functions that it calls, or that call it. Host "
          "thread 2 was started in async_copy.cu:2 and is detached in async_copy.cu:3"));
  EXPECT_EQ(found.why.where, "async_copy.cu:3, async_copy.cu:2");
}

TEST(IsOrdered, WhatAThreadReadsInALocalVariableThatAHostFunctionIsGivenComesBeforeWhatItUsesThen) {
  sample_run run = two_accesses(
      "void f() {\n"
      "  for (int i = 0; i < 2; ++i) {\n"
      "    lane& mine = *next();\n"
      "    mine.batch = i;\n"
      "    lane copy = mine;\n"
      "    cudaLaunchHostFunc(stream, announce, &copy);\n"
      "  }\n"
      "  consume(filled->batch);\n"
      "}\n",
      8, 4, trace::access_mode::read);
  run.touches(run.kernel(run.lane[0], {0, 10}, 3), 2, trace::access_mode::write);
  run.host_function(run.lane[0], {10, 20}, 6);
  run.recording().host_edges.clear();
  run.host_reads(2, 8);
  run.recording().host_accesses->back().thread = 2;
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.mistake, "host_code_unordered");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "The host function of async_copy.cu:6 is given the address of `copy`, a local variable that each "
          "round of the loop makes anew (async_copy.cu:5)"));
  EXPECT_THAT(found.why.where, testing::StartsWith("async_copy.cu:6, "));
}

TEST(IsOrdered, OfOneVariableToWhichAllThreadsAssignSaysThatTheLastOneDecides) {
  const verdict found = IsOrdered().match(two_accesses("void f() {\n"
                                                       "  int result = 0;\n"
                                                       "  for (int i = 0; i < 2; ++i) {\n"
                                                       "    threads.emplace_back([&result, i] {\n"
                                                       "      result = work(i);\n"
                                                       "    });\n"
                                                       "  }\n"
                                                       "}\n",
                                                       5, 5, trace::access_mode::write)
                                              .learner());
  EXPECT_EQ(found.mistake, "host_code_unordered");
  EXPECT_THAT(found.why.observation,
              testing::AllOf(HasSubstr("They are `result` (async_copy.cu:2), one variable for all threads"),
                             HasSubstr("Give each thread a variable of its own"),
                             testing::Not(HasSubstr("handed over"))));
  EXPECT_EQ(found.why.where, "async_copy.cu:5, async_copy.cu:2");
}

TEST(IsOrdered, OfWhatIsWrittenWhenItsAddressHasBeenHandedOnSaysThatInPlaceOfAdvice) {
  const verdict found = IsOrdered().match(two_accesses("void f() {\n"
                                                       "  lane& mine = next();\n"
                                                       "  full.put(&mine);\n"
                                                       "  mine.batch = 1;\n"
                                                       "}\n"
                                                       "void g() { use(full.take()->batch); }\n",
                                                       6, 4, trace::access_mode::read)
                                              .learner());
  EXPECT_THAT(
      found.why.observation,
      testing::EndsWith("async_copy.cu:3 hands on the address before async_copy.cu:4 writes there: who takes "
                        "it may read too early. Move async_copy.cu:4 above async_copy.cu:3."));
  EXPECT_EQ(found.why.where, "async_copy.cu:4, async_copy.cu:3, async_copy.cu:6");
}

TEST(IsOrdered, OfWhatIsStillUsedWhenItHasBeenHandedOnSaysThatInPlaceOfAdvice) {
  sample_run run = two_accesses(
      "void f() {\n"
      "  lane* const done = full.take();\n"
      "  free.put(done);\n"
      "  use(done->batch);\n"
      "}\n"
      "void g() { free.take()->batch = 1; }\n",
      4, 6, trace::access_mode::read);
  trace::recording& recording = run.recording();
  recording.host_accesses->at(0).step = 2;
  recording.host_edges = {{.from = 2, .to = 3, .from_step = 1, .to_step = 1}};
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_THAT(found.why.observation,
              testing::EndsWith(
                  "async_copy.cu:3 hands on `done` before async_copy.cu:4 has used it: who takes it may "
                  "write there meanwhile. Move async_copy.cu:3 below async_copy.cu:4."));
  EXPECT_EQ(found.why.where, "async_copy.cu:3, async_copy.cu:4, async_copy.cu:6");
}

TEST(IsOrdered, IsNotObservableWithoutRecordedAccesses) {
  sample_run run = kernel_then_copy_in(sample_run::lane[1]);
  for (trace::operation& operation : run.recording().operations) operation.accesses.reset();
  run.recording().host_accesses.reset();
  const verdict found = IsOrdered().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
  EXPECT_THAT(found.note, HasSubstr("does not say which bytes"));
}

// cudaFree() of memory of a pool, which does not wait for anything.
TEST(IsOrdered, FailsWhenStreamOrderedMemoryIsFreedByTheHostWhileItMayBeUsed) {
  for (const bool waits : {false, true}) {
    sample_run run = kernel_then_copy_in(sample_run::lane[0]);
    trace::recording& recording = run.recording();
    trace::operation allocate = recording.operations.front();
    allocate.id = static_cast<trace::operation_id>(recording.operations.size()) + 1;
    allocate.kind = trace::operation_kind::allocate;
    recording.operations.push_back(allocate);
    trace::allocation& memory = recording.allocations.at(1);
    memory.allocated_by = run.call("cudaMallocAsync", {0, 1}, 11, run.lane[0]);
    recording.calls.back().operation = allocate.id;
    if (waits) run.call("cudaStreamSynchronize", {200, 210}, 19, run.lane[0]);
    memory.freed_by = run.call("cudaFree", {210, 220}, 20);
    const verdict found = IsOrdered().match(run.learner());
    EXPECT_EQ(found.outcome, waits ? report::criterion_verdict::pass : report::criterion_verdict::fail);
    if (!waits) {
      EXPECT_EQ(found.mistake, "released_in_use");
    }
  }
}

// CUDA does not promise that cudaFree() waits.
TEST(IsOrdered, FailsWhenMemoryIsFreedWhileItMayBeUsedUnlessARaceIsNearer) {
  for (const int lane_of_copy : {0, 1}) {
    sample_run run = kernel_then_copy_in(sample_run::lane[lane_of_copy]);
    run.recording().allocations.at(1).freed_by = run.call("cudaFree", {210, 220}, 20);
    const verdict found = IsOrdered().match(run.learner());
    EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
    EXPECT_EQ(found.mistake == "released_in_use", lane_of_copy == 0);
  }
}

}  // namespace
}  // namespace matchers
