#include "checking/todo_regions.h"

#include <gmock/gmock.h>

namespace checking {
namespace {

const char* const skeleton = R"(int f() {
  // TODO 1: return the answer (about 1 line)
  return 0;
  // end of TODO 1
}
)";

TEST(TodoRegions, TheInsideMayDiffer) {
  EXPECT_EQ(difference_outside_todos(skeleton, R"(int f() {
  // TODO 1, done: somebody computed it.
  const int answer = 42;
  return answer;
  // end of TODO 1
}
)"),
            "");
}

TEST(TodoRegions, ALineOutsideMayNot) {
  EXPECT_THAT(difference_outside_todos(skeleton, R"(long f() {
  // TODO 1, done: somebody computed it.
  // end of TODO 1
}
)"),
              testing::HasSubstr("line 1 of the skeleton and line 1 of the solution differ"));
}

TEST(TodoRegions, ALineMoreAtTheEndIsADifference) {
  EXPECT_NE(difference_outside_todos(skeleton, std::string(skeleton) + "int g();\n"), "");
}

TEST(TodoRegions, BothHaveTheSameRegions) {
  EXPECT_NE(difference_outside_todos(skeleton, "int f() {\n}\n"), "");
}

TEST(TodoRegions, ASkeletonWithoutATodoIsNoSkeleton) {
  EXPECT_EQ(difference_outside_todos("int f();\n", "int f();\n"), "the skeleton has no TODO");
}

TEST(TodoRegions, ARegionIsClosedByItsOwnEnd) {
  EXPECT_EQ(difference_outside_todos("// TODO 1: x\n", skeleton), "TODO 1 has no end");
  EXPECT_EQ(difference_outside_todos("// TODO 1: x\n// end of TODO 2\n", skeleton),
            "line 2: ends TODO 2 inside TODO '1'");
  EXPECT_EQ(difference_outside_todos("// TODO 1: x\n// TODO 2: x\n", skeleton),
            "line 2: TODO 2 begins inside another");
}

}  // namespace
}  // namespace checking
