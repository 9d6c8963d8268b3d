#include "checking/check_json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace checking {
namespace {

using nlohmann::json;

report::result failed_in(const std::string& criterion) {
  report::result result;
  report::criterion_result& one = result.criteria.emplace_back();
  one.name = criterion;
  one.verdict = report::criterion_verdict::fail;
  one.failure = report::run_verdict::no_overlap;
  one.why.where = "x.cu:14";
  one.mistake = "one_stream";
  result.source = "x.cu";
  result.verdict = one.failure;
  return result;
}

TEST(CheckJson, SaysThatWhatWasExpectedCameOut) {
  const json printed = json::parse(expectation_json({"IsFast", {"IsRight"}}, failed_in("IsFast")));
  EXPECT_EQ(printed.at("as_expected"), true);
  EXPECT_EQ(printed.at("expected"), (json{{"must_fail", "IsFast"}, {"may_fail", {"IsRight"}}}));
  EXPECT_EQ(printed.at("difference"), "");
  EXPECT_EQ(printed.at("leads_to"), (json{{"line", 14}, {"cause", "one_stream"}}));
  EXPECT_EQ(printed.at("result").at("verdict"), "no_overlap");
}

TEST(CheckJson, HoldsTheTableWhenSomethingElseCameOut) {
  const json printed = json::parse(expectation_json({"IsRight", {}}, failed_in("IsFast")));
  EXPECT_EQ(printed.at("as_expected"), false);
  EXPECT_THAT(printed.at("difference").get<std::string>(), testing::HasSubstr("expected to fail: IsRight"));
}

TEST(CheckJson, SurvivesWhatIsNotText) {
  report::result result = failed_in("IsFast");
  result.criteria.front().why.observation = "printed \xff";
  EXPECT_TRUE(json::accept(expectation_json({"IsRight", {}}, result)));
}

TEST(CheckJson, ListsTheCriteriaInTheirOrder) {
  const rubric known{.make_request = nullptr,
                     .criteria = {{"IsRight", 60, "it is right"}, {"IsFast", 40, "it is fast"}},
                     .skeleton_fails = {"IsFast"},
                     .second_profile = {},
                     .sweep = std::nullopt};
  const json printed = json::parse(rubric_json(known));
  ASSERT_EQ(printed.at("criteria").size(), 2u);
  EXPECT_EQ(printed.at("criteria")[0], (json{{"name", "IsRight"}, {"points", 60}, {"title", "it is right"}}));
  EXPECT_EQ(printed.at("skeleton_fails"), (json{"IsFast"}));
}

TEST(CheckJson, TellsWhatCanBeSwept) {
  rubric known;
  EXPECT_FALSE(json::parse(rubric_json(known)).contains("sweep"));
  known.sweep = {.function = "add()",
                 .parameters = {{{"streams", 1, 16, {1, 2}}, {"chunks", 1, 64, {1, 8}}}},
                 .expected = nullptr};
  const json sweep = json::parse(rubric_json(known)).at("sweep");
  EXPECT_EQ(sweep.at("of"), "add()");
  EXPECT_EQ(sweep.at("parameters")[1],
            (json{{"name", "chunks"}, {"least", 1}, {"most", 64}, {"usual", {1, 8}}}));
}

}  // namespace
}  // namespace checking
