#include "processes/guarded_work.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <stdexcept>

#include "processes/files.h"
#include "processes/run.h"

namespace processes {
namespace {

namespace fs = std::filesystem;

TEST(GuardedWork, GuardedWorkReturnsItsStatusAndLosesItsDirectory) {
  const temporary_folder folder;
  const fs::path note = folder.path() / "note";
  EXPECT_EQ(run_guarded([&](const fs::path& temporary) {
              std::ofstream(temporary / "file") << "x";
              std::ofstream(note) << temporary.string();
              return 9;
            }),
            9);
  EXPECT_FALSE(fs::exists(content_of(note).value()));
}

TEST(GuardedWork, ProblemInGuardedWorkIsStatusTwo) {
  EXPECT_EQ(run_guarded([](const fs::path&) -> int { throw std::runtime_error("disk full"); }), 2);
}

TEST(GuardedWork, KillingTheCallerEndsEverythingItStarted) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const std::string to_pipe = " >&3";
  const temporary_folder folder;
  const fs::path note = folder.path() / "note";
  const pid_t caller = fork();
  if (caller == 0) {
    _exit(run_guarded([&](const fs::path& temporary) {
      std::ofstream(note) << temporary.string();
      return run({.arguments = {"sh", "-c", "printf s" + to_pipe + "; sleep 30; printf f" + to_pipe},
                  .passed_descriptors = {pipe_ends[1]}})
          .exit_status;
    }));
  }
  close(pipe_ends[1]);
  char letter = '\0';
  ASSERT_EQ(read(pipe_ends[0], &letter, 1), 1);
  ASSERT_EQ(letter, 's');
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  EXPECT_EQ(read(pipe_ends[0], &letter, 1), 0) << "a process lived on and printed " << letter;
  EXPECT_FALSE(fs::exists(content_of(note).value()));
  close(pipe_ends[0]);
}

}  // namespace
}  // namespace processes
