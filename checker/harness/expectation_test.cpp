#include "harness/expectation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace harness {
namespace {

const rubric known{.make_request = nullptr,
                   .criteria = {{"IsRight", 50, ""}, {"IsFast", 30, ""}, {"IsOrdered", 20, ""}},
                   .skeleton_fails = {}};

report::result judged(const std::vector<std::string>& failing) {
  report::result result;
  for (const criterion& each : known.criteria) {
    report::criterion_result one;
    one.name = each.name;
    const bool fails = std::find(failing.begin(), failing.end(), each.name) != failing.end();
    one.verdict = fails ? report::criterion_verdict::fail : report::criterion_verdict::pass;
    one.failure = report::run_verdict::requirement_missed;
    result.criteria.push_back(one);
  }
  result.verdict = report::verdict_of(result.criteria);
  return result;
}

report::result ended(report::run_verdict verdict) {
  report::result result;
  result.verdict = verdict;
  return result;
}

TEST(Expectation, ReadsTheFirstAndTheOthers) {
  EXPECT_EQ(expectation_of("// fails: IsFast also: IsRight, IsOrdered", known),
            (expectation{"IsFast", {"IsRight", "IsOrdered"}}));
  EXPECT_EQ(expectation_of("// fails: verdict:compile_error", known),
            (expectation{"verdict:compile_error", {}}));
}

TEST(Expectation, AFileWithoutTheLineIsARightAnswer) {
  EXPECT_EQ(expectation_of("// Waits.", known), expectation{});
}

TEST(Expectation, RefusesNamesThatDoNotExist) {
  EXPECT_THROW(expectation_of("// fails: IsSlow", known), std::invalid_argument);
  EXPECT_THROW(expectation_of("// fails: IsFast also: IsSlow", known), std::invalid_argument);
  EXPECT_THROW(expectation_of("// fails: verdict:sunshine", known), std::invalid_argument);
  EXPECT_THROW(expectation_of("// fails:", known), std::invalid_argument);
  EXPECT_THROW(expectation_of("// fails: IsFast IsRight", known), std::invalid_argument);
}

TEST(Expectation, IsMetWhenTheFirstFailsAndOnlyTheOthersWithIt) {
  const expectation expected{"IsFast", {"IsRight"}};
  EXPECT_EQ(difference(expected, judged({"IsFast"})), "");
  EXPECT_EQ(difference(expected, judged({"IsFast", "IsRight"})), "");
}

TEST(Expectation, IsNotMetWhenTheFirstPasses) {
  EXPECT_THAT(difference({"IsFast", {"IsRight"}}, judged({"IsRight"})), testing::HasSubstr("must fail"));
}

TEST(Expectation, IsNotMetWhenAnotherFails) {
  EXPECT_NE(difference({"IsFast", {"IsRight"}}, judged({"IsFast", "IsOrdered"})), "");
}

TEST(Expectation, ARightAnswerMustPassEverything) {
  EXPECT_EQ(difference({}, judged({})), "");
  EXPECT_NE(difference({}, judged({"IsFast"})), "");
  report::result unseen = judged({});
  unseen.criteria[1].verdict = report::criterion_verdict::not_observable;
  EXPECT_NE(difference({}, unseen), "");
}

TEST(Expectation, TheVerdictOfARunThatWasNotJudgedIsWhatFails) {
  EXPECT_EQ(difference({"verdict:crashed", {}}, ended(report::run_verdict::crashed)), "");
  EXPECT_NE(difference({"verdict:crashed", {}}, ended(report::run_verdict::timeout)), "");
  EXPECT_NE(difference({"IsFast", {}}, ended(report::run_verdict::crashed)), "");
  EXPECT_NE(difference({}, ended(report::run_verdict::infra_error)), "");
}

}  // namespace
}  // namespace harness
