#include "matchers/returns.h"

#include <gmock/gmock.h>

#include <limits>

#include "matchers/poison.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

const std::vector<float> expected{1, 2, 3, 4, 5, 6};  // two batches of three

observations runs_with(const std::vector<float>& plain, const std::vector<float>& slow) {
  observations observed;
  for (const auto schedule : {trace::schedule_kind::as_is, trace::schedule_kind::slow_copies}) {
    observed.runs.push_back({.schedule = schedule});
    observed.runs.back().outcome.recording.emplace();
  }
  observed.runs[0].outcome.answers[exercise::call::repeated].set("output", plain);
  observed.runs[1].outcome.answers[exercise::call::repeated].set("output", slow);
  return observed;
}

verdict judged(const observations& observed) {
  return Returns("output", expected, in_batches_of(3)).match(run_facts(observed, ""));
}

std::string problem_with(const std::vector<float>& plain, const std::vector<float>& slow) {
  return judged(runs_with(plain, slow)).why.observation;
}

TEST(Returns, PassesWhenEveryRunAnswersWhatIsExpected) {
  EXPECT_EQ(judged(runs_with(expected, expected)).outcome, report::criterion_verdict::pass);
}

TEST(Returns, NamesScheduleElementBatchAndHowManyAreWrong) {
  const verdict found = judged(runs_with(expected, {1, 2, 3, 4, 9, 9}));
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation,
              HasSubstr("2 of 6 elements of `output`, all at the end, are wrong. The first is element 1 "
                        "of batch 1 (element 4 of all): found 9, expected 5."));
  EXPECT_THAT(found.why.observation, testing::EndsWith(" That was in the run with copies ten times slower."));
  EXPECT_EQ(found.run, report::run_verdict::wrong_answer);
  EXPECT_THAT(found.why.read_next, HasSubstr("do the pieces reach the last element"));
}

TEST(Returns, SaysNothingOfTheEndWhenMoreOrOthersAreWrong) {
  EXPECT_THAT(problem_with({9, 9, 9, 9, 9, 9}, expected), testing::Not(HasSubstr("at the end")));
  EXPECT_THAT(problem_with({1, 9, 3, 4, 5, 9}, expected), testing::Not(HasSubstr("at the end")));
}

TEST(Returns, RecognisesWhatWasNeverCopiedBack) {
  EXPECT_THAT(problem_with({1, poison::output, 3, 4, 5, 6}, expected), HasSubstr("Its copy had not arrived"));
}

TEST(Returns, RecognisesWhatWasCopiedBackBeforeItWasComputed) {
  EXPECT_THAT(problem_with({1, poison::device, 3, 4, 5, 6}, expected),
              HasSubstr("no kernel had written it by then"));
}

TEST(Returns, RecognisesWhatWasComputedFromUntouchedMemory) {
  EXPECT_THAT(
      problem_with({1, 3 * poison::device + 7, 3, 4, 5, 6}, expected),
      HasSubstr("nothing brought the kernel's input to its place, or the kernel ran before it had arrived"));
}

TEST(Returns, OfAnElementThatACopyLeavesOutNoKernelIsToBlame) {
  sample_run run;
  run.recording().allocations[0].name = "output";
  const trace::operation_id copy = run.copy_to_host(sample_run::lane[0], {10, 20}, 21);
  run.recording().operations[copy - 1].accesses->push_back(
      {1, trace::access_mode::write, trace::byte_set::range(0, sizeof(float))});
  std::vector<float> found = expected;
  found.back() = 0.9F * poison::output;
  run.answer().set("output", found);
  const verdict judged = Returns("output", expected).match(run.part(""));
  EXPECT_EQ(judged.mistake, "output_not_written");
  EXPECT_THAT(judged.why.observation,
              HasSubstr("That stood there before your function began. No operation wrote it"));
  EXPECT_THAT(judged.why.observation, testing::Not(HasSubstr("kernel's input")));
}

