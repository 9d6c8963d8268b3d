#include "matchers/host_functions.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

TEST(AnnouncesEachCopyBack, PassesWhenAFunctionFollowsEach) {
  sample_run run;
  for (int begin = 0; begin < 300; begin += 100) {
    run.kernel(run.lane[0], {begin, begin + 20}, 13);
    run.copy_to_host(run.lane[0], {begin + 20, begin + 40}, 14);
    run.host_function(run.lane[0], {begin + 40, begin + 50}, 15);
  }
  EXPECT_EQ(AnnouncesEachCopyBack().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(AnnouncesEachCopyBack, FailsWhenTheFunctionComesBeforeTheCopy) {
  sample_run run;
  for (int begin = 0; begin < 300; begin += 100) {
    run.kernel(run.lane[0], {begin, begin + 20}, 13);
    run.host_function(run.lane[0], {begin + 20, begin + 30}, 15);
    run.copy_to_host(run.lane[0], {begin + 30, begin + 40}, 14);
  }
  const verdict found = AnnouncesEachCopyBack().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("The host function 1 in stream 2 (async_copy.cu:15) was queued before the copy D2H 1 of 1.0 "
                "MB to the host in stream 2 (async_copy.cu:14), and so runs before it: it has to be queued "
                "behind that copy. That is so with 3 of 3 copies."));
  EXPECT_EQ(found.why.where, "async_copy.cu:15, async_copy.cu:14");
}

TEST(AnnouncesEachCopyBack, NamesTheFunctionThatIsQueuedNextInAnotherStream) {
  sample_run run;
  for (int begin = 0; begin < 300; begin += 100) {
    run.kernel(run.lane[0], {begin, begin + 20}, 13);
    run.copy_to_host(run.lane[0], {begin + 20, begin + 40}, 14);
    run.host_function(sample_run::default_stream, {begin + 20, begin + 30}, 15);
  }
  const verdict found = AnnouncesEachCopyBack().match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("The host function 1 in the default stream (async_copy.cu:15), which was queued next behind "
                "the copy D2H 1 of 1.0 MB to the host in stream 2 (async_copy.cu:14), is in another stream"));
  EXPECT_EQ(found.why.where, "async_copy.cu:15, async_copy.cu:14");
}

TEST(AnnouncesEachCopyBack, AFunctionAtTheEndAnnouncesOnlyTheLast) {
  sample_run run;
  for (int begin = 0; begin < 300; begin += 100) {
    run.kernel(run.lane[0], {begin, begin + 20}, 13);
    run.copy_to_host(run.lane[0], {begin + 30, begin + 40}, 14);
  }
  run.host_function(run.lane[0], {300, 310}, 15);
  const verdict found = AnnouncesEachCopyBack().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("after the copy D2H 1 of"));
}

TEST(AnnouncesEachCopyBack, AResultMayComeBackInTwoCopies) {
  sample_run run;
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  run.copy_to_host(run.lane[0], {40, 60}, 14);
  run.host_function(run.lane[0], {60, 70}, 15);
  EXPECT_EQ(AnnouncesEachCopyBack().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(AnnouncesEachCopyBack, AnEventMayLeadToAFunctionInAnotherStream) {
  sample_run run;
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  const trace::operation_id record = run.marker(trace::operation_kind::event_record, run.lane[0], 40, 15);
  const trace::operation_id wait = run.marker(trace::operation_kind::event_wait, run.lane[1], 41, 16);
  run.host_function(run.lane[1], {41, 50}, 17);
  EXPECT_EQ(AnnouncesEachCopyBack().match(run.learner()).outcome, report::criterion_verdict::fail);
  run.recording().operations[wait - 1].captured = record;
  EXPECT_EQ(AnnouncesEachCopyBack().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(AnnouncesEachCopyBack, FailsWhenThereIsNoFunctionOrNoCopy) {
  sample_run run;
  verdict found = AnnouncesEachCopyBack().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("Nothing was copied to the host."));
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  found = AnnouncesEachCopyBack().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("There were no host functions at all."));
}

TEST(AnnouncesEachCopyBack, FailsWhenNoThreadGoesOnBecauseOfAFunction) {
  sample_run run;
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  run.host_function(run.lane[0], {41, 50}, 15);
  run.recording().host_edges.clear();
  const verdict found = AnnouncesEachCopyBack().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.why.where, "async_copy.cu:15");
}

TEST(AnnouncesEachCopyBack, WithoutAccessesSaysThatTheyAreMissing) {
  sample_run run;
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  run.host_function(run.lane[0], {41, 50}, 15);
  run.recording().host_edges.clear();
  run.recording().host_accesses.reset();
  const verdict found = AnnouncesEachCopyBack().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "1 copies, 1 host functions; whether they tell a thread is not recorded");
}

