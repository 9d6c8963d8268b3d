#include "cuda_compiler/clock_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cuda_compiler {

using parsing::read_tokens;
using parsing::token_list;
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "while" and the variables of each loop, for example "while waited".
std::vector<std::string> loops_in(const std::string& body) {
  const std::string source = "__global__ void k(long long n, long long* out) { " + body + " }";
  const token_list list = read_tokens(source);
  const navigator tokens(list);
  std::vector<std::string> found;
  for (const clock_loop& loop : find_clock_loops(tokens)) {
    found.emplace_back(tokens.at(loop.begin).text);
    for (const std::string& name : loop.assigned) found.back() += ' ' + name;
  }
  return found;
}

TEST(ClockLoops, AreFoundAsPublishedProgramsWriteThem) {
  EXPECT_THAT(loops_in("long long b = clock64(); while (clock64() - b < n) {}"), ElementsAre("while"));
  EXPECT_THAT(loops_in("long long b = clock64(); while (clock64() < b + n);"), ElementsAre("while"));
  EXPECT_THAT(loops_in("clock_t b = clock(); clock_t w = 0; while (w < n) { w = clock() - b; } out[0] = w;"),
              ElementsAre("while w"));
  EXPECT_THAT(loops_in("long long now; do { now = clock64(); } while (now - b < n);"), ElementsAre("do now"));
  EXPECT_THAT(
      loops_in(
          "long long w = 0, t = clock64(); while (w <= n) { long long now = clock64(); w += now - t; t = now; }"),
      ElementsAre("while w t"));
  EXPECT_THAT(
      loops_in("unsigned int b = (unsigned int)clock(); for (;;) { unsigned int now = (unsigned int)clock();"
               " unsigned int w = now > b ? now - b : now + (0xffffffff - b); if (w >= n) break; }"),
      ElementsAre("for"));
  EXPECT_THAT(loops_in("for (long long b = clock64(); clock64() - b < n * 1000;) {}"), ElementsAre("for"));
}

TEST(ClockLoops, StandInsideOtherLoopsAndConditions) {
  EXPECT_THAT(
      loops_in("for (int i = 0; i < 3; ++i) { long long b = clock64(); while (clock64() - b < n) {} }"),
      ElementsAre("while"));
  EXPECT_THAT(loops_in("if (n > 0) while (clock64() < n); else do ; while (clock64() < 5);"),
              ElementsAre("while", "do"));
}

TEST(ClockLoops, DoNothingElse) {
  for (const char* body :
       {"int c = 0; while (clock64() < n) ++c;", "int c = 0; while (clock64() < n) c++;",
        "while (clock64() < n) out[0] = 1;", "while (clock64() < n && !*flag) {}",
        "while (clock64() < n) f();", "while (clock64() != n) {}", "while ((clock64() & 1023) > 5) {}",
        "while (clock64() % 7 < n) {}", "while (true) { if (clock64() > n) return; }",
        "while (clock64() < n) x = 1;", "while (clock64() < n) *out = 1;",
        "static long long w; while (w < n) w = clock64();",
        "long long& w = *out; while (w < n) w = clock64();", "volatile int v; while (clock64() < n) v = 1;",
        "while (clock64() < n) __nanosleep(100);"}) {
    EXPECT_THAT(loops_in(body), IsEmpty()) << body;
  }
}

TEST(ClockLoops, OfUnfinishedTextAreNone) {
  for (const char* body :
       {"while (clock64() < n", "do { clock64(); }", "while clock64()", "do x = clock64();"}) {
    const std::string source = std::string("void k() { ") + body;
    const token_list list = read_tokens(source);
    EXPECT_THAT(find_clock_loops(navigator(list)), IsEmpty()) << body;
  }
}

}  // namespace
}  // namespace cuda_compiler
