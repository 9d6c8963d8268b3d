#include "matchers/matcher.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

matcher answering(const verdict& answer) {
  return {"it answers", [answer](const run_facts&) { return answer; }};
}

TEST(Matcher, KeepsItsVerdictOnceAlthoughGoogleMockAsksTwice) {
  sample_run run;
  std::vector<verdict> verdicts;
  const matcher failing = answering(failed(report::run_verdict::too_slow, "", {"", "it was slow", "", ""}));
  EXPECT_THAT((subject{run.learner(), &verdicts}), testing::Not(failing));
  EXPECT_THAT((subject{run.learner(), &verdicts}), testing::Not(failing));
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts.front().why.observation, "it was slow");
}

TEST(Matcher, WhatIsNotObservableDoesNotFail) {
  sample_run run;
  std::vector<verdict> verdicts;
  EXPECT_THAT((subject{run.learner(), &verdicts}), answering(not_observable("nobody looked")));
  EXPECT_EQ(verdicts.front().note, "nobody looked");
}

TEST(Matcher, ExplainsAFailureByWhatWasSeen) {
  sample_run run;
  std::vector<verdict> verdicts;
  testing::StringMatchResultListener explanation;
  const testing::Matcher<const subject&> failing =
      answering(failed(report::run_verdict::too_slow, "", {"", "it was slow", "", ""}));
  EXPECT_FALSE(failing.MatchAndExplain({run.learner(), &verdicts}, &explanation));
  EXPECT_EQ(explanation.str(), "it was slow");
}

}  // namespace
}  // namespace matchers
