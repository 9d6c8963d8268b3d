#include "cuda_runtime/memory_names.h"

#include <gtest/gtest.h>

namespace cuda_runtime {
namespace {

TEST(MemoryNames, ANameIsThatOfMemoryThatIsThereOrComesThere) {
  memory_names names;
  names.add(100, "there", 1, 1);
  names.add(200, "coming", 0, 1);
  EXPECT_EQ(names.of(1, 100, 110), "there");
  EXPECT_EQ(names.of(2, 200, 210), "coming");
  EXPECT_EQ(names.of(2, 201, 210), "");
}

TEST(MemoryNames, MemoryAtTheSameAddressBeforeAndAfterHasNone) {
  memory_names names;
  names.add(100, "result", 0, 1);
  names.forget(100, 10, 2);
  EXPECT_EQ(names.of(1, 100, 110), "");
  EXPECT_EQ(names.of(2, 100, 110), "result");
  EXPECT_EQ(names.of(3, 100, 110), "");
}

TEST(MemoryNames, WhatWasThereWhenItWasNamedKeepsTheName) {
  memory_names names;
  names.add(100, "result", 1, 5);
  names.forget(100, 10, 5);
  EXPECT_EQ(names.of(1, 100, 110), "result");
}

TEST(MemoryNames, TheLowestAddressGivesTheNameAndThereTheLatest) {
  memory_names names;
  names.add(108, "tail", 0, 0);
  names.add(102, "first", 0, 0);
  names.add(102, "second", 0, 0);
  EXPECT_EQ(names.of(1, 100, 110), "second");
}

}  // namespace
}  // namespace cuda_runtime
