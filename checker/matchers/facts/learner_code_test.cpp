#include "matchers/facts/learner_code.h"

#include <gmock/gmock.h>

namespace matchers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

learner_source file(const std::string& text) { return {"a.cu", text, ""}; }

std::vector<std::string> kept_in(const std::string& text) {
  std::vector<std::string> found;
  for (const kept_variable& variable : kept_variables(file(text)))
    found.push_back(variable.name + " " + variable.where);
  return found;
}

TEST(LineOfDefinition, IsThatOfTheBodyAndNotOfADeclarationOrACall) {
  const auto source = file(
      "// plan_for(1) {\n"
      "int plan_for(int places);\n"
      "int my_plan_for(int n) { return plan_for(n); }\n"
      "int plan_for(int places)\n"
      "{\n"
      "  return (places + 1) / 2;\n"
      "}\n");
  EXPECT_EQ(line_of_definition(source, "plan_for"), "a.cu:4");
  EXPECT_EQ(line_of_definition(source, "other"), "");
}

TEST(LineOfReturn, IsThatOfTheLastOneInTheFunction) {
  const auto source = file(
      "int f(int n) {\n"
      "  if (n == 0) return 1;\n"
      "  return n;\n"
      "}\n"
      "void g() {}\n"
      "int h() { return 2; }\n");
  EXPECT_EQ(line_of_return(source, "f"), "a.cu:3");
  EXPECT_EQ(line_of_return(source, "g"), "a.cu:5");
  EXPECT_EQ(line_of_return(source, "other"), "");
  EXPECT_EQ(line_of_return(file("int f(int n) {\n  if (n) {\n    return 1;\n  }\n  return 0;\n}\n"), "if"),
            "");
}

TEST(KeptVariables, AreTheStaticOnesOfFunctions) {
  EXPECT_THAT(kept_in("void f(int n) {\n"
                      "  static bool done = false;\n"
                      "  for (int i = 0; i < n; ++i) {\n"
                      "    static std::atomic<int> next{0};\n"
                      "  }\n"
                      "  static slot slots[3];\n"
                      "}\n"),
              ElementsAre("done a.cu:2", "next a.cu:4", "slots a.cu:6"));
}

TEST(KeptVariables, AreThoseOfTheFile) {
  EXPECT_THAT(kept_in("#include <vector>\n"
                      "namespace {\nstd::vector<float> kept;\n}  // namespace\n"
                      "static int held[8] = {-1, -1};\n"
                      "void f() { g(held[0]); }\n"
                      "float gain{0};\n"),
              ElementsAre("kept a.cu:3", "held a.cu:5", "gain a.cu:7"));
}

TEST(KeptVariables, OfTheFileAreNoConstantsMutexesTypesOrFunctions) {
  EXPECT_THAT(kept_in("const int a = 1;\nconstexpr int b{2};\nstd::mutex guard;\nusing c = int;\n"
                      "struct d {\n  int member = 0;\n};\nint e(int n);\nextern int of_another_file;\n"
                      "template <typename T>\nT twice(T n) {\n  T two = 2;\n  return two * n;\n}\n"),
              IsEmpty());
}

TEST(KeptVariables, AreNoFunctionsConstantsMembersOrWords) {
  EXPECT_THAT(kept_in("static int helper(int n) { return n; }\n"
                      "struct s {\n  static int member;\n};\n"
                      "void f() {\n"
                      "  static constexpr int size = 3;\n"
                      "  // static int in_a_comment = 0;\n"
                      "  const char* text = \"{ static int in_a_string = 0; }\";\n"
                      "  g(static_cast<int>(1'000));\n"
                      "}\n"),
              IsEmpty());
}

TEST(LineOfDetach, IsThatOfTheOnlyOne) {
  EXPECT_EQ(line_of_detach(file("void f() {\n  // detach()\n  consumer.detach();\n}\n")), "a.cu:3");
  EXPECT_EQ(line_of_detach(file("void f() {\n  one.detach();\n  two.detach();\n}\n")), "");
  EXPECT_EQ(line_of_detach(file("void f() {}\n")), "");
}

TEST(UnnamedLocks, AreThoseOfStatementsThatOnlyMakeALock) {
  std::vector<std::string> found;
  for (const unnamed_lock& lock : unnamed_locks(file("void f() {\n"
                                                     "  std::unique_lock<std::mutex>(storing);\n"
                                                     "  const std::scoped_lock{one, two};\n"
                                                     "  std::lock_guard<std::mutex>(work.storing);\n"
                                                     "  std::lock_guard<std::mutex> named(storing);\n"
                                                     "  auto kept = std::unique_lock<std::mutex>(storing);\n"
                                                     "  use(std::unique_lock(storing));\n"
                                                     "  return std::unique_lock(storing);\n"
                                                     "}\n")))
    found.push_back(lock.line + " " + lock.declared);
  EXPECT_THAT(found, testing::UnorderedElementsAre("a.cu:2 storing", "a.cu:3 ", "a.cu:4 "));
}

