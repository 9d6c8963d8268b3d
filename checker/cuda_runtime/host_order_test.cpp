#include "cuda_runtime/host_order.h"

#include <gtest/gtest.h>

namespace cuda_runtime {
namespace {

/// Two threads of the program and one of the driver, and an object that they share.
class HostOrder : public ::testing::Test {
 protected:
  HostOrder() {
    one.id = 1;
    two.id = 2;
    driver.id = 3;
    one.open_call = 10;
    two.open_call = 20;
  }
  /// The driver's thread runs a function of that stream; they get the ids 1, 2, ...
  void run_host_function(trace::stream_id stream) {
    trace::operation function;
    function.id = static_cast<trace::operation_id>(recording.operations.size() + 1);
    function.stream = stream;
    recording.operations.push_back(function);
    driver.host_function = function.id;
    order.begin_host_function(driver, {});
  }

  trace::recording recording;
  int flushes = 0;
  host_order order{recording, [this] { ++flushes; }};
  host_thread one, two, driver;
  const int object = 0;
};

TEST_F(HostOrder, WhoAcquiresComesAfterWhoReleasedLast) {
  order.release(one, &object);
  order.acquire(two, &object);
  ASSERT_EQ(recording.host_edges.size(), 1u);
  EXPECT_EQ(recording.host_edges[0].from, one.id);
  EXPECT_EQ(recording.host_edges[0].from_after, one.open_call);
  EXPECT_EQ(recording.host_edges[0].to, two.id);
  EXPECT_EQ(recording.host_edges[0].to_after, two.open_call);
  EXPECT_EQ(flushes, 2);  // what each of them touched until then is in its old step
}

TEST_F(HostOrder, WhoJoinsAThreadComesAfterItsEnd) {
  order.release(one, &one);
  order.acquire_end(two, one, {1, 7});
  ASSERT_EQ(recording.host_edges.size(), 1u);
  EXPECT_EQ(recording.host_edges[0].from, one.id);
  EXPECT_TRUE(recording.host_edges[0].is_join);
  EXPECT_EQ(recording.host_edges[0].where.line, 7u);
}

TEST_F(HostOrder, TheEdgeToAThreadThatBeginsKnowsWhoStartedIt) {
  order.release(one, &two);
  order.acquire_begin(two, {1, 7});
  ASSERT_EQ(recording.host_edges.size(), 1u);
  EXPECT_EQ(recording.host_edges[0].to, two.id);
  EXPECT_EQ(recording.host_edges[0].where.line, 7u);
}

TEST_F(HostOrder, OwnAndForeignObjectsMakeNoEdge) {
  const int other = 0;
  order.release(one, &object);
  order.acquire(one, &object);
  order.acquire(two, &other);
  EXPECT_TRUE(recording.host_edges.empty());
}

TEST_F(HostOrder, AReleaseReplacesWhatOthersReleasedUnlessItIsBesideThem) {
  host_thread three;
  three.id = 4;
  order.release(one, &object);
  order.release_beside_others(two, &object);
  order.acquire(three, &object);
  EXPECT_EQ(recording.host_edges.size(), 2u);
  two.open_call = 21;
  order.release(two, &object);
  order.acquire(three, &object);
  ASSERT_EQ(recording.host_edges.size(), 3u);
  EXPECT_EQ(recording.host_edges[2].from, two.id);
}

TEST_F(HostOrder, AHostFunctionPassesOnWhatItAcquired) {
  const int result = 0;
  order.release(one, &object);
  run_host_function(1);
  order.acquire(driver, &object);
  order.release(driver, &result);
  order.acquire(two, &result);
  ASSERT_EQ(recording.host_edges.size(), 2u);
  EXPECT_EQ(recording.host_edges[0].from, one.id);
  EXPECT_EQ(recording.host_edges[0].to_operation, driver.host_function);
  EXPECT_EQ(recording.host_edges[1].from_operation, driver.host_function);
  EXPECT_EQ(recording.host_edges[1].to, two.id);
}

TEST_F(HostOrder, TheNextHostFunctionHasAcquiredNothing) {
  const int result = 0;
  order.release(one, &object);
  run_host_function(1);
  order.acquire(driver, &object);
  run_host_function(2);
  order.release(driver, &result);
  order.acquire(two, &result);
  ASSERT_EQ(recording.host_edges.size(), 2u);
  EXPECT_EQ(recording.host_edges[0].to_operation, 1u);
  EXPECT_EQ(recording.host_edges[1].from_operation, 2u);
}

TEST_F(HostOrder, WhoAcquiresKnowsWhatTheReleaserDidAndKnew) {
  host_thread three;
  three.id = 4;
  const kernels::host_position before = order.position_of(one);
  const int other = 0;
  order.release(one, &object);
  order.acquire(two, &object);
  order.release(two, &other);
  EXPECT_FALSE(order.is_over(before, three));
  order.acquire(three, &other);
  EXPECT_TRUE(order.is_over(before, three));
}

TEST_F(HostOrder, AHostFunctionKnowsWhatItsIssuerDidBefore) {
  const kernels::host_position before = order.position_of(one);
  const host_knowledge issued = order.release_to_host_function(one);
  run_host_function(1);
  EXPECT_FALSE(order.is_over(before, driver));
  order.begin_host_function(driver, issued);
  EXPECT_TRUE(order.is_over(before, driver));
}

TEST_F(HostOrder, AnObjectThatIsForgottenPassesNothingOn) {
  order.release(one, &object);
  order.forget(&object);
  order.acquire(two, &object);
  EXPECT_TRUE(recording.host_edges.empty());
}

}  // namespace
}  // namespace cuda_runtime
