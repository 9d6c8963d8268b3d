#include "runner/verify/asked_sentences.h"

#include <gmock/gmock.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(AskedSentences, AreThoseAboveFunctionsWithoutABody) {
  constexpr auto contract = R"(
/// A lane. It is yours.
struct lane {
  /// Fills it.
  void (*fill)(int lane);
};
/// Adds.
static __global__ void add(int i) {
}
/// Takes each batch (0, 1, ...) through `add`, in order,
/// once. `lane` holds it, in work.lanes. May be called again.
void run(const lane& work,
         int count);
)";
  EXPECT_THAT(asked_sentences(contract, ""),
              ElementsAre("Takes each batch (0, 1, ...) through `add`, in order, once.",
                          "`lane` holds it, in work.lanes.", "May be called again."));
}

TEST(AskedSentences, AreTheTextsOfTodosWithoutTheirSize) {
  constexpr auto skeleton = R"(
  // TODO 1: an event in place of the wait: `add` needs the weights, and nothing else
  // (about 4 lines)
  add();  // TODO: not this
  // end of TODO 1
  // TODO 2: as many blocks as fit (1 line)
  // end of TODO 2
)";
  EXPECT_THAT(asked_sentences("", skeleton),
              ElementsAre("an event in place of the wait: `add` needs the weights, and nothing else",
                          "as many blocks as fit"));
}

TEST(QuotedSentences, BelongToTheCriterionBelowThem) {
  constexpr auto check = R"(
// The "rubric".
constexpr int count = 7;
// "Takes each batch through
// `add`." "in order"
CRITERION(Lesson, IsRight, 50, "right") {
}

// Why it matters: "once".
CRITERION(Lesson, IsOnce, 50, "once") {
)";
  EXPECT_THAT(quoted_sentences(check),
              ElementsAre(quoted_sentence{"Takes each batch through `add`.", "IsRight", ""},
                          quoted_sentence{"in order", "IsRight", ""}, quoted_sentence{"once", "IsOnce", ""}));
}

TEST(QuotedSentences, MayBeLeftUnjudgedForAReason) {
  EXPECT_THAT(quoted_sentences("// Not judged: \"Be brief.\" Taste.\n\n// Not judged: \"Be kind.\"\n\n"),
              ElementsAre(quoted_sentence{"Be brief.", "", "Taste."}, quoted_sentence{"Be kind.", "", ""}));
  EXPECT_THAT(quoted_sentences("// Elsewhere \"quoted\".\nint i;\n"), IsEmpty());
}

TEST(CommentText, IsOneLineOfWhatAllCommentsSay) {
  EXPECT_THAT(comment_text("/// Adds\n/// both.\nint i;  ///< at most\nint j;\n"), "Adds both. at most");
}

}  // namespace
}  // namespace runner
