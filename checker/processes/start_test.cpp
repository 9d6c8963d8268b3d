#include "processes/start.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "processes/descriptor.h"
#include "processes/files.h"
#include "processes/guardian.h"
#include "processes/outcome.h"
#include "processes/process_tree.h"
#include "processes/run.h"

namespace processes {
namespace {

start_options shell(const std::string& script) { return {.arguments = {"sh", "-c", script}}; }

TEST(Start, AProgramThatCannotBeStartedLeavesNoProcess) {
  const std::vector<pid_t> before = children_of(getpid());
  EXPECT_EQ(start({.arguments = {"/no/such/program"}}).error, ENOENT);
  EXPECT_EQ(start({.arguments = {"/etc/passwd"}}).error, EACCES);
  // Orphans of other tests may end meanwhile.
  EXPECT_THAT(children_of(getpid()), testing::IsSubsetOf(before));
}

TEST(Start, AFolderThatIsMissingIsAnError) {
  EXPECT_EQ(start({.arguments = {"/bin/true"}, .directory = "/no/such/folder"}).error, ENOENT);
}

TEST(Start, OnlyThePassedDescriptorsAreOpenAndBeginAtThree) {
  const descriptor other(open("/dev/null", O_RDONLY));
  const descriptor passed(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::string folder = "/proc/self/fd/";
  start_options options =
      shell("test -e " + folder + "3 && test ! -e " + folder + std::to_string(std::max(other.number(), 4)));
  options.passed_descriptors = {passed.number()};
  EXPECT_TRUE(run(options).succeeded());
}

TEST(Start, TheProgramBeginsWithTheUsualSignals) {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const outcome ended = run(shell("grep -E 'SigBlk|SigIgn' /proc/self/status | tr -d '\\t\\n'"));
  sigprocmask(SIG_SETMASK, &before, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(ended.output, "SigBlk:0000000000000000SigIgn:0000000000000000");
}

TEST(Start, GroupAndSessionAreAsAsked) {
  const auto group_and_session = [](process_group group) {
    start_options options = shell("echo $(cut -d' ' -f5-6 /proc/$$/stat) $$");
    options.group = group;
    return run(options).output;
  };
  const std::string callers = std::to_string(getpgrp()) + " " + std::to_string(getsid(0));
  EXPECT_EQ(group_and_session(process_group::of_caller).find(callers), 0u);
  const std::string own = group_and_session(process_group::own_session);
  const std::string id = own.substr(0, own.find(' '));
  EXPECT_EQ(own, id + " " + id + " " + id + "\n");
}

TEST(Start, AStreamOfTheCallerSurvivesThatTheCallerHasNone) {
  const temporary_folder folder;
  const std::string file = (folder.path() / "output").string();
  const pid_t caller = fork();
  if (caller == 0) {
    // The pipe of start() and the file get the numbers of the standard streams.
    for (int number = 0; number < 3; ++number) close(number);
    const int output = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    start_options options = shell("echo out; echo err >&2");
    options.output = options.errors = output;
    _exit(wait_for(start(options).id).exit_status);
  }
  EXPECT_EQ(wait_for(caller).exit_status, 0);
  EXPECT_EQ(content_of(file), "out\nerr\n");
}

TEST(Start, TheProgramDiesWithTheProcessThatStartedIt) {
  pipe_ends pipe = make_pipe();
  const pid_t caller = fork();
  if (caller == 0) {
    start_options options = shell("echo started; exec sleep 1000");
    options.output = pipe.writer.number();
    wait_for(start(options).id);
    _exit(0);
  }
  pipe.writer.reset();
  char letter = 0;
  ASSERT_EQ(read(pipe.reader.number(), &letter, 1), 1);
  kill(caller, SIGKILL);
  wait_for(caller);
  std::string rest(100, '\0');
  while (read(pipe.reader.number(), rest.data(), rest.size()) > 0) {
  }
  SUCCEED() << "the pipe came to its end";
}

TEST(Guardian, TellsOfTheEndAndTheCpuTime) {
  guardian watch(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; kill -TERM $$"));
  const std::optional<outcome> ended = watch.read_outcome();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGTERM);
  EXPECT_GT(ended->cpu_time.count(), 0);
}

TEST(Guardian, TellsOfAProgramThatCannotBeStarted) {
  EXPECT_EQ(guardian({.arguments = {"/no/such/program"}}).read_outcome().value().start_error, ENOENT);
}

TEST(Guardian, ReportsTheEndOfAProgramThatASignalCameTooLateFor) {
  std::signal(SIGINT, SIG_DFL);  // a background job of a script ignores it, and so would the program
  // In some turns a signal is still unread when the guardian has reported and ends.
  for (int turn = 0; turn < 40; ++turn) {
    guardian watch(shell("trap 'exit 7' INT; while :; do :; done"));
    for (int i = 0; i < 100; ++i) {
      watch.send_signal(SIGINT);
      watch.send_signal(SIGCONT);
    }
    const std::optional<outcome> ended = watch.read_outcome();
    ASSERT_TRUE(ended) << turn;
    EXPECT_TRUE(ended->exit_status == 7 || ended->signal == SIGINT) << turn;
  }
}

}  // namespace
}  // namespace processes
