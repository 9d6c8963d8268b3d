#include "exercise/guarded_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

namespace exercise {
namespace {

TEST(GuardedMemory, AnAccessPastItsEndEndsTheProgram) {
  constexpr std::array<int, 3> values{1, 2, 3};
  const guarded_memory memory(values.data(), sizeof values);
  auto* const copy = static_cast<volatile int*>(memory.data());
  EXPECT_EQ(copy[2], 3);
  EXPECT_EXIT(copy[3] = 4, testing::KilledBySignal(SIGSEGV), "");
}

TEST(GuardedMemory, MemoryOfWholePagesAndOfNoneIsGuardedToo) {
  const std::array<char, 4096> page{};
  for (const std::size_t bytes : {page.size(), std::size_t{0}}) {
    const guarded_memory memory(page.data(), bytes);
    EXPECT_EXIT(static_cast<volatile char*>(memory.data())[bytes] = 1, testing::KilledBySignal(SIGSEGV), "");
  }
}

}  // namespace
}  // namespace exercise