TEST(LinesOfReturnsWithLock, AreThoseBetweenALockAndItsUnlock) {
  const auto source = file(
      "int f() {\n"
      "  if (a) return 1;\n"
      "  storing.lock();\n"
      "  if (b) return 2;\n"
      "  g([] { return 3; });\n"
      "  storing.unlock();\n"
      "  return 4;\n"
      "}\n");
  EXPECT_THAT(lines_of_returns_with_lock(source, 3), testing::ElementsAre("a.cu:4"));
  EXPECT_THAT(lines_of_returns_with_lock(source, 2), testing::IsEmpty());
  EXPECT_THAT(lines_of_returns_with_lock(file("int f() {\n  storing.lock();\n  return 1;\n}\n"), 2),
              testing::IsEmpty());
}

TEST(LocksHeldAt, AreAlsoThoseOfAMutexThatIsLockedByACall) {
  const auto source = file("void f() {\n  storing.lock();\n  a();\n  storing.unlock();\n  b();\n}\n");
  const std::vector<held_lock> held = locks_held_at(source, 3);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].mutex, "storing");
  EXPECT_EQ(held[0].where, "a.cu:2");
  EXPECT_THAT(locks_held_at(source, 5), testing::IsEmpty());
}

TEST(PrivateMutexes, AreThoseOfAThreadOrOfACallThatNobodyElseIsGiven) {
  const std::vector<private_mutex> found =
      private_mutexes(file("static std::mutex shared;\n"
                           "static thread_local std::mutex of_thread;\n"
                           "struct state { std::mutex member; };\n"
                           "void take(std::mutex& given) {\n"
                           "  std::mutex own;\n"
                           "  static std::mutex kept;\n"
                           "  std::lock_guard<std::mutex> lock(own);\n"
                           "}\n"
                           "void f() {\n"
                           "  std::mutex captured;\n"
                           "  std::thread one([&] { captured.lock(); });\n"
                           "}\n"
                           "void g() {\n"
                           "  std::mutex passed;\n"
                           "  std::thread one(take, std::ref(passed));\n"
                           "}\n"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "of_thread");
  EXPECT_TRUE(found[0].is_of_thread);
  EXPECT_EQ(found[1].name, "own");
  EXPECT_EQ(found[1].where, "a.cu:5");
  EXPECT_FALSE(found[1].is_of_thread);
}

TEST(LinesOfEarlyReturns, AreThoseBeforeTheLastJoinOrBeforeTheLastReturn) {
  const auto source = file(
      "int f() {\n"
      "  std::thread one([] { return 1; });\n"
      "  if (a) return 2;\n"
      "  one.join();\n"
      "  if (b) return 3;\n"
      "  return 4;\n"
      "}\n"
      "int g() {\n"
      "  for (auto& one : all) {\n"
      "    one.join();\n"
      "    if (c) return 5;\n"
      "  }\n"
      "  return 6;\n"
      "}\n");
  EXPECT_THAT(lines_of_early_returns(source, 7), testing::ElementsAre("a.cu:3"));
  EXPECT_THAT(lines_of_early_returns(source, 14), testing::ElementsAre("a.cu:11"));
  EXPECT_THAT(lines_of_early_returns(file("void f();\n"), 1), IsEmpty());
}

TEST(NameKeptVariables, AddsTheirLinesBehindThoseThatAreKnown) {
  report::evidence why;
  why.observation = "It queued nothing.";
  why.where = "a.cu:9";
  name_kept_variables(file("void f() {\n  static int count = 0;\n}\n"), first_call::right, why);
  EXPECT_EQ(why.where, "a.cu:9, a.cu:2");
  EXPECT_THAT(
      why.observation,
      testing::EndsWith("It was not so in the first call of your function. What keeps its value from call to "
                        "call: `count` (a.cu:2)."));
  const report::evidence before = why;
  learner_source with_given = file("queue complete;\nvoid f() { complete.put(); }\n");
  with_given.as_it_comes = "queue complete;\nvoid f() {}\n";
  name_kept_variables(with_given, first_call::right, why);
  EXPECT_EQ(why.observation, before.observation);
  name_kept_variables(file("void f() {}\n"), first_call::not_judged, why);
  EXPECT_EQ(why.observation, before.observation);
}

TEST(LocksHeldAt, AreThoseOfTheBlocksAroundTheLine) {
  const learner_source source{"x.cu",
                              "void f() {\n"
                              "  std::lock_guard<std::mutex> outer(a);\n"
                              "  {\n"
                              "    const std::unique_lock<std::mutex> gone(b);\n"
                              "  }\n"
                              "  std::thread t([&] {\n"
                              "    std::scoped_lock inner(c.m);\n"
                              "    work();\n"
                              "  });\n"
                              "  rest();\n"
                              "}\n",
                              ""};
  const auto in_thread = locks_held_at(source, 8);
  ASSERT_EQ(in_thread.size(), 1u);
  EXPECT_EQ(in_thread[0].mutex, "c.m");
  EXPECT_EQ(in_thread[0].where, "x.cu:7");
  const auto behind = locks_held_at(source, 10);
  ASSERT_EQ(behind.size(), 1u);
  EXPECT_EQ(behind[0].mutex, "a");
}

TEST(LocksHeldAt, LeaveOutWhatIsUnlocked) {
  const learner_source source{"x.cu",
                              "void f() {\n"
                              "  std::unique_lock<std::mutex> lock(a);\n"
                              "  lock.unlock();\n"
                              "  work();\n"
                              "}\n",
                              ""};
  EXPECT_TRUE(locks_held_at(source, 4).empty());
  EXPECT_EQ(locks_held_at(source, 3).size(), 1u);
}

}  // namespace
}  // namespace matchers
