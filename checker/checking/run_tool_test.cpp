#include "checking/run_tool.h"

#include <gtest/gtest.h>

#include <system_error>

namespace {

using checking::run_tool;

TEST(RunTool, KeepsBothStreamsAndTheStatus) {
  const auto outcome = run_tool("/bin/sh", {"-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(outcome.exit_status, 3);
  EXPECT_EQ(outcome.output, "out\nerr\n");
}

TEST(RunTool, ASignalIsAStatusAsInTheShell) {
  EXPECT_EQ(run_tool("/bin/sh", {"-c", "kill -9 $$"}).exit_status, 128 + 9);
}

TEST(RunTool, ArgumentsReachTheProgramUnchanged) {
  EXPECT_EQ(run_tool("/bin/echo", {"a b", "$HOME", "'"}).output, "a b $HOME '\n");
}

TEST(RunTool, AMissingProgramIsAnError) { EXPECT_THROW(run_tool("/no/such/program", {}), std::system_error); }

}  // namespace