TEST(Returns, OfALengthThatIsRoundedDownTheDivisionIsNamedFirst) {
  sample_run run;
  run.recording().allocations[0].name = "output";
  for (int piece = 0; piece < 3; ++piece) {
    const trace::operation_id copy = run.copy_to_host(sample_run::lane[0], {10 * piece, 10 * piece + 5}, 3);
    run.recording().operations[copy - 1].bytes = 8;
    run.recording().operations[copy - 1].accesses->push_back(
        {1, trace::access_mode::write, trace::byte_set::range(std::size_t{8} * piece, 8)});
  }
  run.source() = {"async_copy.cu",
                  "void f(int piece, int all) {\n  const int length = all / 3;\n"
                  "  cudaMemcpyAsync(to + length * piece, from, length * 4, kind, stream);\n}\n",
                  ""};
  run.answer().set("output", std::vector<float>{1, 2, 3, 4, 5, 6, poison::output});
  const report::evidence why =
      Returns("output", std::vector<float>{1, 2, 3, 4, 5, 6, 7}).match(run.part("")).why;
  EXPECT_THAT(why.observation,
              testing::EndsWith("The 3 copies of that line bring 2 elements each, 6 in all: 7 / 3, rounded "
                                "down. The division is at async_copy.cu:2."));
  EXPECT_EQ(why.where, "async_copy.cu:2, async_copy.cu:3");
}

/// The evidence about the last batch of three, where copies bring the others from line 3 of that code, once or more.
report::evidence left_out_in(const std::string& code, int times = 1) {
  sample_run run;
  run.recording().allocations[0].name = "output";
  for (int i = 0; i < 2 * times; ++i) {
    const std::size_t batch = i % 2;
    const trace::operation_id copy = run.copy_to_host(sample_run::lane[batch], {10 * i, 10 * i + 5}, 3);
    run.recording().operations[copy - 1].accesses->push_back(
        {1, trace::access_mode::write, trace::byte_set::range(8 * batch, 8)});
  }
  run.source() = {"async_copy.cu", code, ""};
  run.answer().set("output", std::vector<float>{1, 2, 3, 4, poison::output, poison::output});
  return Returns("output", expected, in_batches_of(2)).match(run.part("")).why;
}

TEST(Returns, OfBatchesThatWereLeftOutTheLoopIsNamedFirst) {
  const report::evidence why =
      left_out_in("void f() {\n  for (int pair = 0; pair < count / 2; ++pair)\n    copy(pair);\n}\n");
  EXPECT_THAT(
      why.observation,
      testing::StartsWith("The loop (async_copy.cu:2) ended after batch 1 of 0 to 2: no operation wrote "
                          "what comes behind that. 2 of 6 elements"));
  EXPECT_EQ(why.where, "async_copy.cu:2, async_copy.cu:3");
  EXPECT_THAT(why.read_next, testing::Not(HasSubstr("waited for")));
}

TEST(Returns, OfLoopsAroundEachOtherTheOneThatGoesOverStreamsHasNotEndedTooEarly) {
  sample_run run;
  run.recording().allocations[0].name = "output";
  for (const std::size_t batch : {0, 2, 1, 3}) {
    const trace::operation_id copy = run.copy_to_host(
        sample_run::lane[batch / 2], {10 * static_cast<int>(batch), 10 * static_cast<int>(batch) + 5}, 5);
    run.recording().operations[copy - 1].accesses->push_back(
        {1, trace::access_mode::write, trace::byte_set::range(4 * batch, 4)});
  }
  run.source() = {"async_copy.cu",
                  "void f() {\n"
                  "  const int share = count / 2;\n"
                  "  for (int turn = 0; turn < share; ++turn) {\n"
                  "    for (int l = 0; l < 2; ++l) {\n"
                  "      cudaMemcpyAsync(output + l * share + turn, device, 4, kind, s[l]);\n"
                  "    }\n"
                  "  }\n"
                  "}\n",
                  ""};
  run.answer().set("output", std::vector<float>{1, 2, 3, 4, poison::output});
  const report::evidence why =
      Returns("output", std::vector<float>{1, 2, 3, 4, 5}, in_batches_of(1)).match(run.part("")).why;
  EXPECT_THAT(why.observation,
              testing::StartsWith("The loop (async_copy.cu:3) ended after batch 3 of 0 to 4"));
  EXPECT_THAT(why.observation, HasSubstr("Where the division at async_copy.cu:2 is rounded down"));
  EXPECT_EQ(why.where, "async_copy.cu:2, async_copy.cu:3, async_copy.cu:5");
}

