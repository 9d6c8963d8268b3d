#include "cuda_compiler/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

namespace cuda_compiler {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// Runs `command` with the shell inside run_guarded.
program_end run_shell(const std::string& command, const fs::path& directory) {
  return run_program({"sh", "-c", command}, directory / "out", directory / "err");
}

/// A directory of the test's own.
class Process : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "process-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path directory_;
};

TEST_F(Process, OutputAndErrorsGoToTheirFiles) {
  EXPECT_TRUE(run_shell("echo seen; echo wrong >&2", directory_).succeeded());
  EXPECT_EQ(first_line(directory_ / "out"), "seen");
  EXPECT_EQ(first_line(directory_ / "err"), "wrong");
}

TEST_F(Process, EndTellsExitStatusSignalAndStartErrorApart) {
  EXPECT_EQ(run_shell("exit 7", directory_).exit_status, 7);
  EXPECT_EQ(run_shell("kill -ABRT $$", directory_).signal, SIGABRT);
  EXPECT_EQ(run_program({"/no/such/program"}, directory_ / "out", directory_ / "err").start_error, ENOENT);
}

TEST_F(Process, GuardedWorkReturnsItsStatusAndLosesItsDirectory) {
  const fs::path note = directory_ / "note";
  EXPECT_EQ(run_guarded([&](const fs::path& temporary) {
              std::ofstream(temporary / "file") << "x";
              std::ofstream(note) << temporary.string();
              return 9;
            }),
            9);
  EXPECT_FALSE(fs::exists(first_line(note)));
}

TEST_F(Process, ProblemInGuardedWorkIsStatusTwo) {
  EXPECT_EQ(run_guarded([](const fs::path&) -> int { throw std::runtime_error("disk full"); }), 2);
}

TEST_F(Process, KillingTheCallerEndsEverythingItStarted) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const std::string to_pipe = " >&" + std::to_string(pipe_ends[1]);
  const fs::path note = directory_ / "note";
  const pid_t caller = fork();
  if (caller == 0) {
    _exit(run_guarded([&](const fs::path& temporary) {
      std::ofstream(note) << temporary.string();
      return run_shell("printf s" + to_pipe + "; sleep 30; printf f" + to_pipe, temporary).exit_status;
    }));
  }
  close(pipe_ends[1]);
  char seen = '\0';
  ASSERT_EQ(read(pipe_ends[0], &seen, 1), 1);
  ASSERT_EQ(seen, 's');
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  EXPECT_EQ(read(pipe_ends[0], &seen, 1), 0) << "a process lived on and printed " << seen;
  EXPECT_FALSE(fs::exists(first_line(note)));
  close(pipe_ends[0]);
}

}  // namespace
}  // namespace cuda_compiler
