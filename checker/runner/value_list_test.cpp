#include "runner/value_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processes/cannot_do.h"

namespace runner {
namespace {

using testing::ElementsAre;

TEST(ValueList, TakesNumbersListsAndRanges) {
  EXPECT_THAT(values_in("8"), ElementsAre(8));
  EXPECT_THAT(values_in("4,1"), ElementsAre(4, 1));
  EXPECT_THAT(values_in("1..3,8"), ElementsAre(1, 2, 3, 8));
}

TEST(ValueList, HoldsEachValueOnce) { EXPECT_THAT(values_in("1..3,2,3..4"), ElementsAre(1, 2, 3, 4)); }

TEST(ValueList, RefusesWhatIsNoList) {
  for (const char* text :
       {"", ",", "1,", "1..", "..4", "4..1", "1.5", "1-4", "many", "1..100000", "99999999999"})
    EXPECT_THROW(values_in(text), processes::cannot_do) << text;
}

}  // namespace
}  // namespace runner