TEST(Returns, OfALoopThatIsLeftTheLineWhereThatIsIsNamedFirst) {
  const report::evidence why =
      left_out_in("void f() { for (;;) {\n  if (batch == 2) break;\n  copy(batch);\n} }\n");
  EXPECT_THAT(
      why.observation,
      testing::StartsWith("The loop (async_copy.cu:1), which is left at async_copy.cu:2, ended after"));
  EXPECT_EQ(why.where, "async_copy.cu:2, async_copy.cu:1, async_copy.cu:3");
}

TEST(Returns, OfALoopThatAnotherRepeatsTheInnerOneEndedTooEarly) {
  const std::string nest = "void f() { for (;;)\n for (;;)\n copy(batch); }";
  EXPECT_EQ(left_out_in(nest, 2).where, "async_copy.cu:2, async_copy.cu:3");
  EXPECT_EQ(left_out_in(nest).where, "async_copy.cu:1, async_copy.cu:3");
  EXPECT_EQ(left_out_in("void f() { for (;;)\n\n copy(batch % 2); }", 2).where, "async_copy.cu:3");
}

TEST(Returns, OfBatchesThatWereLeftOutWithoutALoopNoneIsNamed) {
  EXPECT_EQ(left_out_in("void f() {\n  for (;;) g();\n  copy(0);\n}\n").where, "async_copy.cu:3");
}

TEST(Returns, WhatAKernelTookFromUntouchedMemoryIsNotSaidToBeOfNoKernel) {
  sample_run run;
  run.recording().allocations[0].name = "output";
  run.touches(run.kernel(sample_run::lane[0], {0, 10}, 20), 2, trace::access_mode::write);
  const trace::operation_id copy = run.copy_to_host(sample_run::lane[0], {10, 20}, 21);
  run.touches(copy, 2, trace::access_mode::read);
  run.touches(copy, 1, trace::access_mode::write);
  for (const float found : {poison::device, poison::fresh}) {
    run.answer().set("output", std::vector<float>(expected.size(), found));
    const verdict judged = Returns("output", expected).match(run.part(""));
    EXPECT_EQ(judged.mistake, "input_not_copied");
    EXPECT_THAT(judged.why.observation, HasSubstr("had made it"));
    EXPECT_THAT(judged.why.observation, testing::Not(HasSubstr("no kernel")));
  }
}

TEST(Returns, RecognisesWhatNewMemoryHolds) {
  EXPECT_THAT(problem_with({1, poison::fresh, 3, 4, 5, 6}, expected),
              HasSubstr("what memory holds that nothing has written since its allocation"));
  EXPECT_THAT(problem_with({1, 3 * (2 * poison::fresh + 1) + 999, 3, 4, 5, 6}, expected),
              HasSubstr("computed from memory that nothing had written since its allocation"));
  EXPECT_THAT(problem_with({1, 1.5e8f, 3, 4, 5, 6}, expected), HasSubstr("No element should have that value."));
}

TEST(Returns, RecognisesWhatTheCallerHadPutThere) {
  const matcher values = Returns("output", expected, {3, "batch", {7, 8, 9, 10, 11, 12}});
  const verdict found = values.match(run_facts(runs_with({1, 8, 3, 4, 5, 6}, expected), ""));
  EXPECT_EQ(found.mistake, "output_not_written");
  EXPECT_THAT(found.why.observation,
              HasSubstr("What was found stood in this place before your function began."));
  EXPECT_THAT(found.why.read_next, HasSubstr("The task"));
  const verdict wrong = values.match(run_facts(runs_with({1, 9, 3, 4, 5, 6}, expected), ""));
  EXPECT_EQ(wrong.mistake, "wrong_value");
  EXPECT_THAT(wrong.why.read_next, HasSubstr("The task")) << "it is no matter of order";
}

