#include "library/streamlings.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace streamlings {
namespace {

using testing::HasSubstr;

// test_program.cu does what its argument says.
run run_of(const std::string& mode, run_options options = {}) {
  options.arguments = {mode};
  return run_program(TEST_PROGRAM, options);
}

TEST(Library, AProgramThatEndsWellSucceeds) {
  const run ended = run_of("two_streams");
  EXPECT_THAT(ended, Succeeds());
  EXPECT_EQ(ended.output(), "printed\n");
  EXPECT_EQ(ended.exit_status(), 0);
}

TEST(Library, AnExitStatusIsNoSuccess) {
  const verdict found = Succeeds().judge(run_of("exits_with_3"));
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.message, HasSubstr("Exit status 3"));
}

TEST(Library, ACrashIsNoSuccess) {
  const run crashed = run_of("crashes");
  EXPECT_FALSE(crashed.succeeded());
  EXPECT_THAT(crashed.ending(), HasSubstr("SIGSEGV"));
}

TEST(Library, AProgramWithoutRecordingFailsWhatAsksForIt) {
  const run gone = run_of("leaves_at_once");
  EXPECT_THROW(gone.operations(), std::runtime_error);
  const verdict found = HasNoRaces().judge(gone);
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.message, HasSubstr("left no recording"));
}

TEST(Library, OperationsHaveTheirKindsStreamsAndLines) {
  const run ended = run_of("two_streams");
  ASSERT_EQ(ended.operations().size(), 4u);
  const operation& copy = ended.operations()[0];
  EXPECT_EQ(copy.category, operation::kind::copy_to_device);
  EXPECT_EQ(copy.bytes, std::size_t{4} << 20);
  EXPECT_GT(copy.end, copy.start);
  EXPECT_THAT(copy.issued_at.file, testing::EndsWith("test_program.cu"));
  EXPECT_GT(copy.issued_at.line, 0u);
  const operation& kernel = ended.operations()[1];
  EXPECT_EQ(kernel.category, operation::kind::kernel);
  EXPECT_EQ(kernel.name, "spin");
  EXPECT_NE(kernel.stream, copy.stream);
  std::ostringstream words;
  words << ended;
  EXPECT_THAT(words.str(), HasSubstr(" on teaching: 2 copies, 2 kernels, "));
}

TEST(Library, OverlapIsMeasuredAndJudged) {
  const run apart = run_of("one_stream"), together = run_of("two_streams");
  EXPECT_THAT(together, Overlaps(copies(), kernels()).at_least(0.5));
  EXPECT_GT(together.overlap(copies(), kernels("spin")), 0.5);
  EXPECT_EQ(apart.overlap(copies(), kernels()), 0);
  const verdict found = Overlaps(copies(), kernels()).at_least(0.5).judge(apart);
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.message, HasSubstr("Where: test_program.cu:"));
}

TEST(Library, PausesAreMeasuredAndJudged) {
  const run paused = run_of("host_sleeps_between");
  EXPECT_LT(paused.busy(kernels()), 0.5);
  EXPECT_FALSE(KeepsBusy(kernels()).at_least(0.8).judge(paused).passed);
  EXPECT_THAT(run_of("two_streams"), KeepsBusy(kernels()).at_least(0.9));
}

TEST(Library, OrderHoldsInEverySchedule) {
  const operation_set first{"first kernels", [](const operation& each) { return each.name == "spin"; }};
  EXPECT_THAT(run_of("event_between"), IsBefore(copies_to_device(), first));
  const verdict found = IsBefore(copies_to_device(), first).judge(run_of("two_streams"));
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.message, HasSubstr("nothing puts the copy H2D"));
  EXPECT_FALSE(IsBefore(kernels("none"), kernels()).judge(run_of("two_streams")).passed);
}

TEST(Library, RacesAndMisuseAreNamed) {
  EXPECT_THAT(run_of("two_streams"), HasNoRaces());
  EXPECT_THAT(run_of("two_streams"), HasNoMisuse());
  const run racy = run_of("reads_too_early");
  ASSERT_FALSE(racy.findings().empty());
  EXPECT_EQ(racy.findings().front().category, finding::kind::race);
  EXPECT_THAT(HasNoRaces().judge(racy).message, HasSubstr("(test_program.cu:"));
  EXPECT_FALSE(HasNoMisuse().judge(run_of("leaks")).passed);
}

TEST(Library, WaitsOfTheHostAreCounted) {
  EXPECT_THAT(run_of("two_streams"), HostWaits().at_most(1));
  const verdict found = HostWaits().at_most(0).judge(run_of("two_streams"));
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.message, HasSubstr("cudaDeviceSynchronize (test_program.cu:"));
}

TEST(Library, ProfileScheduleAndDevicesAreChosen) {
  run_options options;
  options.profile = "h200";
  options.devices = 2;
  EXPECT_EQ(run_of("counts_devices", options).output(), "2\n");
  const nanoseconds usual = run_of("one_stream").duration();
  options = {};
  options.schedule = schedule::slow_copies;
  EXPECT_GT(run_of("one_stream", options).duration(), usual);
}

TEST(Library, WhatCannotBeRunIsSaid) {
  run_options options;
  options.profile = "h300";
  EXPECT_THROW(run_of("two_streams", options), std::runtime_error);
  EXPECT_THROW(run_program("/nowhere/program"), std::runtime_error);
}

TEST(Library, ARunIsDrawnAndKept) {
  const run ended = run_of("two_streams");
  EXPECT_THAT(ended.timeline(), HasSubstr("stream 2"));
  const std::string file = testing::TempDir() + "streamlings_library_test.jsonl";
  ended.write_recording(file);
  std::ifstream written(file);
  std::string line;
  std::getline(written, line);
  EXPECT_THAT(line, HasSubstr("\"streamlings_recording\""));
  std::remove(file.c_str());
  EXPECT_THROW(ended.write_recording("/nowhere/file"), std::runtime_error);
}

TEST(Library, TheIntegersOfAKernelAreKeptWithTheNamesOfItsParameters) {
  const std::string file = testing::TempDir() + "streamlings_integers_test.jsonl";
  run_of("two_streams").write_recording(file);
  std::ifstream written(file);
  std::ostringstream text;
  text << written.rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("\"integers\":[500000]"), HasSubstr("\"integers\":[\"cycles\"]")));
  std::remove(file.c_str());
}

}  // namespace
}  // namespace streamlings
