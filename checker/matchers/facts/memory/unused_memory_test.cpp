#include "matchers/facts/memory/unused_memory.h"

#include <gtest/gtest.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(UnusedElements, AreThoseOfAnArrayOfWhichOthersAreUsed) {
  sample_run run;
  run.recording().allocations = {{.id = 1, .name = "slots[0].input"},
                                 {.id = 2, .name = "slots[0].output"},
                                 {.id = 3, .name = "slots[1].input"},
                                 {.id = 4, .name = "slots[2].input"},
                                 {.id = 5, .name = "results"}};
  const auto copy = run.copy_to_device(run.lane[0], {0, 10}, 12);
  run.touches(copy, 1, trace::access_mode::read);
  EXPECT_EQ(unused_elements(run.learner()), " Of the 3 `slots`, only slots[0] is used.");
  run.touches(copy, 3, trace::access_mode::read);
  EXPECT_EQ(unused_elements(run.learner()), " Of the 3 `slots`, only slots[0] and slots[1] are used.");
  run.touches(copy, 4, trace::access_mode::read);
  EXPECT_EQ(unused_elements(run.learner()), "");
}

TEST(UnusedElements, LeadToTheLineThatChoosesOne) {
  sample_run run;
  run.source() = {"async_copy.cu",
                  "void f(const ring& work, int step) {\n"
                  "  const int in_use = 2;\n"
                  "  const slot& mine = work.slots[step % in_use];\n"
                  "  cudaEventSynchronize(mine.event);\n"
                  "}\n",
                  ""};
  run.recording().allocations = {{.id = 1, .name = "slots[0].input"}, {.id = 2, .name = "slots[1].input"}};
  const auto copy = run.copy_to_device(run.lane[0], {0, 10}, 12);
  run.touches(copy, 1, trace::access_mode::read);
  report::evidence why{"", "", "async_copy.cu:4", ""};
  EXPECT_TRUE(tell_of_unused_elements(run.learner(), why));
  EXPECT_EQ(why.where, "async_copy.cu:3, async_copy.cu:4");
  ASSERT_EQ(why.values.size(), 1u);
  EXPECT_EQ(why.values.front().line, 2);
  run.touches(copy, 2, trace::access_mode::read);
  EXPECT_FALSE(tell_of_unused_elements(run.learner(), why));
}

TEST(UnusedElements, AreNoneOfAnArrayThatIsNotUsedAtAll) {
  sample_run run;
  run.recording().allocations = {{.id = 1, .name = "slots[0].input"}, {.id = 2, .name = "results"}};
  run.touches(run.copy_to_device(run.lane[0], {0, 10}, 12), 2, trace::access_mode::read);
  EXPECT_EQ(unused_elements(run.learner()), "");
}

}  // namespace
}  // namespace matchers