TEST(Returns, RecognisesWhatTheFirstCallGave) {
  observations kept = runs_with({1, 2, 7, 8, 5, 6}, expected);
  kept.runs[0].outcome.answers[exercise::call::first].set("output", std::vector<float>{5, 5, 7, 8, 9, 9});
  EXPECT_EQ(judged(kept).mistake, "result_of_another_call");
  EXPECT_THAT(judged(kept).why.observation,
              HasSubstr("That is what the first call of your function gave for this place"));
  kept.runs[0].outcome.answers[exercise::call::repeated].set("output", std::vector<float>{1, 2, 7, 9, 5, 6});
  EXPECT_EQ(judged(kept).mistake, "wrong_value");
}

TEST(Returns, AnEarlierCallNeedNotHaveWhatThisOneHas) {
  observations of_one_call = runs_with({1, 2, 7, 8, 5, 6}, expected);
  of_one_call.runs[0].outcome.answers[exercise::call::first].set("others", std::vector<float>{5});
  EXPECT_EQ(judged(of_one_call).mistake, "wrong_value");
}

TEST(Returns, ALessonTellsOfAnotherStepAndWhichLineBroughtIt) {
  const auto explain = [](std::size_t, float value) -> std::optional<value_meaning> {
    if (value != 7) return std::nullopt;
    return value_meaning{report::mistake::result_of_another_step, "That is the cell after step 2.",
                         line_of::last_writer};
  };
  const batching batches = in_batches_of(3).explained_by(explain);
  const verdict found =
      Returns("output", expected, batches).match(run_facts(runs_with({1, 2, 3, 4, 5, 7}, expected), ""));
  EXPECT_EQ(found.mistake, "result_of_another_step");
  EXPECT_THAT(found.why.observation, HasSubstr("That is the cell after step 2."));
  EXPECT_THAT(found.why.read_next, testing::Not(HasSubstr("do the pieces reach the last element")));
}

/// A round launches a graph (line 35) and updates it for the next (line `update`); the last node brought a wrong element. A capture
/// ends in line `capture` ahead of the update; 0: none does. `rounds`: launches behind the update.
verdict of_old_arguments(int update, int launch, int capture = 0, int rounds = 1) {
  sample_run run;
  const auto definition = run.call("cudaMemcpyAsync", {0, 1}, 11);
  run.call("cudaGraphInstantiate", {0, 1}, 31);
  if (capture != 0) {
    run.call("cudaStreamBeginCapture", {0, 1}, capture - 1);
    run.call("cudaStreamEndCapture", {0, 1}, capture);
  }
  const auto add = [&](int start, int node_line) {
    const auto of_launch = run.kernel(run.lane[0], {start, start + 10}, launch);
    const auto call = run.recording().operations[of_launch - 1].issued_by;
    run.recording().calls[call - 1].function = trace::function_named("cudaGraphLaunch");
    run.recording().operations[of_launch - 1].kind = trace::operation_kind::graph_launch;
    const auto kernel = run.kernel(run.lane[0], {start, start + 5}, node_line);
    run.touches(kernel, 2, trace::access_mode::write);
    const auto copy = run.copy_to_host(run.lane[0], {start + 5, start + 10}, node_line);
    run.touches(copy, 2, trace::access_mode::read);
    run.touches(copy, 1, trace::access_mode::write);
    for (const auto node : {kernel, copy}) {
      run.recording().operations[node - 1].graph_launch = of_launch;
      run.recording().operations[node - 1].defined_by = definition;
    }
  };
  run.source() = {"async_copy.cu", std::string(30, '\n') + "void f() {\nif (is_new) {\n  update();\n}\n}\n",
                  ""};
  if (update < launch) run.call("cudaGraphExecUpdate", {1, 2}, update);
  for (int round = 0; round < rounds; ++round) add(10 * (round + 1), 11);
  run.call("cudaGraphExecUpdate", {29, 30}, update);
  run.answer().set("output", std::vector<float>{1, 2, 3, 4, 5, 9});
  const auto explain = [](std::size_t, float) -> std::optional<value_meaning> {
    return value_meaning{report::mistake::graph_not_updated, "That is the result with another factor."};
  };
  run.learner();
  run.recording().allocations[0].name = "output";
  run.recording().marks.insert(run.recording().marks.end() - 1, {.name = "source:output:0:0:output",
                                                                 .time = std::chrono::microseconds(30),
                                                                 .after = 11,
                                                                 .after_operation = 9});
  return Returns("output", expected, in_batches_of(3).explained_by(explain)).match(run.part("learner"));
}

