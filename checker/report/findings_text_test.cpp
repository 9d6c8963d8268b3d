#include "report/findings_text.h"

#include <gmock/gmock.h>

namespace report {
namespace {

finding race_on_line(std::uint32_t line) {
  return {finding_category::race,
          "unordered_accesses",
          "Nothing orders them",
          "One writes, one reads.",
          {{"/x/a.cu", line}}};
}

TEST(FindingsText, TitleLinesAndMessage) {
  EXPECT_EQ(findings_text({race_on_line(7)}, 60),
            "race: Nothing orders them\n"
            "  a.cu:7\n"
            "  One writes, one reads.\n"
            "\n");
}

TEST(FindingsText, CallersStandBehindTheLine) {
  finding race = race_on_line(7);
  race.places.front().called_from = {{"/x/a.cu", 20}, {"/x/a.cu", 21}};
  EXPECT_THAT(findings_text({race}, 60), testing::HasSubstr("  a.cu:7 (called from line 20 or 21)\n"));
}

TEST(FindingsText, NothingFoundIsNothingSaid) { EXPECT_EQ(findings_text({}, 60), ""); }

TEST(FindingsText, MoreThanFiveOfACategoryAreCounted) {
  std::vector<finding> many;
  for (std::uint32_t line = 1; line <= 7; ++line) many.push_back(race_on_line(line));
  many.push_back({finding_category::misuse, "memory_leak", "Memory is never freed", "It is not.", {}});
  const std::string text = findings_text(many, 60);
  EXPECT_THAT(text, testing::HasSubstr("a.cu:5"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("a.cu:6")));
  EXPECT_THAT(text, testing::HasSubstr("Memory is never freed"));
  EXPECT_THAT(text, testing::EndsWith("and 2 more of the category race.\n"));
}

TEST(FindingsText, ARunWithoutAFindingSaysWhatWasLookedForAndInHowMuch) {
  trace::recording recording;
  recording.calls.resize(12);
  recording.operations.resize(1);
  analysis::mistakes mistakes{.races = std::vector<analysis::race_diagnosis>{}, .misuse = {}};
  EXPECT_EQ(nothing_found_text(recording, mistakes, analysis::program_end::by_itself),
            "no race between operations, no misuse and no leak found in 12 calls and 1 operation.");
  EXPECT_EQ(
      nothing_found_text(recording, mistakes, analysis::program_end::cut_short),
      "no race between operations and no misuse found in 12 calls and 1 operation. Leaks were not looked for: the program did "
      "not end with status 0.");
  mistakes.races = std::nullopt;
  EXPECT_EQ(nothing_found_text(recording, mistakes, analysis::program_end::by_itself),
            "no misuse and no leak found in 12 calls and 1 operation. Races could not be looked for: not all "
            "accesses are known.");
}

}  // namespace
}  // namespace report
