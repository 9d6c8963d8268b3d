#include "cuda_runtime/host_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "device/tiny_gpu.h"

namespace cuda_runtime {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// The test is thread 1; its other threads are real ones that adopt theirs.
class HostThreads : public testing::Test {
 protected:
  HostThreads() { devices.add_stream({.id = 1, .kind = trace::stream_kind::legacy_default}); }

  /// Starts a thread with its clock at `begin`.
  template <typename Body>
  std::thread start(nanoseconds begin, Body body) {
    host_thread& added = threads.add(begin);
    return std::thread([this, &added, body] {
      host_threads::adopt(added);
      body();
      threads.end_current();
    });
  }
  void note(const char* event) { events.push_back(event); }

  device::schedule devices{{device::tiny_gpu()}, {}};
  bool is_stuck = false;
  host_threads threads{devices, [](kernels::others) { return false; },
                       [this] {
                         is_stuck = true;
                         throw std::runtime_error("stuck");
                       }};
  std::vector<std::string> events;
};

TEST_F(HostThreads, TheThreadWithTheEarliestClockGoesOn) {
  threads.current().now = 50ns;
  std::thread other = start(10ns, [this] {
    note("other at 10");
    threads.current().now = 100ns;
    threads.yield();
    note("other at 100");
  });
  threads.yield();
  note("first at 50");
  threads.current().now = 200ns;
  threads.yield();
  other.join();
  EXPECT_THAT(events, ElementsAre("other at 10", "first at 50", "other at 100"));
}

TEST_F(HostThreads, WhoIsWokenGoesOnAtTheClockOfTheWaker) {
  int object = 0;
  std::thread other = start(0ns, [&] {
    threads.current().now = 70ns;
    threads.wake_one(&object);
  });
  EXPECT_TRUE(threads.wait_on(&object, std::nullopt, "an object"));
  EXPECT_EQ(threads.current().now, 70ns);
  other.join();
}

TEST_F(HostThreads, ADeadlineEndsTheWait) {
  int object = 0;
  EXPECT_FALSE(threads.wait_on(&object, 30ns, "an object"));
  EXPECT_EQ(threads.current().now, 30ns);
}

TEST_F(HostThreads, WakingOneOfTwoLeavesTheOther) {
  int object = 0;
  std::size_t woken_at_once = 0;
  std::thread one = start(0ns, [&] { threads.wait_on(&object, std::nullopt, "an object"); });
  std::thread two = start(0ns, [&] { threads.wait_on(&object, std::nullopt, "an object"); });
  threads.current().now = 10ns;
  threads.yield();
  EXPECT_EQ(threads.wake_one(&object), 1u);
  woken_at_once = threads.wake_all(&object);
  EXPECT_EQ(woken_at_once, 1u);
  threads.current().now = 20ns;
  threads.yield();
  one.join();
  two.join();
}

TEST_F(HostThreads, AWaitEndsWhenTheDeviceMakesItsConditionTrue) {
  device::request request;
  request.kind = trace::operation_kind::copy;
  request.stream = 1;
  request.bytes = 100;
  const trace::operation_id copy = devices.enqueue(request);
  threads.wait([&] { return devices.is_complete(copy); });
  EXPECT_EQ(threads.current().now, 100ns);
}

TEST_F(HostThreads, ThreadsThatPollTheSamePlaceTakeTurns) {
  int turn = 0;  // as a program's atomic: each look is told to poll()
  const auto take_turns = [&](int first, const char* name) {
    for (int mine = first; mine < 4; mine += 2) {
      while (turn != mine) threads.poll(&turn);
      note(name);
      ++turn;
    }
  };
  std::thread other = start(0ns, [&] { take_turns(1, "other"); });
  take_turns(0, "first");
  threads.wait([&] { return turn == 4; });
  other.join();
  EXPECT_THAT(events, ElementsAre("first", "other", "first", "other"));
}

TEST_F(HostThreads, AThreadMayPollManyPlacesInTurn) {
  std::array<bool, 8> is_done{};  // as a program's atomics: each look is told to poll()
  std::thread other = start(0ns, [&] { is_done[5] = true; });
  for (std::size_t i = 0; !is_done[i]; i = (i + 1) % is_done.size()) threads.poll(&is_done[i]);
  threads.wait([] { return true; });
  other.join();
}

TEST_F(HostThreads, AThreadThatWaitsForEverIsToldOf) {
  int object = 0;
  EXPECT_THROW(threads.wait_on(&object, std::nullopt, "an object"), std::runtime_error);
  EXPECT_TRUE(is_stuck);
}

}  // namespace
}  // namespace cuda_runtime
