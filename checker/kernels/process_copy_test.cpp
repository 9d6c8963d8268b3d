#include "kernels/process_copy.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace kernels {
namespace {

using namespace std::chrono_literals;

TEST(ProcessCopy, HandsBackWhatItWasGiven) {
  int here = 1;
  process_copy copy(
      [&](process_copy::output& out) {
        here = 2;
        out.put(here);
        out.put_bytes("abc", 3);
        out.put(0.5);
      },
      10s);
  auto result = copy.result();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->get<int>(), 2);
  EXPECT_STREQ(std::string(reinterpret_cast<const char*>(result->bytes(3)), 3).c_str(), "abc");
  EXPECT_EQ(result->get<double>(), 0.5);
  EXPECT_EQ(result->size(), 0u);
  EXPECT_EQ(here, 1);
}

TEST(ProcessCopy, MayGoOnWhereItBegan) {
  auto* const copy = new process_copy(10s);
  if (process_copy::is_copy()) process_copy::hand_back(7);
  const std::unique_ptr<process_copy> owned(copy);
  auto result = owned->result();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->get<int>(), 7);
}

TEST(ProcessCopy, ThatEndsEarlyHasNoResult) {
  const auto has_result = [](void (*work)()) {
    process_copy copy(
        [&](process_copy::output& out) {
          out.put(1);
          work();
        },
        50ms);
    return copy.result().has_value();
  };
  EXPECT_FALSE(has_result([] { process_copy::end_if_copy("for the test"); }));
  EXPECT_FALSE(has_result([] { std::exit(0); }));
  EXPECT_FALSE(has_result([] { raise(SIGFPE); }));
  EXPECT_FALSE(has_result([] { throw 1; }));
  EXPECT_FALSE(has_result([] {
    for (volatile bool forever = true; forever;) {
    }
  }));
  EXPECT_TRUE(has_result([] {}));
}

TEST(ProcessCopy, SaysWhyItEnded) {
  process_copy stopped([](process_copy::output&) { process_copy::end_if_copy("for the test"); }, 10s);
  EXPECT_FALSE(stopped.result());
  EXPECT_STREQ(stopped.why_ended(), "for the test");
  process_copy lost([](process_copy::output&) { raise(SIGFPE); }, 10s);
  EXPECT_FALSE(lost.result());
  EXPECT_STREQ(lost.why_ended(), "a copy took much longer, or ended the program");
}

TEST(ProcessCopy, IsEndedWithItsObject) {
  {
    process_copy copy([](process_copy::output&) { pause(); }, 10s);
  }
  EXPECT_FALSE(process_copy::is_copy());
}

TEST(ProcessCopy, IsNotMadeWhereTheProgramHandlesTheEndsOfItsChildren) {
  const auto before = signal(SIGCHLD, [](int) {});
  process_copy copy([](process_copy::output& out) { out.put(1); }, 10s);
  EXPECT_FALSE(copy.result());
  signal(SIGCHLD, before);
}

}  // namespace
}  // namespace kernels
