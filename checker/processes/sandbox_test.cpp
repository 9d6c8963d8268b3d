#include "processes/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "processes/files.h"
#include "processes/guardian.h"
#include "processes/landlock.h"
#include "processes/run.h"
#include "processes/system_call_filter.h"

namespace processes {
namespace {

using testing::HasSubstr;
using testing::Not;

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (probed_isolation().best == isolation::none) GTEST_SKIP() << probed_isolation().why_no_more;
  }

  /// Runs a script in a sandbox.
  static outcome inside(const std::string& script, const sandbox_contents& contents = {},
                        const std::vector<std::string>& environment = {"PATH=/usr/bin"}) {
    start_options program{.arguments = {"/usr/bin/bash", "-c", script}, .environment = environment};
    const sandbox made(program, contents);
    return sandbox::outcome_inside(run(program));
  }
};

TEST_F(Sandbox, AProgramSeesTheSystemAndTheFilesItIsGiven) {
  const temporary_folder folder;
  std::ofstream(folder.path() / "given") << "content";
  std::ofstream(folder.path() / "other") << "secret";
  const std::string path = folder.path().string();
  EXPECT_EQ(inside("cat " + path + "/given; ls " + path, {.readable = {folder.path() / "given"}}).output,
            "contentgiven\n");
  EXPECT_EQ(inside("ls -d /home /root /var /mnt /run").output.find("\n/"), std::string::npos);
  const std::string of_system =
      inside("find /sys -mindepth 1 -maxdepth 3").output;  // none where there are no huge pages
  if (!of_system.empty()) {
    EXPECT_EQ(of_system, "/sys/kernel\n/sys/kernel/mm\n/sys/kernel/mm/transparent_hugepage\n");
  }
  EXPECT_NE(inside("cat " + path + "/other").exit_status, 0);
  EXPECT_NE(inside("cat /etc/passwd").exit_status, 0);
}

TEST_F(Sandbox, NothingCanBeWrittenButTheTemporaryFolderToItsLimit) {
  const temporary_folder folder;
  std::ofstream(folder.path() / "given") << "content";
  const std::string file = (folder.path() / "given").string();
  EXPECT_NE(inside("echo x > " + file, {.readable = {file}}).exit_status, 0);
  for (const char* place :
       {"/x", "/usr/x", "/dev/x", "/etc/x", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname",
        "/sys/kernel/x", "/sys/kernel/mm/transparent_hugepage/enabled"})
    EXPECT_NE(inside(std::string("echo x > ") + place).exit_status, 0) << place;
  EXPECT_EQ(inside("echo x > here && cat /tmp/here").output, "x\n");
  const std::string fills = "head -c 40000000 /dev/zero > ";
  EXPECT_THAT(inside(fills + "/tmp/x", {.temporary_bytes = std::size_t{1} << 20}).output,
              HasSubstr("No space left"));
  EXPECT_THAT(inside(fills + "/dev/shm/x").output, HasSubstr("No space left"));
}

TEST_F(Sandbox, AFileThatOnlyItsOwnerMayReadCanBeGiven) {
  const temporary_folder folder;
  std::ofstream(folder.path() / "given") << "content";
  std::filesystem::permissions(folder.path() / "given", std::filesystem::perms::owner_read);
  const std::string file = (folder.path() / "given").string();
  EXPECT_EQ(inside("cat " + file, {.readable = {file}}).output, "content");
}

TEST_F(Sandbox, AFolderBelowTheSystemsCanBeHidden) {
  EXPECT_EQ(inside("ls /usr/share | wc -l", {.hidden = {"/usr/share"}}).output, "0\n");
  EXPECT_EQ(inside("ls /usr/share", {.hidden = {"/elsewhere"}}).exit_status, 0)
      << "what is not below /usr is hidden anyway";
}

