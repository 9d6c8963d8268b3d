// A program under `run` has no terminal that controls it; what a terminal does still reaches it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <string>

#include "runner/terminal/terminal_session.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

/// `run` of a shell script, which stands for a program, on a terminal.
class RunOnTerminal : public testing::Test {
 protected:
  /// How a shell starts it.
  std::string command(const std::string& script) {
    toy.install_script("streamlings-nvcc", "cp \"$3\" \"$2\" && chmod +x \"$2\"\n");
    toy.write("program.cu", "#!/bin/bash\n" + script);
    return std::string(STREAMLINGS_PROGRAM) + " run '" + (toy.root() / "program.cu").string() + "'";
  }

  toy_course toy;
};

TEST_F(RunOnTerminal, ItReadsItsInputAndHasNoTerminalOfItsOwn) {
  terminal_session session(toy.root(), {24, 80}, {}, "exec " + command(R"(
echo ready; read -r line; echo "read $line"
{ : > /dev/tty; } 2>/dev/null && echo "has a terminal" || echo "has none"; exit 5
)"));
  session.wait_for("ready");
  session.press("something\n");
  session.wait_for("read something");
  session.wait_for("has none");
  EXPECT_EQ(WEXITSTATUS(session.wait_for_end()), 5);
}

TEST_F(RunOnTerminal, CtrlCIsForTheProgram) {
  terminal_session session(
      toy.root(), {24, 80}, {},
      "exec " + command("trap 'echo interrupted; exit 7' INT\necho ready\nwhile :; do :; done\n"));
  session.wait_for("ready");
  session.press("\x03");
  session.wait_for("interrupted");
  EXPECT_EQ(WEXITSTATUS(session.wait_for_end()), 7);
}

TEST_F(RunOnTerminal, CtrlZStopsTheProgramToo) {
  const std::string pid = (toy.root() / "pid").string();
  terminal_session session(
      toy.root(), {24, 80}, {},
      "set -m; " + command("echo $$ > '" + pid + "'; echo ready; read -r line; echo read $line\n") +
          "; until grep -q 'T (stopped)' /proc/$(cat '" + pid +
          "')/status; do :; done; echo in the shell; read -r x; fg %1");
  session.wait_for("ready");
  session.press("\x1a");
  session.wait_for("in the shell");
  session.press("\n");
  session.press("again\n");
  session.wait_for("read again");
  session.wait_for_end();
}

TEST_F(RunOnTerminal, ItIsToldOfTheWindowsSize) {
  terminal_session session(
      toy.root(), {24, 80}, {},
      "exec " + command("trap 'stty size; exit 0' WINCH\necho ready\nwhile :; do :; done\n"));
  session.wait_for("ready");
  session.resize({30, 100});
  session.wait_for("30 100");
  session.wait_for_end();
}

TEST_F(RunOnTerminal, AProgramThatIgnoresTheRequestToEndIsEnded) {
  terminal_session session(toy.root(), {24, 80}, {},
                           "exec " + command("trap '' TERM\necho ready\nwhile :; do read -r x; done\n"));
  session.wait_for("ready");
  session.send(SIGTERM);
  session.wait_for("did not end");
  EXPECT_EQ(WEXITSTATUS(session.wait_for_end()), 128 + SIGKILL);
}

}  // namespace
}  // namespace runner
