#include "matchers/facts/skipped_calls.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A run of a file with that text.
sample_run run_of(const std::string& text) {
  sample_run run;
  run.source() = {"async_copy.cu", text, ""};
  return run;
}

report::evidence named(sample_run& run, std::string_view word, const std::string& where = "") {
  report::evidence why{"", "", where, ""};
  name_skipped_calls(run.learner(), word, why);
  return why;
}

const std::string never_waits =
    "void f(int n, cudaStream_t s) {\n"
    "  cudaMemcpyAsync(a, b, n, cudaMemcpyDefault, s);\n"
    "  if (n < 0) cudaStreamSynchronize(s);\n"
    "}\n";

TEST(SkippedCalls, AWaitThatWasNeverMadeIsNamedBeforeTheOtherPlaces) {
  sample_run run = run_of(never_waits);
  run.copy_to_host(run.lane[0], {0, 10}, 2);
  const report::evidence why = named(run, "unfinished_at_return", "async_copy.cu:2");
  EXPECT_EQ(why.observation, " cudaStreamSynchronize (async_copy.cu:3) was never called.");
  EXPECT_EQ(why.where, "async_copy.cu:3, async_copy.cu:2");
}

TEST(SkippedCalls, NothingIsSaidOfACallThatWasMade) {
  sample_run run = run_of(never_waits);
  run.call("cudaStreamSynchronize", {0, 10}, 3);
  EXPECT_THAT(named(run, "unfinished_at_return").observation, IsEmpty());
}

TEST(SkippedCalls, NothingIsSaidOfCallsThatAreOfNoHelp) {
  sample_run run = run_of(never_waits);
  EXPECT_THAT(named(run, "event_left_over").observation, IsEmpty());
}

TEST(SkippedCalls, NothingIsSaidWhereACallHasNoLine) {
  sample_run run = run_of(never_waits);
  const trace::call_id wait = run.call("cudaStreamSynchronize", {0, 10}, 3);
  run.recording().calls.at(wait - 1).where = {};
  EXPECT_THAT(named(run, "unfinished_at_return").observation, IsEmpty());
}

TEST(SkippedCalls, NothingIsSaidWhereTheRecordingLacksCalls) {
  sample_run run = run_of(never_waits);
  run.recording().diagnostics.push_back({trace::diagnostic_kind::lost_records, "Some are lost.", 0, {}});
  EXPECT_THAT(named(run, "unfinished_at_return").observation, IsEmpty());
}

TEST(SkippedCalls, ACallMayStandInAnyLineOfItsStatement) {
  sample_run run = run_of("void f() {\n  check(\n      cudaFree(\n          p));\n}\n");
  run.call("cudaFree", {0, 1}, 2);
  EXPECT_THAT(named(run, "never_released").observation, IsEmpty());
}

TEST(SkippedCalls, TheConditionInFrontOfABlockIsNamed) {
  sample_run run = run_of(
      "void f(int n) {\n"
      "  cudaEventCreate(&e);\n"
      "  if (n < 0) {\n"
      "    for (auto& one : all) {\n"
      "      cudaEventDestroy(one);\n"
      "    }\n"
      "  }\n"
      "}\n");
  run.call("cudaEventCreate", {0, 1}, 2);
  const report::evidence why = named(run, "event_left_over", "async_copy.cu:2");
  EXPECT_EQ(
      why.observation,
      " cudaEventDestroy (async_copy.cu:5) was never called. It is behind the condition at async_copy.cu:3.");
  EXPECT_EQ(why.where, "async_copy.cu:5, async_copy.cu:3, async_copy.cu:2");
}

TEST(SkippedCalls, TheOnlyReturnBeforeACallIsNamed) {
  sample_run run = run_of(
      "float f() {\n"
      "  cudaEventCreate(&e);\n"
      "  if (cudaEventElapsedTime(&t, e, e) == cudaSuccess) return t;\n"
      "  cudaEventDestroy(e);\n"
      "  return t;\n"
      "}\n");
  run.call("cudaEventCreate", {0, 1}, 2);
  EXPECT_THAT(named(run, "event_left_over").observation,
              HasSubstr("The function had returned before, at async_copy.cu:3."));
}

