#include "checking/expectation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace checking {
namespace {

const rubric known{.make_request = nullptr,
                   .criteria = {{"IsRight", 50, ""}, {"IsFast", 30, ""}, {"IsOrdered", 20, ""}},
                   .skeleton_fails = {},
                   .second_profile = {},
                   .sweep = std::nullopt};

report::result judged(const std::vector<std::string>& failing) {
  report::result result;
  for (const criterion& line : known.criteria) {
    report::criterion_result one;
    one.name = line.name;
    const bool fails = std::find(failing.begin(), failing.end(), line.name) != failing.end();
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

TEST(Expectation, TheSecondLineSaysWhereTheReportLeads) {
  const auto target = [](const char* second_line) {
    return expectation_of(std::string("// fails: IsFast\n") + second_line, known).leads_to;
  };
  EXPECT_EQ(target("// where: 14 cause: one_stream\n// More.\n"), (report_target{14, "one_stream"}));
  EXPECT_EQ(target("// where: none cause: wrong_value"), (report_target{0, "wrong_value"}));
  EXPECT_EQ(target("// where: 8"), (report_target{8, ""}));
  EXPECT_EQ(target("// One lane too few."), std::nullopt);
  EXPECT_THROW(target("// where: here"), std::invalid_argument);
  EXPECT_THROW(target("// where: 1 2"), std::invalid_argument);
  EXPECT_THROW(target("// where: 1 cause: two words"), std::invalid_argument);
}

TEST(Expectation, IsNotMetWhenTheReportLeadsElsewhere) {
  report::result result = judged({"IsFast"});
  result.source = "lessons/x.cu";
  result.criteria[1].why.where = "x.cu:14, x.cu:12";
  result.criteria[1].mistake = "one_stream";
  const auto leading_to = [](int line, const char* cause) {
    return expectation{.must_fail = "IsFast", .leads_to = report_target{line, cause}};
  };
  EXPECT_EQ(difference(leading_to(14, "one_stream"), result), "");
  EXPECT_THAT(difference(leading_to(12, "one_stream"), result),
              testing::HasSubstr(
                  "  declared  where: 12 cause: one_stream\n  reported  where: 14 cause: one_stream\n"));
  EXPECT_THAT(difference(leading_to(14, "one_piece"), result), testing::HasSubstr("declared"));
  EXPECT_THAT(difference(leading_to(0, "one_stream"), result), testing::HasSubstr("declared  where: none"));
  result.criteria[1].why.called_from = {{"x.cu:14", {"x.cu:25"}}, {"x.cu:12", {"x.cu:30"}}};
  EXPECT_EQ(difference(leading_to(25, "one_stream"), result), "");
  EXPECT_NE(difference(leading_to(25, "one_piece"), result), "");
  EXPECT_NE(difference(leading_to(30, "one_stream"), result), "");
  result.backend = "gpu";
  EXPECT_EQ(difference(leading_to(12, "one_piece"), result), "");
}

TEST(Expectation, WhatToReadNextIsInTheSectionOfThePage) {
  const auto missing = [](const char* read_next) {
    report::result result = judged({"IsFast"});
    result.criteria[1].why.read_next = read_next;
    return read_next_not_in("# Page\n\n## The idea\n\n`cudaMalloc`\n\n## The calls\n\n`cudaFree`\n", result);
  };
  for (const char* there :
       {"The manual.", "The section \"The idea\" in the text.",
        "cudaMalloc in the section \"The idea\" in the text.", "The picture, and the section \"The calls\"."})
    EXPECT_EQ(missing(there), "");
  for (const char* elsewhere :
       {"the section \"The task\".", "cudaMalloc in the section \"The calls\" in the text."})
    EXPECT_EQ(missing(elsewhere), elsewhere);
}

TEST(Expectation, ARunWithoutCriteriaLeadsToItsOwnLine) {
  report::result result = ended(report::run_verdict::crashed);
  result.source = "x.cu";
  result.why.where = "x.cu:8";
  EXPECT_EQ(target_of(result, "verdict:crashed"), (report_target{8, ""}));
  result.why.where = "y.cu:8";
  EXPECT_EQ(target_of(result, "verdict:crashed"), report_target{});
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

report::result on_gpu(report::result result) {
  result.backend = "gpu";
  return result;
}

/// Of that criterion nothing can be said.
report::result silent_on(report::result result, std::size_t criterion) {
  result.criteria.at(criterion).verdict = report::criterion_verdict::not_observable;
  result.criteria.at(criterion).failure = report::run_verdict::pass;
  result.verdict = report::verdict_of(result.criteria);
  return result;
}

TEST(AgreementOnGpu, ARightAnswerMayHaveWhatIsNotObservable) {
  EXPECT_EQ(agreement_of({}, on_gpu(silent_on(judged({}), 1))), agreement::as_expected);
  EXPECT_EQ(agreement_of({}, silent_on(judged({}), 1)), agreement::otherwise);
}

TEST(AgreementOnGpu, AWrongAnswerThatCannotBeSeenIsUndecided) {
  const report::result silent = silent_on(judged({}), 0);
  const expectation expected{silent.criteria[0].name, {}};
  EXPECT_EQ(agreement_of(expected, on_gpu(silent)), agreement::undecided);
  EXPECT_EQ(agreement_of(expected, silent), agreement::otherwise);
}

TEST(AgreementOnGpu, AWrongAnswerThatPassesIsNotAsExpected) {
  EXPECT_EQ(agreement_of({"IsFast", {}}, on_gpu(judged({}))), agreement::otherwise);
}

TEST(AgreementOnGpu, AStrayFailureIsNeverExpected) {
  const report::result silent = silent_on(judged({"IsOrdered"}), 0);
  EXPECT_EQ(agreement_of({silent.criteria[0].name, {}}, on_gpu(silent)), agreement::otherwise);
}

TEST(AgreementOnGpu, AnUndefinedProgramMayEndAsDeclared) {
  const expectation expected{"IsFast", {"verdict:crashed"}};
  EXPECT_EQ(agreement_of(expected, on_gpu(ended(report::run_verdict::crashed))), agreement::as_expected);
  EXPECT_EQ(agreement_of(expected, ended(report::run_verdict::crashed)), agreement::otherwise);
  EXPECT_EQ(agreement_of(expected, on_gpu(ended(report::run_verdict::timeout))), agreement::otherwise);
}

TEST(Expectation, SaysWhatAGpuMayJudgeOtherwise) {
  EXPECT_EQ(expectation_of("// on a GPU: IsFast, IsRight\n// Slow there.\n", known).open_on_gpu,
            (std::vector<std::string>{"IsFast", "IsRight"}));
  const expectation wrong =
      expectation_of("// fails: IsFast\n// where: 14 cause: one_stream\n// on a GPU: IsFast\n", known);
  EXPECT_EQ(wrong.must_fail, "IsFast");
  EXPECT_EQ(wrong.leads_to, (report_target{14, "one_stream"}));
  EXPECT_EQ(wrong.open_on_gpu, std::vector<std::string>{"IsFast"});
  EXPECT_THROW(expectation_of("// on a GPU: IsSlow", known), std::invalid_argument);
  EXPECT_THROW(expectation_of("// on a GPU:", known), std::invalid_argument);
}

TEST(AgreementOnGpu, WhatIsDeclaredOpenIsUndecidedThereAndThereOnly) {
  const expectation right = expectation_of("// on a GPU: IsFast\n", known);
  EXPECT_EQ(agreement_of(right, on_gpu(judged({}))), agreement::as_expected);
  EXPECT_EQ(agreement_of(right, on_gpu(judged({"IsFast"}))), agreement::undecided);
  EXPECT_EQ(agreement_of(right, on_gpu(judged({"IsFast", "IsRight"}))), agreement::otherwise);
  EXPECT_EQ(agreement_of(right, judged({"IsFast"})), agreement::otherwise);
  const expectation wrong = expectation_of("// fails: IsFast\n// on a GPU: IsFast\n", known);
  EXPECT_EQ(agreement_of(wrong, on_gpu(judged({"IsFast"}))), agreement::as_expected);
  EXPECT_EQ(agreement_of(wrong, on_gpu(judged({}))), agreement::undecided);
  EXPECT_EQ(agreement_of(wrong, judged({})), agreement::otherwise);
}

TEST(AgreementOnGpu, WhatIsDeclaredOpenMayAlsoFailThere) {
  const expectation never_ends{"verdict:timeout", {}, std::nullopt, {"IsRight"}};
  EXPECT_EQ(agreement_of(never_ends, on_gpu(judged({"IsRight"}))), agreement::undecided);
  EXPECT_EQ(agreement_of(never_ends, on_gpu(judged({"IsRight", "IsFast"}))), agreement::otherwise);
  EXPECT_EQ(agreement_of(never_ends, judged({"IsRight"})), agreement::otherwise);
  const expectation is_slow_there{"IsRight", {}, std::nullopt, {"IsFast"}};
  EXPECT_EQ(agreement_of(is_slow_there, on_gpu(judged({"IsRight", "IsFast"}))), agreement::as_expected);
  EXPECT_EQ(agreement_of(is_slow_there, judged({"IsRight", "IsFast"})), agreement::otherwise);
  EXPECT_EQ(agreement_of(is_slow_there, on_gpu(judged({}))), agreement::otherwise);
}

TEST(AgreementOnGpu, WhatTheVirtualGpuRefusesMayRun) {
  EXPECT_EQ(agreement_of({"verdict:unsupported", {}}, on_gpu(judged({}))), agreement::undecided);
}

}  // namespace
}  // namespace checking
