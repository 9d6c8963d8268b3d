#include "kernels/fiber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

namespace kernels {
namespace {

using ::testing::ElementsAre;

TEST(Fiber, RunsItsFunctionToTheEnd) {
  fiber worker;
  int trail = 0;
  EXPECT_TRUE(worker.has_ended());
  worker.start([](void* argument) { *static_cast<int*>(argument) = 5; }, &trail);
  EXPECT_EQ(trail, 5);
  EXPECT_TRUE(worker.has_ended());
}

TEST(Fiber, GoesOnWhereItLeftWithItsVariables) {
  fiber worker;
  std::vector<int> trail;
  const auto count = [](void* argument) {
    auto& out = *static_cast<std::vector<int>*>(argument);
    double half = 0.5;
    for (int i = 0; i < 3; ++i) {
      out.push_back(static_cast<int>(half * 2) + i);
      fiber::leave();
      half += 5;
    }
  };
  worker.start(count, &trail);
  EXPECT_THAT(trail, ElementsAre(1));
  EXPECT_FALSE(worker.has_ended());
  worker.enter();
  EXPECT_THAT(trail, ElementsAre(1, 12));
  worker.enter();
  worker.enter();
  EXPECT_THAT(trail, ElementsAre(1, 12, 23));
  EXPECT_TRUE(worker.has_ended());
}

TEST(Fiber, KeepsTheVariablesOfWhoeverEntersIt) {
  fiber worker;
  int rounds = 0;
  worker.start(
      [](void* argument) {
        for (;;) {
          ++*static_cast<int*>(argument);
          fiber::leave();
        }
      },
      &rounds);
  double sum = 0;
  for (int i = 1; i <= 100; ++i) {
    worker.enter();
    sum += i * 0.5;
  }
  EXPECT_EQ(sum, 2525.0);
  EXPECT_EQ(rounds, 101);
}

struct pair_of_fibers {
  fiber outer;
  fiber inner;
  std::string trail;
};

TEST(Fiber, LeavesToTheFiberThatEnteredIt) {
  pair_of_fibers pair;
  pair.outer.start(
      [](void* argument) {
        auto& both = *static_cast<pair_of_fibers*>(argument);
        both.trail += fiber::current() == &both.outer ? 'o' : '?';
        both.inner.start(
            [](void* inner_argument) {
              auto& again = *static_cast<pair_of_fibers*>(inner_argument);
              again.trail += fiber::current() == &again.inner ? 'i' : '?';
              fiber::leave();
              again.trail += fiber::current() == &again.inner ? 'i' : '?';
            },
            &both);
        both.trail += fiber::current() == &both.outer ? 'o' : '?';
      },
      &pair);
  EXPECT_EQ(fiber::current(), nullptr);
  EXPECT_EQ(pair.trail, "oio");
  pair.inner.enter();
  EXPECT_EQ(pair.trail, "oioi");
  EXPECT_EQ(fiber::current(), nullptr);
}

TEST(Fiber, MayBeStartedAnewAfterItWasLeftForGood) {
  fiber worker;
  std::string trail;
  worker.start(
      [](void* argument) {
        *static_cast<std::string*>(argument) += "first ";
        fiber::leave();
        *static_cast<std::string*>(argument) += "never ";
      },
      &trail);
  worker.start([](void* argument) { *static_cast<std::string*>(argument) += "second"; }, &trail);
  EXPECT_EQ(trail, "first second");
  EXPECT_TRUE(worker.has_ended());
}

TEST(Fiber, ExceptionsStayInsideIt) {
  fiber worker;
  bool is_caught = false;
  worker.start(
      [](void* argument) {
        try {
          throw std::runtime_error("inside");
        } catch (const std::runtime_error&) {
          *static_cast<bool*>(argument) = true;
        }
      },
      &is_caught);
  EXPECT_TRUE(is_caught);
}

TEST(Fiber, OwnsTheAddressesOfItsStack) {
  fiber worker;
  std::uintptr_t inside = 0;
  int outside = 0;
  worker.start(
      [](void* argument) {
        int local = 0;
        *static_cast<std::uintptr_t*>(argument) = reinterpret_cast<std::uintptr_t>(&local);
      },
      &inside);
  EXPECT_TRUE(worker.owns_address(inside));
  EXPECT_FALSE(worker.owns_address(reinterpret_cast<std::uintptr_t>(&outside)));
  EXPECT_FALSE(fiber().owns_address(inside));
}

TEST(Fiber, ItsStackIsAlignedForVectorInstructions) {
  fiber worker;
  std::uintptr_t misalignment = 99;
  worker.start(
      [](void* argument) {
        alignas(16) volatile float vector[4] = {};
        *static_cast<std::uintptr_t*>(argument) = reinterpret_cast<std::uintptr_t>(&vector[0]) % 16;
      },
      &misalignment);
  EXPECT_EQ(misalignment, 0u);
}

/// Writes to ever lower addresses of the stack, beyond its end. A sanitizer would stop it before it gets there.
__attribute__((no_sanitize("address"))) void use_up_the_stack(void*) {
  volatile char here = 0;
  volatile char* where = &here;
  for (std::size_t i = 0; i < 2 * fiber::stack_bytes; ++i) *where-- = 1;
}

TEST(FiberDeathTest, RunningOverItsStackEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        fiber worker;
        worker.start(&use_up_the_stack, nullptr);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(FiberPool, GivesOutWhatWasGivenBack) {
  fiber_pool pool;
  std::unique_ptr<fiber> first = pool.take();
  std::unique_ptr<fiber> second = pool.take();
  fiber* const known = first.get();
  EXPECT_NE(known, second.get());
  pool.give_back(std::move(first));
  EXPECT_EQ(pool.take().get(), known);
}

}  // namespace
}  // namespace kernels
