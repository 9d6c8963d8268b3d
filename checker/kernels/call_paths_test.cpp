// This program is linked below 4 GiB, as exercise programs are: what lies above is a library's. The first two calls that are found
// are those of calls_underway() and of innermost().
#include "kernels/call_paths.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>

namespace kernels {
namespace {

using calls = std::vector<address>;

// Nothing here is inlined, and no call is the last thing that its function does.
__attribute__((noinline)) calls innermost() {
  calls found = calls_underway();
  asm volatile("");
  return found;
}
__attribute__((noinline)) calls between() {
  calls found = innermost();
  asm volatile("");
  return found;
}
__attribute__((noinline)) calls one_caller() {
  calls found = between();
  asm volatile("" ::"r"(1));
  return found;
}
__attribute__((noinline)) calls other_caller() {
  calls found = between();
  asm volatile("" ::"r"(2));
  return found;
}

TEST(CallsUnderway, AreTheSameForTheSameCalls) {
  std::vector<calls> found;
  for (int i = 0; i < 3; ++i) found.push_back(between());
  ASSERT_GT(found[0].size(), 2u);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(CallsUnderway, OfTwoLinesOfAFunctionAreToldApart) {
  for (int i = 0; i < 2; ++i) {
    const calls first = innermost();
    const calls second = innermost();
    ASSERT_EQ(first.size(), second.size());
    EXPECT_NE(first, second);
    EXPECT_EQ(first[0], second[0]);
  }
}

TEST(CallsUnderway, OfTwoCallersFurtherOutAreToldApart) {
  for (int i = 0; i < 2; ++i) {
    const calls one = one_caller();
    const calls other = other_caller();
    ASSERT_EQ(one.size(), other.size());
    EXPECT_EQ(calls(one.begin(), one.begin() + 3), calls(other.begin(), other.begin() + 3));
    EXPECT_NE(one[3], other[3]);
  }
}

/// Behind the destructors of what the thread has.
std::size_t calls_at_the_end_of_the_thread = 0;
void at_the_end_of_the_thread(void*) { calls_at_the_end_of_the_thread = between().size(); }

TEST(CallsUnderway, AreFoundAtTheEndOfAThreadToo) {
  pthread_key_t key{};
  ASSERT_EQ(pthread_key_create(&key, at_the_end_of_the_thread), 0);
  std::thread([key] {
    pthread_setspecific(key, &calls_at_the_end_of_the_thread);
    EXPECT_GT(between().size(), 2u);
  }).join();
  pthread_key_delete(key);
  EXPECT_GT(calls_at_the_end_of_the_thread, 2u);
}

}  // namespace
}  // namespace kernels