TEST(CallsNoCudaInHostFunctions, PassesWhenNothingWasNoted) {
  sample_run run;
  run.host_function(run.lane[0], {0, 10}, 13);
  EXPECT_EQ(CallsNoCudaInHostFunctions().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(CallsNoCudaInHostFunctions, NamesTheCallThatWasNoted) {
  sample_run run;
  run.host_function(run.lane[0], {0, 10}, 13);
  const trace::call_id call = run.call("cudaMemcpyAsync", {5, 6}, 21);
  run.recording().calls[call - 1].error_code = 800;
  run.recording().calls[call - 1].error_name = "cudaErrorNotPermitted";
  run.recording().diagnostics.push_back(
      {trace::diagnostic_kind::cuda_call_in_host_function, "no", call, {1, 21}});
  const verdict found = CallsNoCudaInHostFunctions().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "A host function called cudaMemcpyAsync, which answered cudaErrorNotPermitted and did nothing."));
  EXPECT_EQ(found.why.where, "async_copy.cu:21");
}

TEST(CallsNoCudaInHostFunctions, TheErrorIsEnough) {
  sample_run run;
  run.recording().calls[run.call("cudaStreamQuery", {5, 6}, 21) - 1].error_code = 800;
  EXPECT_EQ(CallsNoCudaInHostFunctions().match(run.learner()).outcome, report::criterion_verdict::fail);
}

TEST(CallsNoCudaInHostFunctions, OtherDiagnosticsAndOtherPartsDoNotCount) {
  sample_run run;
  const trace::call_id call = run.call("cudaMalloc", {5, 6}, 21);
  run.recording().diagnostics.push_back({trace::diagnostic_kind::use_after_free, "", call, {}});
  run.recording().diagnostics.push_back({trace::diagnostic_kind::cuda_call_in_host_function, "", 0, {}});
  EXPECT_EQ(CallsNoCudaInHostFunctions().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(HostFunctionsAreShort, PassesWhenTheyOnlyWakeSomebodyUp) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.host_function(run.lane[0], {100, 110}, 14);
  run.kernel(run.lane[1], {100, 200}, 13);
  run.host_function(run.lane[1], {200, 210}, 14);
  const verdict found = HostFunctionsAreShort().at_most(0.2).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "0.10, allowed 0.20");
}

TEST(HostFunctionsAreShort, WantsAKernelToCompareThemWith) {
  sample_run run;
  run.host_function(run.lane[0], {100, 110}, 14);
  const verdict found = HostFunctionsAreShort().at_most(0.3).match(run.learner());
  EXPECT_EQ(found.mistake, "no_kernels");
  EXPECT_THAT(found.why.observation, HasSubstr("no kernel"));
}

TEST(HostFunctionsAreShort, NamesTheLongest) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.host_function(run.lane[0], {100, 110}, 14);
  run.host_function(run.lane[1], {110, 200}, 15);
  const verdict found = HostFunctionsAreShort().at_most(0.3).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("They took 100 us while kernels ran for 100 us (100 %). The longest, the host function 2 in "
                "stream 3, took 90 us"));
  EXPECT_EQ(found.why.where, "async_copy.cu:15");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(HostFunctionsAreShort, NamesTheFunctionWhereTheFileDefinesIt) {
  sample_run run;
  run.source() = {"async_copy.cu",
                  "void announce(void* data) {\n"
                  "  store(data);\n"
                  "}\n"
                  "void f() { cudaLaunchHostFunc(stream, announce, &lane); }\n"
                  "void g() { cudaLaunchHostFunc(stream, [](void*) {}, &lane); }\n",
                  ""};
  run.kernel(run.lane[0], {0, 100}, 13);
  run.host_function(run.lane[0], {100, 190}, 4);
  const verdict found = HostFunctionsAreShort().at_most(0.3).match(run.learner());
  EXPECT_THAT(found.why.observation,
              testing::EndsWith("That is `announce` (async_copy.cu:1): what it calls takes that long."));
  EXPECT_EQ(found.why.where, "async_copy.cu:4, async_copy.cu:1");
  run.host_function(run.lane[0], {200, 300}, 5);
  EXPECT_EQ(HostFunctionsAreShort().at_most(0.3).match(run.learner()).why.where, "async_copy.cu:5");
}

TEST(HostFunctionsAreShort, FailsWhenThereIsNone) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  const verdict found = HostFunctionsAreShort().at_most(0.3).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("There were no host functions at all."));
}

}  // namespace
}  // namespace matchers
