#include "runner/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "runner/errors.h"
#include "runner/files.h"
#include "runner/learners_program.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

child_outcome run_script(const std::string& script) {
  return run_child({"/bin/sh", "-c", script}, "/", nullptr);
}

TEST(ChildProcess, BothStreamsAndTheStatusArrive) {
  const child_outcome done = run_script("echo out; echo err >&2; exit 5");
  EXPECT_EQ(done.exit_status, 5);
  EXPECT_EQ(done.output, "out\nerr\n");
}

TEST(ChildProcess, ASignalCountsAsInAShell) {
  EXPECT_EQ(run_script("kill -TERM $$").exit_status, 128 + SIGTERM);
}

TEST(ChildProcess, LongOutputArrivesWhole) {
  EXPECT_EQ(run_script("head -c 1000000 /dev/zero | tr '\\0' x").output, std::string(1'000'000, 'x'));
}

TEST(ChildProcess, ItRunsInTheFolderAndReadsNothing) { EXPECT_EQ(run_script("pwd; cat").output, "/\n"); }

TEST(ChildProcess, AProgramThatIsNotThereIsNamed) {
  EXPECT_THROW(run_child({"/nowhere/at/all"}, "/", nullptr), cannot_do);
}

TEST(ChildProcess, WhatTheChildLeftBehindIsGoneAfterwards) {
  const std::string left_behind = run_script("setsid sleep 1000 & echo $!").output;
  EXPECT_EQ(kill(std::stoi(left_behind), 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcess, WhatAnEditorOfTheLearnerLeftBehindStays) {
  const temporary_folder folder;
  const std::string note = (folder.path() / "note").string();
  child_group group;  // from here on, orphans are ours
  sigset_t none;
  sigemptyset(&none);
  EXPECT_EQ(run_in_foreground("setsid sleep 1000 & echo $! >", note, none), 0);
  const pid_t editor = std::stoi(content_of(note).value());
  run_script("true");
  EXPECT_EQ(kill(editor, 0), 0);
  kill(editor, SIGKILL);
  waitpid(editor, nullptr, 0);
}

TEST(ChildProcess, SeveralCommandsAreToldApartByTheirPlaceInTheList) {
  std::vector<std::vector<std::string>> commands;
  for (int i = 0; i < 5; ++i)
    commands.push_back({"/bin/sh", "-c", "echo I am " + std::to_string(i) + "; exit " + std::to_string(i)});
  std::vector<child_outcome> seen(commands.size());
  run_children(commands, "/", 3, [&](std::size_t i, child_outcome outcome) { seen[i] = std::move(outcome); });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(seen[i].exit_status, i);
    EXPECT_EQ(seen[i].output, "I am " + std::to_string(i) + "\n");
  }
}

TEST(ChildProcess, AsManyCommandsRunAtOnceAsAllowed) {
  const temporary_folder folder;
  ASSERT_EQ(mkfifo((folder.path() / "meet").c_str(), 0600), 0);
  // Each end of a FIFO waits for the other, so these two end only when they run together.
  std::string met;
  run_children({{"/bin/sh", "-c", "echo hello > meet"}, {"/bin/cat", "meet"}}, folder.path(), 2,
               [&](std::size_t, const child_outcome& outcome) { met += outcome.output; });
  EXPECT_EQ(met, "hello\n");
}

TEST(ChildProcess, NoMoreCommandsRunAtOnceThanAllowed) {
  const temporary_folder folder;
  const std::string alone = "mkdir busy || exit 1; ls > list; rmdir busy";
  int failed = 0;
  run_children(std::vector<std::vector<std::string>>(6, {"/bin/sh", "-c", alone}), folder.path(), 1,
               [&](std::size_t, const child_outcome& outcome) { failed += outcome.exit_status; });
  EXPECT_EQ(failed, 0);
}

TEST(ChildProcess, CtrlCDuringACheckLeavesNoProcessBehindAndEndsByThatSignal) {
  const toy_course toy;
  const std::filesystem::path ready = toy.root() / "ready";
  ASSERT_EQ(mkfifo(ready.c_str(), 0600), 0);
  toy.install_script("check01", "setsid sleep 1000 &\necho $$ $! > '" + ready.string() + "'\nsleep 1000\n");

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
  toy.install_script("check01", "exec 3> '" + ready.string() + "'\necho $$ >&3\nexec sleep 1000\n");

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
