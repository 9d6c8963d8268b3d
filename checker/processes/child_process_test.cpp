#include "processes/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/child_group.h"
#include "processes/files.h"
#include "processes/start.h"

namespace processes {
namespace {

outcome child_of(const std::string& script) { return run_child({"/bin/sh", "-c", script}, "/"); }

TEST(ChildProcess, BothStreamsAndTheStatusArrive) {
  const outcome done = child_of("echo out; echo err >&2; exit 5");
  EXPECT_EQ(done.exit_status, 5);
  EXPECT_EQ(done.output, "out\nerr\n");
}

TEST(ChildProcess, ASignalCountsAsInAShell) {
  EXPECT_EQ(child_of("kill -TERM $$").exit_status, 128 + SIGTERM);
}

TEST(ChildProcess, LongOutputArrivesWhole) {
  EXPECT_EQ(child_of("head -c 1000000 /dev/zero | tr '\\0' x").output, std::string(1'000'000, 'x'));
}

TEST(ChildProcess, ItRunsInTheFolderAndReadsNothing) { EXPECT_EQ(child_of("pwd; cat").output, "/\n"); }

TEST(ChildProcess, AProgramThatIsNotThereIsNamed) {
  EXPECT_THROW(run_child({"/nowhere/at/all"}, "/"), cannot_do);
}

TEST(ChildProcess, AChildThatStopsItselfIsEndedAtItsLimit) {
  const outcome done =
      run_child({"/bin/sh", "-c", "kill -STOP $$"}, "/", nullptr, std::chrono::milliseconds(100));
  EXPECT_TRUE(done.is_over_limit);
  EXPECT_EQ(done.signal, SIGKILL);
  EXPECT_FALSE(run_child({"/bin/true"}, "/", nullptr, std::chrono::hours(1)).is_over_limit);
}

TEST(ChildProcess, WhatTheChildLeftBehindIsGoneAfterwards) {
  const std::string left_behind = child_of("setsid sleep 1000 & echo $!").output;
  EXPECT_EQ(kill(std::stoi(left_behind), 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcess, WhatAnEditorOfTheLearnerLeftBehindStays) {
  const temporary_folder folder;
  const std::string note = (folder.path() / "note").string();
  child_group group;  // from here on, orphans are ours
  const started_program shell =
      start({.arguments = {"/bin/sh", "-c", "setsid sleep 1000 & echo $! > \"$1\"", "sh", note},
             .life = lifetime::independent});
  EXPECT_EQ(wait_for(shell.id).exit_status, 0);
  const pid_t editor = std::stoi(content_of(note).value());
  child_of("true");
  EXPECT_EQ(kill(editor, 0), 0);
  kill(editor, SIGKILL);
  waitpid(editor, nullptr, 0);
}

TEST(ChildProcess, SeveralCommandsAreToldApartByTheirPlaceInTheList) {
  std::vector<std::vector<std::string>> commands;
  for (int i = 0; i < 5; ++i)
    commands.push_back({"/bin/sh", "-c", "echo I am " + std::to_string(i) + "; exit " + std::to_string(i)});
  std::vector<outcome> ended(commands.size());
  run_children(commands, "/", 3, [&](std::size_t i, outcome result) { ended[i] = std::move(result); });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ended[i].exit_status, i);
    EXPECT_EQ(ended[i].output, "I am " + std::to_string(i) + "\n");
  }
}

TEST(ChildProcess, AsManyCommandsRunAtOnceAsAllowed) {
  const temporary_folder folder;
  ASSERT_EQ(mkfifo((folder.path() / "meet").c_str(), 0600), 0);
  // Each end of a FIFO waits for the other, so these two end only when they run together.
  std::string met;
  run_children({{"/bin/sh", "-c", "echo hello > meet"}, {"/bin/cat", "meet"}}, folder.path(), 2,
               [&](std::size_t, const outcome& result) { met += result.output; });
  EXPECT_EQ(met, "hello\n");
}

TEST(ChildProcess, NoMoreCommandsRunAtOnceThanAllowed) {
  const temporary_folder folder;
  const std::string alone = "mkdir busy || exit 1; ls > list; rmdir busy";
  int failed = 0;
  run_children(std::vector<std::vector<std::string>>(6, {"/bin/sh", "-c", alone}), folder.path(), 1,
               [&](std::size_t, const outcome& result) { failed += result.exit_status; });
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace processes