TEST(SkippedCalls, OfTwoReturnsNoneIsNamed) {
  sample_run run = run_of(
      "float f() {\n"
      "  cudaEventCreate(&e);\n"
      "  if (a) return t;\n"
      "  if (b) return t;\n"
      "  cudaEventDestroy(e);\n"
      "}\n");
  run.call("cudaEventCreate", {0, 1}, 2);
  EXPECT_EQ(named(run, "event_left_over").observation,
            " cudaEventDestroy (async_copy.cu:5) was never called.");
}

TEST(SkippedCalls, AReturnIsNotNamedWhereALoopMayBeWhy) {
  sample_run run = run_of(
      "void f() {\n"
      "  cudaEventCreate(&e);\n"
      "  if (a) return;\n"
      "  for (int i = 0; i < n; ++i) cudaEventDestroy(e);\n"
      "}\n");
  run.call("cudaEventCreate", {0, 1}, 2);
  EXPECT_EQ(named(run, "event_left_over").observation,
            " cudaEventDestroy (async_copy.cu:4) was never called.");
}

TEST(SkippedCalls, AReturnOfALambdaEndsNoFunction) {
  sample_run run = run_of(
      "void f() {\n"
      "  cudaEventCreate(&e);\n"
      "  const auto one = [] { return 1; };\n"
      "  while (one() < 1) {\n    cudaEventDestroy(e);\n  }\n"
      "}\n");
  run.call("cudaEventCreate", {0, 1}, 2);
  EXPECT_EQ(named(run, "event_left_over").observation,
            " cudaEventDestroy (async_copy.cu:5) was never called.");
}

TEST(SkippedCalls, WhatIsDoneOnAnotherWayOutIsOfNoHelp) {
  sample_run run = run_of(
      "void f() {\n"
      "  if (cudaEventCreate(&e) != cudaSuccess) {\n"
      "    cudaStreamDestroy(s);\n"
      "    return;\n"
      "  }\n"
      "}\n");
  EXPECT_THAT(named(run, "stream_left_over").observation, IsEmpty());
}

TEST(SkippedCalls, ABranchBesideAnotherIsOfNoHelp) {
  sample_run run =
      run_of("void f() {\n  if (a) {\n    cudaFree(p);\n  } else\n    cudaFreeAsync(p, s);\n}\n");
  run.call("cudaFreeAsync", {0, 1}, 5);
  EXPECT_THAT(named(run, "never_released").observation, IsEmpty());
}

TEST(SkippedCalls, OnlyWhatEndsTheLeftOverObjectIsNamed) {
  sample_run run = run_of(
      "void f() {\n"
      "  cudaGraphInstantiate(&e, g, 0);\n"
      "  if (a) cudaGraphDestroy(g);\n"
      "  if (b) cudaGraphExecDestroy(e);\n"
      "}\n");
  run.call("cudaGraphInstantiate", {0, 1}, 2);
  EXPECT_EQ(named(run, "graph_left_over", "async_copy.cu:2").observation,
            " cudaGraphExecDestroy (async_copy.cu:4) was never called.");
}

TEST(SkippedCalls, ALaunchThatWasNeverMadeIsNamed) {
  sample_run run = run_of("void f() {\n  if (a) twice<<<1, 1, 0, s>>>(p);\n  once<<<1, 1>>>(p);\n}\n");
  run.kernel(run.lane[0], {0, 10}, 3);
  EXPECT_EQ(named(run, "result_not_made").observation,
            " The launch of twice (async_copy.cu:2) was never made.");
}

TEST(SkippedCalls, NothingIsSaidOfAFunctionThatNobodyCalls) {
  sample_run run =
      run_of("struct s {\n  ~s() {\n    cudaFree(p);\n  }\n};\nvoid f() {\n  cudaMalloc(&p, 1);\n}\n");
  run.call("cudaMalloc", {0, 1}, 7);
  EXPECT_THAT(named(run, "never_released").observation, IsEmpty());
}

TEST(SkippedCalls, CommentsAndMacrosHoldNoCalls) {
  sample_run run = run_of("#define FREE(p) \\\n  cudaFree(p)\n// cudaFree(p);\nvoid f() {}\n");
  EXPECT_THAT(named(run, "never_released").observation, IsEmpty());
}

