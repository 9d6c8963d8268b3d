#include "matchers/graphs.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

/// A graph instantiated in line 20, and two launches of it, each with one kernel.
sample_run two_launches() {
  sample_run run;
  run.call("cudaStreamEndCapture", {0, 1}, 19, run.lane[0]);
  run.call("cudaGraphInstantiate", {1, 9}, 20);
  for (const int begin : {10, 20}) {
    const trace::operation_id launch =
        run.marker(trace::operation_kind::graph_launch, run.lane[0], begin, 30);
    run.recording().calls.back().function = trace::api_function::cudaGraphLaunch;
    run.kernel(run.lane[0], {begin + 1, begin + 5}, 30);
    run.recording().operations.back().graph_launch = launch;
  }
  return run;
}

TEST(LaunchesOneGraph, PassesWhenEverythingIsANodeOfIt) {
  sample_run run = two_launches();
  const verdict found = LaunchesOneGraph().times(2).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass) << found.why.observation;
  EXPECT_EQ(found.measured->value, "1 instantiated");
}

TEST(LaunchesOneGraph, FailsAtTheSecondInstantiation) {
  sample_run run = two_launches();
  run.call("cudaGraphInstantiate", {30, 39}, 21);
  const verdict found = LaunchesOneGraph().times(2).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "instantiated_again");
  EXPECT_EQ(found.why.where, "async_copy.cu:21");
  EXPECT_THAT(found.why.observation, HasSubstr("instantiated 2 times, for 2 launches"));
}

TEST(LaunchesOneGraph, NamesTheInstantiationThatIsNeverLaunched) {
  sample_run run;
  run.call("cudaGraphInstantiate", {0, 1}, 18);
  run.call("cudaGraphInstantiate", {1, 2}, 20);
  run.marker(trace::operation_kind::graph_launch, run.lane[0], 10, 30);
  run.recording().calls.back().function = trace::api_function::cudaGraphLaunch;
  const verdict found = LaunchesOneGraph().times(1).match(run.learner());
  EXPECT_EQ(found.mistake, "instantiated_again");
  EXPECT_EQ(found.why.where, "async_copy.cu:18");
}

TEST(LaunchesOneGraph, DoesNotCountAnInstantiationThatFailed) {
  sample_run run = two_launches();
  run.call("cudaGraphInstantiate", {30, 39}, 21);
  run.recording().calls.back().error_code = 1;
  EXPECT_EQ(LaunchesOneGraph().times(2).match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(LaunchesOneGraph, FailsAtWorkBesideTheGraph) {
  sample_run run = two_launches();
  run.copy_to_host(run.lane[0], {40, 50}, 33);
  const verdict found = LaunchesOneGraph().times(2).match(run.learner());
  EXPECT_EQ(found.mistake, "queued_beside_graph");
  EXPECT_EQ(found.why.where, "async_copy.cu:33");
}

TEST(LaunchesOneGraph, FailsAtTheLastOfTooManyLaunches) {
  sample_run run = two_launches();
  const verdict found = LaunchesOneGraph().times(1).match(run.learner());
  EXPECT_EQ(found.mistake, "launches_miscounted");
  EXPECT_EQ(found.why.where, "async_copy.cu:30");
  EXPECT_THAT(found.why.observation, HasSubstr("launched 2 times"));
}

TEST(LaunchesOneGraph, IsNotJudgedWhereTheInstantiationFailed) {
  sample_run run;
  const auto refused = run.call("cudaGraphInstantiate", {0, 1}, 10);
  run.recording().calls.at(refused - 1).error_code = 1;
  run.recording().calls.at(refused - 1).error_name = "cudaErrorInvalidValue";
  const verdict found = LaunchesOneGraph().times(2).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
  EXPECT_EQ(
      found.note,
      "No graph was instantiated: cudaGraphInstantiate (async_copy.cu:10) failed with cudaErrorInvalidValue.");
}

TEST(LaunchesOneGraph, FailsWithoutAGraph) {
  sample_run run;
  run.kernel(run.lane[0], {0, 10}, 12);
  const verdict found = LaunchesOneGraph().times(2).match(run.learner());
  EXPECT_EQ(found.mistake, "no_graph");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  sample_run nothing;
  EXPECT_EQ(LaunchesOneGraph().times(2).match(nothing.learner()).mistake, "no_graph");
}

TEST(DestroysItsGraphs, LeadsToTheCallerOfTheFunctionThatMadeTheLast) {
  sample_run run = two_launches();
  run.recording().callers = {{{{1, 43}}}};
  for (trace::host_call& call : run.recording().calls)
    if (trace::effect_of(call) == trace::call_effect::creates_graph) call.where.callers = 1;
  const verdict found = DestroysItsGraphs().match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:43, async_copy.cu:19");
  EXPECT_THAT(found.why.observation,
              HasSubstr("The function of that line was called from async_copy.cu:43: a graph that it "
                        "returns is to be destroyed by its caller."));
}

TEST(DestroysItsGraphs, FailsAtTheLastCallThatMadeOne) {
  sample_run run = two_launches();
  const verdict graph = DestroysItsGraphs().match(run.learner());
  EXPECT_EQ(graph.mistake, "graph_left_over");
  EXPECT_EQ(graph.why.where, "async_copy.cu:19");
  run.call("cudaGraphDestroy", {40, 41}, 40);
  const verdict executable = DestroysItsGraphs().match(run.learner());
  EXPECT_EQ(executable.mistake, "graph_left_over");
  EXPECT_EQ(executable.why.where, "async_copy.cu:20");
  EXPECT_THAT(executable.why.observation, HasSubstr("1 executable graph; destroyed: 0"));
  run.call("cudaGraphExecDestroy", {42, 43}, 41);
  EXPECT_EQ(DestroysItsGraphs().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(GivesAGraph, NamesTheFunctionThatGaveNone) {
  sample_run run;
  run.answer().set("capture_round.graphs", std::int64_t{1});
  EXPECT_EQ(GivesAGraph("capture_round").match(run.learner()).outcome, report::criterion_verdict::pass);
  run.answer().set("capture_round.graphs", std::int64_t{0});
  const verdict found = GivesAGraph("capture_round").match(run.learner());
  EXPECT_EQ(found.mistake, "no_graph");
  EXPECT_THAT(found.why.required, testing::StartsWith("capture_round() returns a graph"));
}

}  // namespace
}  // namespace matchers
