#include "processes/run.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "processes/descriptor.h"
#include "processes/environment.h"

namespace processes {
namespace {

outcome run_script(const std::string& script, capture streams = capture::together,
                   std::string_view input = "") {
  return run({.arguments = {"sh", "-c", script}}, streams, input);
}

TEST(Run, KeepsBothStreamsAndTheStatus) {
  const outcome ended = run_script("echo out; echo err >&2; exit 3");
  EXPECT_EQ(ended.exit_status, 3);
  EXPECT_EQ(ended.output, "out\nerr\n");
}

TEST(Run, OutputAndErrorsCanBeKeptApart) {
  const outcome ended = run_script("echo out; echo err >&2", capture::apart);
  EXPECT_EQ(ended.output, "out\n");
  EXPECT_EQ(ended.errors, "err\n");
  EXPECT_EQ(run_script("echo out; echo err >&2", capture::output_only).output, "out\n");
}

TEST(Run, LongTextsPassThrough) {
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(run_script("tee /dev/stderr", capture::apart, text).errors, text);
}

TEST(Run, ASignalIsAStatusAsInTheShell) { EXPECT_EQ(run_script("kill -9 $$").exit_status, 128 + 9); }

TEST(Run, EndTellsExitStatusSignalAndStartErrorApart) {
  EXPECT_EQ(run_script("exit 7").exit_status, 7);
  EXPECT_EQ(run_script("kill -ABRT $$").signal, SIGABRT);
  EXPECT_EQ(run({.arguments = {"/no/such/program"}}).start_error, ENOENT);
}

TEST(Run, ArgumentsReachTheProgramUnchanged) {
  EXPECT_EQ(run({.arguments = {"/bin/echo", "a b", "$HOME", "'"}}).output, "a b $HOME '\n");
}

TEST(Run, TimeLimitEndsTheProgramAndAllItStarted) {
  using namespace std::chrono_literals;
  const outcome ended = run({.arguments = {"sh", "-c", "echo begun; sleep 1000 & sleep 1000"}},
                            capture::together, "", {.real_time = 200ms});
  EXPECT_TRUE(ended.is_over_limit);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_FALSE(run({.arguments = {"true"}}, capture::together, "", {.real_time = 1h}).is_over_limit);
}

TEST(Run, OutputBeyondTheLimitIsCountedAndDropped) {
  const std::string text(300'000, 'x');
  const outcome ended = run({.arguments = {"tee", "/dev/stderr"}}, capture::apart, text,
                            {.output_bytes = 1000, .error_bytes = 10});
  EXPECT_EQ(ended.output, text.substr(0, 1000));
  EXPECT_EQ(ended.errors, text.substr(0, 10));
  EXPECT_EQ(ended.dropped_output_bytes, text.size() - 1000);
  EXPECT_EQ(ended.dropped_error_bytes, text.size() - 10);
  EXPECT_TRUE(ended.succeeded());
}

TEST(Run, MemoryIsLimitedAndMeasured) {
  const outcome ended =
      run({.arguments = {"sh", "-c", "ulimit -v"}, .memory_limit_bytes = std::size_t{1} << 30});
  EXPECT_EQ(ended.output, "1048576\n");
  EXPECT_GT(ended.resident_bytes, 100'000u);
}

TEST(Run, TheStatusIsKnownWhereTheCallerIgnoresItsChildren) {
  std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run_script("exit 7").exit_status, 7);
}

TEST(RunTool, AMissingProgramIsAnError) { EXPECT_THROW(run_tool({"/no/such/program"}), std::system_error); }

TEST(Run, TheEnvironmentIsThatOfThisProcessWithChanges) {
  setenv("STREAMLINGS_TEST_A", "old", 1);
  setenv("STREAMLINGS_TEST_B", "kept", 1);
  const outcome ended = run({.arguments = {"sh", "-c", "echo $STREAMLINGS_TEST_A $STREAMLINGS_TEST_B"},
                             .environment = environment_with({{"STREAMLINGS_TEST_A", "new"}})});
  EXPECT_EQ(ended.output, "new kept\n");
}

TEST(Run, WhatASandboxStartsEndsWithTheCallerHoweverItIsStarted) {
  pipe_ends alive = make_pipe();
  const pid_t caller = fork();
  if (caller == 0) {
    // As bubblewrap does while it sets up: its child waits for it, and nobody tells it that bubblewrap is gone.
    run({.arguments = {"sh", "-c", "sleep 1000 & printf s >&3; wait"},
         .passed_descriptors = {alive.writer.number()},
         .is_sandbox = true});
    _exit(0);
  }
  alive.writer.reset();
  char letter = '\0';
  ASSERT_EQ(read(alive.reader.number(), &letter, 1), 1);
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  pollfd watched{alive.reader.number(), POLLIN, 0};
  ASSERT_EQ(poll(&watched, 1, 60'000), 1) << "a process lives on";
  EXPECT_EQ(read(alive.reader.number(), &letter, 1), 0);
}

TEST(Run, AProgramInASandboxHasItsOutcomeToo) {
  const outcome ended = run({.arguments = {"sh", "-c", "echo out; exit 3"}, .is_sandbox = true});
  EXPECT_EQ(ended.exit_status, 3);
  EXPECT_EQ(ended.output, "out\n");
  EXPECT_EQ(run({.arguments = {"/no/such/program"}, .is_sandbox = true}).start_error, ENOENT);
  const outcome endless = run({.arguments = {"sh", "-c", "while :; do :; done"}, .is_sandbox = true},
                              capture::together, "", {.real_time = std::chrono::milliseconds(100)});
  EXPECT_TRUE(endless.is_over_limit);
  EXPECT_EQ(endless.signal, SIGKILL);
}

}  // namespace
}  // namespace processes