std::string condition_before(const std::string& text, const std::string& where) {
  report::evidence why{"", "", where, ""};
  name_condition_before({"a.cu", text, ""}, why);
  return why.observation + " " + why.where;
}

/// Of a wait in line 3 that line 11 calls.
report::evidence condition_around(const std::string& caller) {
  sample_run run = run_of(
      "void take() {\n"
      "  const slot& s = at(back++);\n"
      "  cudaEventSynchronize(s.event);\n"
      "}\n"
      "class ring {\n"
      "  ring() : room(slots - 1) {}\n"
      "  bool full() const { return count == room; }\n"
      "  const int room;\n"
      "};\n"
      "void f() {\n" +
      caller + "\n}\n");
  run.call("cudaEventSynchronize", {0, 1}, 3);
  run.recording().calls.back().where.callers = 1;
  run.recording().callers = {{{{1, 11}}}};
  report::evidence why{"", "", "async_copy.cu:3", ""};
  name_condition_around(run.learner(), run.recording().calls.back(), why);
  return why;
}

TEST(ConditionAround, IsThatOfTheLineThatCallsTheWaitWithWhatItCalls) {
  const report::evidence why = condition_around("  if (r.full()) take();");
  EXPECT_EQ(why.observation,
            " It waits there under the condition at async_copy.cu:11, which calls full() (async_copy.cu:7).");
  EXPECT_EQ(why.where, "async_copy.cu:3, async_copy.cu:11, async_copy.cu:7");
  EXPECT_THAT(why.values, testing::Contains(report::source_line{6, "ring() : room(slots - 1) {}"}));
}

TEST(ConditionAround, IsNotOneInWhichTheWaitIsMade) {
  EXPECT_THAT(condition_around("  if (take() != 0) return;").observation, IsEmpty());
  EXPECT_THAT(condition_around("  take();").observation, IsEmpty());
}

TEST(ConditionBefore, IsTheReturnInTheSameBlock) {
  EXPECT_EQ(condition_before("void f(int n) {\n  if (n == 0) return;\n  store(n);\n}\n", "a.cu:3"),
            " a.cu:3 is behind the return at a.cu:2. a.cu:3, a.cu:2");
}

TEST(ConditionBefore, IsTheInnermostIf) {
  EXPECT_EQ(
      condition_before("void f(int n) {\n  if (n == 0) {\n    for (;;) {\n      store(n);\n    }\n  }\n}\n",
                       "a.cu:4, a.cu:9"),
      " a.cu:4 is behind the condition at a.cu:2. a.cu:4, a.cu:9, a.cu:2");
}

/// Of the call of store() in line 2, behind that in its function, which line 6 calls.
report::evidence condition_of_caller(const std::string& before) {
  report::evidence why{"", "", "a.cu:2", ""};
  const std::string end = before.ends_with('{') ? " }" : "";
  name_condition_before({"a.cu",
                         "void g() { " + before + "\n  store(1);" + end +
                             "\n}\nvoid f(int n) {\n  if (n == 0) {\n    g();\n  }\n}\n",
                         ""},
                        why, {"a.cu:6"});
  return why;
}

TEST(ConditionBefore, IsThatBeforeTheLineThatCallsTheFunction) {
  const report::evidence why = condition_of_caller("for (;;) {");
  EXPECT_EQ(why.observation, " a.cu:6 is behind the condition at a.cu:5.");
  EXPECT_EQ(why.where, "a.cu:2, a.cu:5");
}

TEST(ConditionBefore, IsNotThatOfTheCallerWhereTheFunctionItselfDecides) {
  EXPECT_THAT(condition_of_caller("if (is_new)").observation, IsEmpty());
  EXPECT_THAT(condition_of_caller("switch (n) {").observation, IsEmpty());
  EXPECT_THAT(condition_of_caller("for (;;) { break; }").observation, IsEmpty());
}

TEST(ConditionBefore, IsNotSaidOfTheLineItself) {
  EXPECT_EQ(condition_before("void f(int n) {\n  if (n) {\n    if (n > 2) store(n);\n  }\n}\n", "a.cu:3"),
            " a.cu:3");
}

}  // namespace
}  // namespace matchers