TEST_F(Sandbox, ThereAreNoOtherProcessesAndNoNetwork) {
  EXPECT_THAT(inside("cd /proc; echo [0-9]*").output, testing::MatchesRegex("1 [0-9]\n"));
  EXPECT_EQ(inside("grep -c : /proc/net/dev; grep -c lo: /proc/net/dev").output, "1\n1\n");
  EXPECT_THAT(inside("echo > /dev/tcp/127.0.0.1/22").output, HasSubstr("socket: Permission denied"));
}

TEST_F(Sandbox, TheEnvironmentIsTheProgramsOwnAndNoOtherCanBeRead) {
  setenv("STREAMLINGS_TEST_SECRET", "12345", 1);
  const outcome ended =
      inside("env; cat /proc/1/environ /proc/1/cmdline | tr '\\0' ' '", {}, {"PATH=/usr/bin", "LC_ALL=C"});
  EXPECT_THAT(ended.output, HasSubstr("LC_ALL=C\n"));
  EXPECT_THAT(ended.output, Not(HasSubstr("12345")));
}

TEST_F(Sandbox, PrivilegesAndForbiddenCallsAreGone) {
  EXPECT_THAT(inside("grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status").output,
              "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
  EXPECT_THAT(inside("unshare -Ur true").output, HasSubstr("Operation not permitted"));
  EXPECT_THAT(inside("id -u; id -G").output, Not(HasSubstr("0\n0")));
  EXPECT_NE(inside("mount -t tmpfs none /tmp").exit_status, 0);
}

TEST_F(Sandbox, TheEndOfTheProgramIsTold) {
  EXPECT_EQ(inside("exit 7").exit_status, 7);
  EXPECT_EQ(inside("kill -SEGV $$").signal, SIGSEGV);
}

TEST_F(Sandbox, ASignalReachesTheProgram) {
  pipe_ends output = make_pipe();
  start_options program{
      .arguments = {"/usr/bin/bash", "-c", "trap 'exit 7' XCPU; echo begun; while :; do :; done"},
      .output = output.writer.number()};
  const sandbox made(program, {});
  guardian watch(program);
  char begun = ' ';
  ASSERT_EQ(read(output.reader.number(), &begun, 1), 1);
  watch.send_signal(SIGXCPU);
  const auto ended = watch.read_outcome();
  ASSERT_TRUE(ended);
  EXPECT_EQ(sandbox::outcome_inside(*ended).exit_status, 7);
}

TEST_F(Sandbox, ItsCpuTimeIsMeasuredAndWhatItLeavesIsEnded) {
  start_options program{
      .arguments = {"/usr/bin/bash", "-c", "setsid sleep 1000 & trap '' XCPU; while :; do :; done"},
      .cpu_time_limit = std::chrono::seconds(1)};
  const sandbox made(program, {});
  guardian watch(program);
  const auto ended = watch.read_outcome();
  ASSERT_TRUE(ended);
  EXPECT_EQ(sandbox::outcome_inside(*ended).signal, SIGKILL);
  EXPECT_GE(ended->cpu_time, std::chrono::seconds(1));
}

TEST_F(Sandbox, ProcessesAreLimitedWhereCgroupsAllowIt) {
  if (probed_isolation().best != isolation::bwrap_cgroup_seccomp)
    GTEST_SKIP() << probed_isolation().why_no_more;
  start_options program{
      .arguments = {"/usr/bin/sh", "-c", "for i in $(seq 700); do sleep 100 > /dev/null 2>&1 & done"},
      .environment = std::vector<std::string>{"PATH=/usr/bin"}};
  const sandbox made(program, {});
  EXPECT_THAT(run(program).output, HasSubstr("fork"));
  EXPECT_FALSE(made.has_run_out_of_memory());
}

TEST_F(Sandbox, DescriptorsThatAreGivenComeFirst) {
  pipe_ends channel = make_pipe();
  start_options program{.arguments = {"/usr/bin/bash", "-c", "exec ls /proc/self/fd >&3"},
                        .passed_descriptors = {channel.writer.number()}};
  const sandbox made(program, {});
  EXPECT_TRUE(run(program).succeeded());
  std::string text(100, '\0');
  text.resize(static_cast<std::size_t>(read(channel.reader.number(), text.data(), text.size())));
  EXPECT_EQ(text, "0\n1\n2\n3\n4\n") << "4: the folder that is listed";
}

/// The level below bubblewrap, on machines where Landlock can be had.
class LandlockSandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (landlock_version() < 6) GTEST_SKIP() << "This kernel's Landlock is older than version 6.";
    if (!has_system_call_filter()) GTEST_SKIP() << "This was built without libseccomp.";
    std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
    std::ofstream(folder_.path() / "given") << "content";
    std::ofstream(folder_.path() / "other") << "secret";
  }

  outcome inside(const std::string& script, const std::vector<std::filesystem::path>& hidden = {}) {
    start_options program{.arguments = {"/usr/bin/bash", "-c", script},
                          .environment = std::vector<std::string>{"PATH=/usr/bin", "TMPDIR=/tmp"}};
    const sandbox made(
        program,
        {.readable = {folder_.path() / "given"}, .hidden = hidden, .temporary_bytes = std::size_t{1} << 20},
        isolation::landlock_seccomp);
    return run(program);
  }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

 private:
  temporary_folder folder_;
};

