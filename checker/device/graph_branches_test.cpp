#include "device/graph_branches.h"

#include <gtest/gtest.h>

namespace device {
namespace {

TEST(GraphBranches, AChainIsOneBranch) {
  graph_branches branches;
  EXPECT_EQ(branches.add({}), 0u);
  EXPECT_EQ(branches.add({0}), 0u);
  EXPECT_EQ(branches.count(), 1u);
}

TEST(GraphBranches, OnlyTheFirstThatFollowsANodeGoesOnInItsBranch) {
  graph_branches branches;
  branches.add({});
  EXPECT_EQ(branches.add({0}), 0u);
  EXPECT_EQ(branches.add({0}), 1u);
  EXPECT_EQ(branches.count(), 2u);
}

TEST(GraphBranches, ANodeThatJoinsGoesOnInTheFirstOfItsBranches) {
  graph_branches branches;
  branches.add({});
  branches.add({});
  EXPECT_EQ(branches.add({0, 1}), 0u);
  EXPECT_EQ(branches.add({1}), 1u);
}

}  // namespace
}  // namespace device
