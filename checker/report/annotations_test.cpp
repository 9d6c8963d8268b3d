#include "report/annotations.h"

#include <gtest/gtest.h>

namespace report {
namespace {

TEST(Annotations, FileIsNamedRelativeToTheRepository) {
  const finding finding{
      finding_category::race, "r", "No order", "A 50% chance.\nTwo lines.", {{"/repo/src/a,b.cu", 7}}};
  EXPECT_EQ(annotation(finding, annotation_level::error, "/repo"),
            "::error file=src/a%2Cb.cu,line=7,title=race%3A No order::A 50%25 chance.%0ATwo lines.\n");
}

TEST(Annotations, CallersAreNamedInTheMessage) {
  const finding finding{
      finding_category::misuse, "r", "Title", "Message.", {{"/repo/a.cu", 7, {{"/repo/a.cu", 9}}}}};
  EXPECT_EQ(annotation(finding, annotation_level::warning, "/repo"),
            "::warning file=a.cu,line=7,title=misuse%3A Title::Message. a.cu:7 was called from line 9.\n");
}

TEST(Annotations, FindingWithoutALineIsOfTheWholeRun) {
  const finding finding{finding_category::misuse, "r", "Title", "Message.", {}};
  EXPECT_EQ(annotation(finding, annotation_level::warning, "/repo"),
            "::warning title=misuse%3A Title::Message.\n");
}

}  // namespace
}  // namespace report