TEST(Returns, OfAGraphsNodeTellsTheLastUpdateBeforeItsLaunchAndOneThatComesTooLate) {
  const verdict late = of_old_arguments(41, 35);
  EXPECT_THAT(
      late.why.observation,
      HasSubstr("Before cudaGraphLaunch (async_copy.cu:35), the executable graph was made or changed last by "
                "cudaGraphInstantiate (async_copy.cu:31). cudaGraphExecUpdate (async_copy.cu:41) comes only "
                "behind that launch."));
  EXPECT_EQ(late.why.where, "async_copy.cu:41, async_copy.cu:35, async_copy.cu:31, async_copy.cu:11");
  const verdict before = of_old_arguments(33, 35);
  EXPECT_THAT(
      before.why.observation,
      HasSubstr("the executable graph was made or changed last by cudaGraphExecUpdate (async_copy.cu:33)."));
  EXPECT_THAT(before.why.observation, testing::Not(HasSubstr("behind that launch")));
  EXPECT_THAT(before.why.observation, testing::Not(HasSubstr("the condition at")));
  EXPECT_EQ(before.why.where, "async_copy.cu:33, async_copy.cu:11");
}

TEST(Returns, OfAGraphsNodeTellsThatAnUpdateWasNotGivenTheLastCapture) {
  const verdict found = of_old_arguments(33, 35, 30);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "last by cudaGraphExecUpdate (async_copy.cu:33). That update was given a graph captured earlier "
          "(async_copy.cu:11). The graph captured last (async_copy.cu:30) was given to no update."));
  EXPECT_EQ(found.why.where, "async_copy.cu:33, async_copy.cu:11, async_copy.cu:30");
}

TEST(Returns, OfAGraphThatWasNotUpdatedAgainLeadsToWhatDecidesThat) {
  const verdict found = of_old_arguments(33, 35, 0, 2);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "Between the launch before and this one nothing updated it. async_copy.cu:33 is behind the "
          "condition at async_copy.cu:32. That kept the update away, although this round needs other arguments: look at what "
          "is compared there"));
  EXPECT_EQ(found.why.where, "async_copy.cu:32, async_copy.cu:33, async_copy.cu:11");
}

TEST(Returns, RecognisesTheResultOfAnotherBatch) {
  EXPECT_THAT(problem_with({1, 2, 3, 4, 2, 6}, expected), HasSubstr("That is the result of batch 0"));
  // One element that has the value of another batch does not make the others that.
  EXPECT_THAT(problem_with({1, 2, 3, 1, 9, 9}, expected), testing::Not(HasSubstr("the result of batch 0")));
}

/// Two copies into one buffer ahead of the kernel, and a third copy back of what it made in the pinned memory called "output".
sample_run overwritten_input(bool is_read_between) {
  sample_run run;
  run.recording().host_accesses.emplace();
  run.recording().allocations.push_back(
      {.id = 3, .kind = trace::memory_kind::pageable, .bytes = 24, .name = "output"});
  run.recording().allocations.push_back({.id = 4, .kind = trace::memory_kind::device, .bytes = 24});
  const auto copy_in = [&](microseconds_range when, int line) {
    run.touches(run.copy_to_device(run.lane[0], when, line), 2, trace::access_mode::write);
  };
  copy_in({0, 10}, 11);
  if (is_read_between) run.touches(run.kernel(run.lane[0], {10, 20}, 15), 2, trace::access_mode::read);
  copy_in({20, 30}, 11);
  const trace::operation_id kernel = run.kernel(run.lane[0], {30, 40}, 12);
  run.touches(kernel, 2, trace::access_mode::read);
  run.touches(kernel, 4, trace::access_mode::write);
  const trace::operation_id back = run.copy_to_host(run.lane[0], {40, 50}, 13);
  run.touches(back, 4, trace::access_mode::read);
  run.touches(back, 3, trace::access_mode::write);
  run.answer().set("output", std::vector<float>{4, 5, 6, 4, 5, 6});
  return run;
}

