#include "matchers/source_changes.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

constexpr const char* as_it_comes = "int a;\nint b;  // the second\nint c;\n";

verdict judged(const std::string& text, std::size_t allowed) {
  sample_run run;
  run.source() = {"detective.cu", text, as_it_comes};
  return ChangesAtMost(allowed).match(run.learner());
}

TEST(ChangesAtMost, CountsNeitherCommentsNorSpaces) {
  EXPECT_EQ(judged("// mine\nint a;\n\nint  b; // changed\nint c;\n", 0).outcome,
            report::criterion_verdict::pass);
}

TEST(ChangesAtMost, CountsALineThatIsReplacedOnce) {
  const verdict found = judged("int a;\nint two;\nint c;\nint d;\n", 2);
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "2 lines changed, allowed 2");
}

TEST(ChangesAtMost, CountsLinesThatAreLeftOut) {
  EXPECT_EQ(judged("int a;\n", 2).outcome, report::criterion_verdict::pass);
  EXPECT_EQ(judged("", 2).outcome, report::criterion_verdict::fail);
}

TEST(ChangesAtMost, NamesTheFirstLineBeyondTheLimit) {
  const verdict found = judged("int one;\nint b;\nint three;\nint d;\n", 1);
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "too_many_changes");
  EXPECT_EQ(found.why.where, "detective.cu:3");
  EXPECT_THAT(found.why.observation, testing::StartsWith("3 lines differ."));
}

}  // namespace
}  // namespace matchers
