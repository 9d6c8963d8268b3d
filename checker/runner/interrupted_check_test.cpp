#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "runner/toy_course.h"

namespace runner {
namespace {

TEST(ChildProcess, CtrlCDuringACheckLeavesNoProcessBehindAndEndsByThatSignal) {
  const toy_course toy;
  const std::filesystem::path ready = toy.root() / "ready";
  ASSERT_EQ(mkfifo(ready.c_str(), 0600), 0);
  toy.install_check_script("01", "setsid sleep 1000 &\necho $$ $! > '" + ready.string() + "'\nsleep 1000\n");

  const pid_t program = fork();
  if (program == 0) {
    setenv("STREAMLINGS_ROOT", toy.root().c_str(), 1);
    execl(STREAMLINGS_PROGRAM, STREAMLINGS_PROGRAM, "check", "1", nullptr);
    _exit(127);
  }
  pid_t check = 0;
  pid_t helper = 0;
  std::ifstream(ready) >> check >> helper;  // waits until the check is under way
  kill(program, SIGINT);
  int status = 0;
  waitpid(program, &status, 0);

  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_EQ(kill(check, 0), -1);
  EXPECT_EQ(kill(helper, 0), -1);
}

TEST(ChildProcess, ACheckDiesWithTheProgramThatIsKilled) {
  const toy_course toy;
  const std::filesystem::path ready = toy.root() / "ready";
  ASSERT_EQ(mkfifo(ready.c_str(), 0600), 0);
  toy.install_check_script("01", "exec 3> '" + ready.string() + "'\necho $$ >&3\nexec sleep 1000\n");

  const pid_t program = fork();
  if (program == 0) {
    setenv("STREAMLINGS_ROOT", toy.root().c_str(), 1);
    execl(STREAMLINGS_PROGRAM, STREAMLINGS_PROGRAM, "check", "1", nullptr);
    _exit(127);
  }
  std::ifstream end_of_check(ready);
  pid_t check = 0;
  end_of_check >> check;  // waits until the check is under way
  EXPECT_EQ(kill(check, 0), 0);
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  // The check holds the other end of the pipe for as long as it lives.
  std::string rest;
  EXPECT_FALSE(end_of_check >> rest);
}

}  // namespace
}  // namespace runner
