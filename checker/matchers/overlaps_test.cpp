#include "matchers/overlaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <chrono>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::Not;

sample_run two_lanes() {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.copy_to_device(run.lane[1], {100, 200}, 12);
  run.kernel(run.lane[1], {200, 300}, 13);
  return run;
}

sample_run one_after_another() {
  sample_run run;
  run.copy_to_device(run.default_stream, {0, 100}, 12);
  run.kernel(run.default_stream, {100, 200}, 13);
  run.copy_to_device(run.default_stream, {200, 300}, 12);
  run.kernel(run.default_stream, {300, 400}, 13);
  return run;
}

TEST(Overlaps, PassesWhenCopiesRunWhileKernelsRunAndNotesTheShare) {
  sample_run run = two_lanes();
  findings_scope scope;
  EXPECT_THAT(run.learner(), Overlaps(copies(), kernels()).at_least(0.5));
  EXPECT_THAT(scope.notes(), testing::ElementsAre("0.50, required 0.50"));
  EXPECT_TRUE(scope.failures().empty());
}

TEST(Overlaps, FailsJustAboveTheShareThatWasReached) {
  sample_run run = two_lanes();
  EXPECT_THAT(run.learner(), Not(Overlaps(copies(), kernels()).at_least(0.51)));
}

TEST(Overlaps, FailsInPlainWordsWithTheLineOfTheOperationThatStayedAlone) {
  sample_run run = one_after_another();
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), Overlaps(copies(), kernels()).at_least(0.6)),
                          "They did for 0 %");
  ASSERT_EQ(scope.failures().size(), 1u);
  const finding& found = scope.failures()[0];
  EXPECT_EQ(found.failure, report::run_verdict::no_overlap);
  EXPECT_EQ(found.why.required,
            "The copies run while kernels run, for at least 60 % of the shorter of the two.");
  EXPECT_THAT(found.why.seen,
              HasSubstr("copies were running for 200 us, kernels for 200 us, both at once for 0 ns."));
  EXPECT_THAT(
      found.why.seen,
      HasSubstr("the copy H2D 2 of 1.0 MB to the device in the default stream, from 200 us to 300 us"));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_NE(found.why.read_next, "");
}

TEST(Overlaps, FailuresNameTheCauseThatCostsMostWithItsLine) {
  sample_run run = one_after_another();
  for (trace::operation& each : run.recording().operations) each.issued = std::chrono::nanoseconds(1);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), Overlaps(copies(), kernels()).at_least(0.6)),
                          "What costs most: As far as the times tell: The kernel transform 2 in the default "
                          "stream could not start "
                          "before the copy H2D 2 of 1.0 MB to the device in the default stream ended: both "
                          "are in the default stream "
                          "(async_copy.cu:13).");
}

TEST(Overlaps, BlamesNothingThatTheLessonItselfIssues) {
  sample_run run = one_after_another();
  for (trace::operation& each : run.recording().operations) each.issued = std::chrono::nanoseconds(1);
  run.recording().files.push_back({"checker/lessons/07_priorities/drive.cpp", true});
  for (trace::host_call& each : run.recording().calls) each.where.file = 2;
  findings_scope scope;
  Overlaps(copies(), kernels()).at_least(0.6).MatchAndExplain(run.learner(), nullptr);
  EXPECT_THAT(scope.failures().at(0).why.seen, testing::Not(HasSubstr("What costs most")));
}

TEST(Overlaps, NamesTheWaitOfTheHostThatHeldTheOperationBack) {
  sample_run run = one_after_another();
  const auto wait = run.call("cudaStreamSynchronize", {400, 500}, 14);
  const auto late = run.copy_to_device(run.lane[0], {500, 650}, 12);
  run.kernel(run.lane[0], {650, 700}, 13);
  run.recording().operations[late - 1].waited_for = {
      {.kind = trace::constraint_kind::host_issue, .call = wait + 1}};
  findings_scope scope;
  Overlaps(copies(), kernels()).at_least(0.6).MatchAndExplain(run.learner(), nullptr);
  EXPECT_THAT(scope.failures().at(0).why.seen,
              HasSubstr("The host had not issued it before, because it was waiting in cudaStreamSynchronize "
                        "(async_copy.cu:14)."));
}

TEST(Overlaps, PrefersAnExampleThatDoesNotFollowItsOwnKernel) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const auto kernel = run.kernel(run.lane[0], {100, 200}, 13);
  const auto back = run.copy_to_host(run.lane[0], {200, 310}, 14);
  const auto next = run.copy_to_device(run.lane[0], {310, 410}, 12);
  run.kernel(run.lane[0], {410, 510}, 13);
  run.recording().operations[back - 1].waited_for = {
      {.kind = trace::constraint_kind::stream_order, .operation = kernel}};
  run.recording().operations[next - 1].waited_for = {
      {.kind = trace::constraint_kind::stream_order, .operation = back}};
  findings_scope scope;
  Overlaps(copies(), kernels()).at_least(0.6).MatchAndExplain(run.learner(), nullptr);
  EXPECT_THAT(
      scope.failures().at(0).why.seen,
      HasSubstr(
          "from 310 us to 410 us. Why it did not start earlier: It had to wait for the copy D2H 1 of 1.0 MB "
          "to the host in stream 2, which is before it in the same stream."));
}

TEST(Overlaps, SaysSoWhenThereIsNoKernel) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), Overlaps(copies(), kernels()).at_least(0.6)),
                          "There were no kernels at all.");
}

}  // namespace
}  // namespace matchers
