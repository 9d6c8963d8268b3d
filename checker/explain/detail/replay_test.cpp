#include "explain/detail/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "device/tiny_gpu.h"

namespace explain {
namespace {

using std::chrono::nanoseconds;
using trace::operation_kind;

device::profile roomy_gpu() {
  device::profile gpu = device::tiny_gpu();
  gpu.launch_queue = 1024;
  return gpu;
}

program_operation copy_in(trace::stream_id stream, std::size_t bytes) {
  program_operation made;
  made.request.kind = operation_kind::copy;
  made.request.stream = stream;
  made.request.bytes = bytes;
  return made;
}

program_operation kernel(trace::stream_id stream, int length) {
  program_operation made;
  made.request.stream = stream;
  made.request.shape = {1, 32, 0};
  made.blocks = {{1, nanoseconds(length)}};
  return made;
}

/// Two streams and a step for each operation; steps cost nothing.
program issuing(std::vector<program_operation> operations) {
  program made;
  made.streams = {{.id = 1}, {.id = 2}};
  made.operations = std::move(operations);
  for (operation_number number = 0; number < made.operations.size(); ++number) {
    program_step step;
    step.thread = 1;
    step.issues = {number};
    made.steps.push_back(step);
  }
  return made;
}

TEST(Replay, KernelsOfTwoStreamsRunSideBySideAndOfOneOneAfterAnother) {
  const device::profile gpu = roomy_gpu();
  const nanoseconds together = replay(issuing({kernel(1, 50'000), kernel(2, 50'000)}), gpu).duration;
  const nanoseconds in_turn = replay(issuing({kernel(1, 50'000), kernel(1, 50'000)}), gpu).duration;
  EXPECT_GE(in_turn - together, nanoseconds(50'000));
}

TEST(Replay, AStepThatWaitsKeepsTheNextFromBeingIssued) {
  const device::profile gpu = roomy_gpu();
  program waits = issuing({kernel(1, 50'000), kernel(2, 50'000)});
  waits.steps[0].waits = {0};
  const replay_times times = replay(waits, gpu);
  EXPECT_GE(times.start[1], times.end[0]);
}

TEST(Replay, AnOperationWaitsForThoseOfOtherStreamsThatItComesAfter) {
  const device::profile gpu = roomy_gpu();
  program ordered = issuing({kernel(1, 50'000), copy_in(2, 4096)});
  ordered.operations[1].after = {0};
  const replay_times times = replay(ordered, gpu);
  EXPECT_GE(times.start[1], times.end[0]);
}

/// A launch of a graph of two kernels, and what issues it.
program launching_graph(std::vector<operation_number> edges_of_second) {
  program made = issuing({});
  program_operation launch;
  launch.request.kind = operation_kind::graph_launch;
  launch.request.stream = 1;
  launch.request.nodes = 2;
  made.operations = {launch, kernel(1, 50'000), kernel(1, 50'000)};
  for (const operation_number node : {1, 2}) made.operations[node].launch = 0;
  made.operations[2].request.branch = edges_of_second.empty() ? 1 : 0;
  made.operations[2].edges = std::move(edges_of_second);
  program_step step;
  step.thread = 1;
  step.issues = {0, 1, 2};
  made.steps = {step};
  return made;
}

TEST(Replay, NodesOfAGraphAreOrderedByItsEdgesOnly) {
  const device::profile gpu = roomy_gpu();
  const nanoseconds beside = replay(launching_graph({}), gpu).duration;
  const nanoseconds in_turn = replay(launching_graph({1}), gpu).duration;
  EXPECT_GE(in_turn - beside, nanoseconds(50'000));
}

TEST(Replay, WhatFollowsALaunchInItsStreamWaitsForAllNodes) {
  const device::profile gpu = roomy_gpu();
  program followed = launching_graph({});
  followed.operations.push_back(copy_in(1, 4096));
  program_step step;
  step.thread = 1;
  step.issues = {3};
  followed.steps.push_back(step);
  const replay_times times = replay(followed, gpu);
  EXPECT_GE(times.start[3], std::max(times.end[1], times.end[2]));
}

TEST(Replay, AThreadGoesOnWhenTheStepThatItWaitsForIsOver) {
  const device::profile gpu = roomy_gpu();
  program handed = issuing({kernel(1, 50'000), kernel(2, 50'000)});
  handed.steps[0].waits = {0};
  handed.steps[1].thread = 2;
  EXPECT_LT(replay(handed, gpu).start[1], nanoseconds(50'000));
  handed.steps[1].hand_overs = {{no_operation, 0}};
  const replay_times times = replay(handed, gpu);
  EXPECT_GE(times.start[1], times.end[0]);
}

TEST(Replay, AProgramThatNeverEndsTakesTheLongestTimeThereIs) {
  const device::profile gpu = roomy_gpu();
  program stuck = issuing({kernel(1, 50'000), kernel(2, 50'000)});
  stuck.steps[0].needs = {1};  // both on one thread: it waits for what it would issue later
  EXPECT_EQ(replay(stuck, gpu).duration, nanoseconds::max());
}

}  // namespace
}  // namespace explain
