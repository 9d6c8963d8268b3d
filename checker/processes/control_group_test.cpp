#include "processes/control_group.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <system_error>

#include "processes/files.h"
#include "processes/run.h"

namespace processes {
namespace {

namespace fs = std::filesystem;

constexpr group_limits small_limits{.memory_bytes = std::size_t{32} << 20, .processes = 10};

/// What `script` does in a group; nothing where this user may make none.
std::optional<outcome> in_group(const std::string& script, bool& is_out_of_memory) {
  try {
    const control_group group(small_limits);
    const outcome ended = run({.arguments = {"sh", "-c", script}, .groups = group.member_files()});
    is_out_of_memory = group.has_run_out_of_memory();
    return ended;
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

TEST(ControlGroup, MemoryIsLimited) {
  bool is_out_of_memory = false;
  const auto ended =
      in_group("x=$(head -c 100000000 /dev/zero | tr '\\0' x); echo ${#x}; true", is_out_of_memory);
  if (!ended) GTEST_SKIP() << "this user may make no group";
  EXPECT_EQ(ended->output.find("100000000"), std::string::npos);
  EXPECT_TRUE(is_out_of_memory);
}

TEST(ControlGroup, TheNumberOfProcessesIsLimitedAndWhatIsLeftIsEnded) {
  bool is_out_of_memory = false;
  const auto ended =
      in_group("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 100 > /dev/null 2>&1 & done", is_out_of_memory);
  if (!ended) GTEST_SKIP() << "this user may make no group";
  EXPECT_NE(ended->output.find("fork"), std::string::npos);
  EXPECT_FALSE(is_out_of_memory);
}

/// A folder that looks like cgroups of version 2: an ordinary user's session, in a group that may not have members of its own.
class ImitatedGroups : public testing::Test {
 protected:
  ImitatedGroups() {
    fs::create_directories(session());
    write(user() / "cgroup.subtree_control", "cpu memory pids\n");
    write(session() / "cgroup.subtree_control", "");
    write(root() / "own", "0::/user.slice/session\n");
  }
  fs::path root() const { return folder_.path(); }
  fs::path user() const { return root() / "user.slice"; }
  fs::path session() const { return user() / "session"; }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

 private:
  temporary_folder folder_;
};

TEST_F(ImitatedGroups, AGroupIsMadeWhereItsMembersMayHaveLimits) {
  const control_group group(small_limits, root(), root() / "own");
  ASSERT_EQ(group.member_files().size(), 1u);
  const fs::path made = group.member_files().front().parent_path();
  EXPECT_EQ(made.parent_path(), user());
  EXPECT_EQ(read_whole(made / "memory.max"), "33554432");
  EXPECT_EQ(read_whole(made / "pids.max"), "10");
  EXPECT_FALSE(group.has_run_out_of_memory());
  write(made / "memory.events", "low 0\noom 1\noom_kill 1\n");
  EXPECT_TRUE(group.has_run_out_of_memory());
}

TEST_F(ImitatedGroups, GroupsOfProcessesThatWereKilledAreRemoved) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const fs::path stale = user() / ("streamlings." + std::to_string(gone) + ".1");
  fs::create_directory(stale);
  const control_group group(small_limits, root(), root() / "own");
  EXPECT_FALSE(fs::exists(stale));
}

TEST_F(ImitatedGroups, WithoutControllersTheReasonIsSaid) {
  write(user() / "cgroup.subtree_control", "cpu\n");
  try {
    const control_group group(small_limits, root(), root() / "own");
    FAIL();
  } catch (const std::system_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("no cgroup with the controllers memory and pids"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace processes
