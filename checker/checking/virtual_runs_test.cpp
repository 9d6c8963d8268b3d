#include "checking/virtual_runs.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace {

using checking::can_change;
using trace::memory;
using trace::memory_kind;
using trace::recording_builder;
using trace::schedule_kind;
using trace::waiting;

/// Whether late copies can change a program that makes one copy to the device.
bool late_copies_can_change(memory_kind source, waiting how) {
  recording_builder program;
  const memory from = program.allocate(source, 4096);
  const memory to = program.allocate(memory_kind::device, 4096);
  program.copy(from, to, program.create_stream(), how);
  return can_change(schedule_kind::late_pageable, program.recording());
}

TEST(VirtualRuns, LateCopiesChangeAsynchronousCopiesOfMemoryThatIsStaged) {
  EXPECT_TRUE(late_copies_can_change(memory_kind::pageable, waiting::asynchronous));
  EXPECT_TRUE(late_copies_can_change(memory_kind::managed, waiting::asynchronous));
}

TEST(VirtualRuns, LateCopiesChangeNothingInCopiesThatWaitOrOfPinnedMemory) {
  EXPECT_FALSE(late_copies_can_change(memory_kind::pinned, waiting::asynchronous));
  EXPECT_FALSE(late_copies_can_change(memory_kind::pageable, waiting::synchronous));
}

TEST(VirtualRuns, OtherSchedulesMayChangeWhichThreadGoesOn) {
  recording_builder program;
  program.pass(1, 2);
  EXPECT_TRUE(can_change(schedule_kind::late_pageable, program.recording()));
}

TEST(VirtualRuns, SlowerWorkCanChangeEveryProgram) {
  const recording_builder program;
  EXPECT_TRUE(can_change(schedule_kind::slow_copies, program.recording()));
  EXPECT_TRUE(can_change(schedule_kind::slow_kernels, program.recording()));
}

}  // namespace