TEST(Returns, OfAnotherBatchBeginsWithTheCopyThatWroteOverWhatWasNotRead) {
  const auto judge = [](sample_run run) {
    return Returns("output", expected, in_batches_of(3)).match(run.learner()).why;
  };
  const report::evidence why = judge(overwritten_input(false));
  EXPECT_THAT(
      why.observation,
      HasSubstr("That is the result of batch 1. The device allocation 2 was used again too early: H2D 2 "
                "wrote over what H2D 1 had brought there, both at async_copy.cu:11, and only then "));
  EXPECT_THAT(why.observation, HasSubstr(" (async_copy.cu:12) read it. What was found was brought by"));
  EXPECT_EQ(why.where, "async_copy.cu:11, async_copy.cu:12");
  EXPECT_THAT(judge(overwritten_input(true)).observation, testing::Not(HasSubstr("too early")));
}

TEST(Returns, SaysWhereAValueBelongsThatOnlyOneElementShouldHave) {
  const auto problem_of = [](const std::vector<float>& right, const std::vector<float>& given) {
    return Returns("output", right).match(run_facts(runs_with(given, given), "")).why.observation;
  };
  EXPECT_THAT(problem_of({1, 2, 3, 4}, {3, 2, 1, 4}), HasSubstr("That value belongs to element 2."));
  EXPECT_THAT(problem_of({1, 2, 3, 3}, {3, 2, 3, 3}), testing::Not(HasSubstr("belongs")));
  EXPECT_THAT(problem_of({1, 2, 3, 4}, {7, 2, 3, 4}), HasSubstr("No element should have that value."));
}

TEST(Returns, SaysThatRightValuesAreShifted) {
  const auto problem_of = [](const std::vector<float>& given) {
    return Returns("output", {1, 2, 3, 4, 5, 6, 7, 8})
        .match(run_facts(runs_with(given, given), ""))
        .why.observation;
  };
  const std::string shifted = "3 wrong elements are shifted alike: each belongs 2 elements ";
  EXPECT_THAT(problem_of({1, 2, 3, 6, 7, 8, 1, 8}),
              HasSubstr("That value belongs to element 5. " + shifted + "further on."));
  EXPECT_THAT(problem_of({1, 2, 3, 4, 5, 4, 5, 6}), HasSubstr(shifted + "before."));
  EXPECT_THAT(problem_of({1, 2, 3, 6, 7, 1, 7, 8}), testing::Not(HasSubstr("shifted")));
}

TEST(Returns, SaysThatValuesAreShiftedWhereAnotherElementShouldHaveTheFirstByChance) {
  const std::vector<float> right = {6, 2, 3, 4, 5, 6, 7, 8}, given = {6, 2, 3, 6, 7, 8, 7, 8};
  EXPECT_THAT(
      Returns("output", right).match(run_facts(runs_with(given, given), "")).why.observation,
      HasSubstr(
          "That value belongs to element 5. 3 wrong elements are shifted alike: each belongs 2 elements further on."));
}

TEST(Returns, NotANumberIsWrongLikeAnyOtherValue) {
  EXPECT_THAT(problem_with({1, 2, 3, 4, 5, std::numeric_limits<float>::quiet_NaN()}, expected),
              HasSubstr("found nan"));
}

TEST(Returns, AMissingBufferIsAMistakeOfTheLesson) {
  sample_run run;
  run.answer();
  EXPECT_EQ(Returns("output", expected).match(run.part("")).run, report::run_verdict::infra_error);
}

TEST(Returns, ABufferOfAnotherSizeIsAMistakeOfTheLesson) {
  const verdict found = judged(runs_with({1, 2}, expected));
  EXPECT_EQ(found.run, report::run_verdict::infra_error);
  EXPECT_THAT(found.why.observation, HasSubstr("2 elements instead of 6"));
}

}  // namespace
}  // namespace matchers