TEST_F(LandlockSandbox, OnlyTheSystemAndTheFilesThatItIsGivenCanBeRead) {
  EXPECT_EQ(inside("cat " + path("given")).output, "content");
  for (const std::string& file : {path("other"), std::string("/etc/passwd"), std::string("/proc/1/cmdline")})
    EXPECT_THAT(inside("cat " + file).output, HasSubstr("Permission denied")) << file;
  EXPECT_THAT(inside("ls /proc /home").output, HasSubstr("Permission denied"));
}

TEST_F(LandlockSandbox, AFolderBelowTheSystemsCanBeHidden) {
  EXPECT_THAT(inside("ls /usr/share/dpkg", {"/usr/share/dpkg"}).output, HasSubstr("Permission denied"));
  EXPECT_TRUE(inside("ls /usr/include", {"/usr/share/dpkg"}).succeeded());
}

TEST_F(LandlockSandbox, NothingCanBeWrittenButItsOwnFolderToALimitForEachFile) {
  for (const std::string& place :
       {path("given"), path("new"), std::string("/tmp/streamlings_new"), std::string("/dev/shm/x")})
    EXPECT_THAT(inside("echo x > " + place).output, HasSubstr("Permission denied")) << place;
  EXPECT_EQ(
      inside("echo x > here && mv here there && cat $TMPDIR/there && pwd | cmp - <(echo $TMPDIR)").output,
      "x\n");
  EXPECT_EQ(inside("head -c 2000000 /dev/zero > x").signal, 0);
  EXPECT_EQ(inside("exec head -c 2000000 /dev/zero > x").signal, SIGXFSZ);
}

TEST_F(LandlockSandbox, NoOtherProcessCanBeReachedAndNoNetwork) {
  EXPECT_THAT(inside("kill -0 $PPID").output, HasSubstr("Operation not permitted"));
  EXPECT_THAT(inside("echo > /dev/tcp/127.0.0.1/22").output, HasSubstr("socket: Permission denied"));
  EXPECT_THAT(inside("unshare -Ur true").output, HasSubstr("Operation not permitted"));
  EXPECT_THAT(inside("id -u").output, Not("0\n"));
}

TEST_F(LandlockSandbox, ProcessesOfAUserOfItsOwnAreLimited) {
  if (geteuid() != 0) GTEST_SKIP() << "Only root can start a program as another user.";
  EXPECT_THAT(inside("sh -c 'for i in $(seq 700); do sleep 100 > /dev/null 2>&1 & done'").output,
              HasSubstr("fork"));
}

TEST_F(LandlockSandbox, TheEndOfTheProgramIsTold) {
  EXPECT_EQ(inside("exit 7").exit_status, 7);
  EXPECT_EQ(inside("kill -SEGV $$").signal, SIGSEGV);
}

}  // namespace
}  // namespace processes
