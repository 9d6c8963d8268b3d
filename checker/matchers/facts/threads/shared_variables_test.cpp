#include "matchers/facts/threads/shared_variables.h"

#include <gmock/gmock.h>

namespace matchers {
namespace {

learner_source started_with(const std::string& captures, const std::string& behind = "") {
  return {"x.cu",
          "void f() {\n"
          "  for (int index = 0; index < count; ++index) {\n"
          "    threads.emplace_back(" +
              captures +
              " {\n"
              "      errors[index] = work(index);\n"
              "    });\n" +
              behind +
              "  }\n"
              "}\n",
          ""};
}

TEST(LoopVariableCaptured, ByReferenceIsNamedWithTheLambdaAndTheLoop) {
  for (const char* const captures : {"[&]", "[&work, &index]", "[&, other]", "[&]()", "[&] () mutable"}) {
    const auto found = loop_variable_captured_at(started_with(captures), 4);
    ASSERT_TRUE(found) << captures;
    EXPECT_EQ(found->name, "index");
    EXPECT_EQ(found->lambda, "x.cu:3");
    EXPECT_EQ(found->loop, "x.cu:2");
  }
}

TEST(LoopVariableCaptured, ByValueOrJoinedInTheLoopIsNot) {
  for (const char* const captures : {"[=]", "[&, index]", "[&work, index]", "[&, index = index]"})
    EXPECT_FALSE(loop_variable_captured_at(started_with(captures), 4)) << captures;
  EXPECT_FALSE(loop_variable_captured_at(started_with("[&]", "    threads.back().join();\n"), 4));
}

TEST(LoopVariableCaptured, OnOneLineAsWell) {
  const learner_source source{"x.cu",
                              "void f() {\n"
                              "  for (int w = 0; w < count; ++w) {\n"
                              "    threads.emplace_back([&] { errors[w] = work(w); });\n"
                              "  }\n"
                              "}\n",
                              ""};
  ASSERT_TRUE(loop_variable_captured_at(source, 3));
  EXPECT_EQ(loop_variable_captured_at(source, 3)->lambda, "x.cu:3");
}

TEST(LoopVariableCaptured, IsFoundInALoopWithoutBraces) {
  const learner_source source{"x.cu",
                              "void f() {\n"
                              "  for (int w = 0; w < count; ++w)\n"
                              "    threads.emplace_back([&] { errors[w] = work(w); });\n"
                              "}\n",
                              ""};
  ASSERT_TRUE(loop_variable_captured_at(source, 3));
  EXPECT_EQ(loop_variable_captured_at(source, 3)->loop, "x.cu:2");
}

std::optional<local_variable> assigned(const std::string& declaration, const std::string& statement) {
  return local_variable_assigned_at({"x.cu",
                                     "void f() {\n"
                                     "  for (int batch = 0; batch < 3; ++batch) {\n    " +
                                         declaration + "\n    " + statement +
                                         "\n"
                                         "  }\n"
                                         "}\n",
                                     ""},
                                    4);
}

TEST(LocalVariableAssigned, IsNamedWithTheLineOfItsDeclaration) {
  for (const char* const statement : {"mine.batch = batch;", "mine = other;"}) {
    const auto found = assigned("lane mine = *free_lanes.take();", statement);
    ASSERT_TRUE(found) << statement;
    EXPECT_EQ(found->name, "mine");
    EXPECT_EQ(found->where, "x.cu:3");
    EXPECT_TRUE(found->is_of_loop);
  }
}

TEST(LocalVariableAssigned, IsNamedWithTheLineBelowThatPassesItsAddress) {
  const auto passed = [](const std::string& statement) {
    return assigned("lane mine;", "mine.batch = batch;\n    " + statement)->passed;
  };
  EXPECT_EQ(passed("cudaLaunchHostFunc(streams[f(batch)], announce, &mine);"), "x.cu:5");
  EXPECT_EQ(passed("full_lanes.put(&mine);"), "x.cu:5");
  EXPECT_EQ(passed("cudaEventElapsedTime(&mine, begin, end);"), "");
  EXPECT_EQ(passed("use(other & mine);"), "");
  EXPECT_EQ(passed("use(first && mine);"), "");
}

TEST(LocalVariableAssigned, IsNoneThroughAReferenceOrAPointer) {
  EXPECT_FALSE(assigned("lane& mine = *free_lanes.take();", "mine.batch = batch;"));
  EXPECT_FALSE(assigned("lane* mine = free_lanes.take();", "mine->batch = batch;"));
  EXPECT_FALSE(assigned("lane* const mine = free_lanes.take();", "mine->batch = batch;"));
  EXPECT_FALSE(assigned("", "other.batch = batch;"));
  EXPECT_FALSE(assigned("lane mine;", "if (mine.batch == batch) return;"));
}

TEST(LocalVariableAssigned, IsNamedWithTheLambdaExpressionThatCapturesItByReference) {
  const auto in_lambda = [](const std::string& captures, const std::string& statement) {
    return local_variable_assigned_at({"x.cu",
                                       "void f() {\n"
                                       "  int result = 0;\n"
                                       "  for (int w = 0; w < 2; ++w) {\n"
                                       "    start(" +
                                           captures + " {\n      " + statement +
                                           "\n    });\n"
                                           "  }\n"
                                           "}\n",
                                       ""},
                                      5);
  };
  for (const char* const statement : {"result = work(w);", "if (work(w) != 0) result = 1;"}) {
    const auto found = in_lambda("[&other, &result, w]", statement);
    ASSERT_TRUE(found) << statement;
    EXPECT_EQ(found->where, "x.cu:2");
    EXPECT_EQ(found->lambda, "x.cu:4");
    EXPECT_FALSE(found->is_of_loop);
  }
  EXPECT_FALSE(in_lambda("[result, w]", "result = work(w);"));
}

TEST(LineHandingOnAssigned, IsThatAboveWhichGivesTheAddressToAQueueOrAHostFunction) {
  const auto line = [](const std::string& call) {
    return line_handing_on_assigned_at(
        {"x.cu", "void f() {\n  lane& mine = next();\n  " + call + "\n  mine.batch = 1;\n}\n", ""}, 4);
  };
  EXPECT_EQ(line("cudaLaunchHostFunc(stream, announce, &mine);"), "x.cu:3");
  EXPECT_EQ(line("full.put(&mine);"), "x.cu:3");
  EXPECT_EQ(line("clear(&mine);"), "");
}

TEST(VariableHandedOnBefore, IsThatOfAMemberWhichAStatementAboveGivesToAQueue) {
  const auto found = [](const std::string& call, const std::string& use) {
    return variable_handed_on_before(
        {"x.cu", "void f() {\n  lane* const done = next();\n  " + call + "\n  " + use + "\n}\n", ""}, 4);
  };
  const auto handed = found("free.put(done);", "work.consume(done->batch, done->output);");
  ASSERT_TRUE(handed);
  EXPECT_EQ(handed->name, "done");
  EXPECT_EQ(handed->where, "x.cu:3");
  EXPECT_TRUE(found("queues->free.put(&done);", "sum += done.batch;"));
  EXPECT_FALSE(found("free.put(done);", "work.consume(other->batch);"));
  EXPECT_FALSE(found("work.prepare(done);", "work.consume(done->batch);")) << "of one object";
  EXPECT_FALSE(found("check(done);", "work.consume(done->batch);")) << "no member function";
  EXPECT_FALSE(found("free.put(done); done = next();", "work.consume(done->batch);"));
}

std::optional<local_variable> passed(const std::string& declaration, const std::string& statement) {
  return local_variable_passed_at({"x.cu",
                                   "void f() {\n"
                                   "  for (int batch = 0; batch < 3; ++batch) {\n    " +
                                       declaration + "\n    " + statement +
                                       "\n"
                                       "  }\n"
                                       "}\n",
                                   ""},
                                  4);
}

TEST(LocalVariablePassed, IsNamedWithTheLineOfItsDeclaration) {
  for (const char* const declaration :
       {"lane* mine = free_lanes.take();", "int mine = batch;", "note mine{batch};"}) {
    const auto found = passed(declaration, "cudaLaunchHostFunc(stream, announce, &mine);");
    ASSERT_TRUE(found) << declaration;
    EXPECT_EQ(found->name, "mine");
    EXPECT_EQ(found->where, "x.cu:3");
    EXPECT_TRUE(found->is_of_loop);
  }
  const auto counter = passed("", "cudaLaunchHostFunc(stream, announce, &batch);");
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->where, "x.cu:2");
}

TEST(LocalVariablePassed, IsNoneThroughAReferenceAPointerOrAStatic) {
  const char* const by_address = "cudaLaunchHostFunc(stream, announce, &mine);";
  EXPECT_FALSE(passed("lane& mine = *free_lanes.take();", by_address));
  EXPECT_FALSE(passed("static lane mine;", by_address));
  EXPECT_FALSE(passed("lane* mine = free_lanes.take();", "cudaLaunchHostFunc(stream, announce, mine);"));
  EXPECT_FALSE(
      passed("lane* mine = free_lanes.take();", "cudaLaunchHostFunc(stream, announce, &mine->batch);"));
}

/// Of a function in line 4 that is called in line 8, and the variables that it uses: the observation and the place.
std::string ended_captures_of(const std::string& captures, const std::string& variables) {
  const std::string text =
      "void f() {\n"
      "  for (int i = 0; i < 8; ++i) {\n"
      "    " +
      variables +
      "\n"
      "    const step run = " +
      captures +
      " { copy(part, all.stream); };\n"
      "    steps.push_back(run);\n"
      "    run();\n"
      "  }\n"
      "  for (const step& run : steps) run();\n"
      "}\n";
  std::string found;
  for (const char* const caller : {"a.cu:8", "a.cu:6"}) {
    report::evidence why{"", "Wrong.", "a.cu:20", ""};
    why.called_from = {{"a.cu:20", {"a.cu:4", caller}, true}};
    const bool is_named = name_ended_captures({"a.cu", text, ""}, why);
    EXPECT_EQ(is_named, why.observation != "Wrong.");
    if (is_named) found += why.observation + " " + why.where + " " + caller;
  }
  return found;
}

TEST(EndedCaptures, AreNamedWhereTheCallIsBehindTheirBlock) {
  const std::string expected =
      "The lambda expression at a.cu:4 holds `part` (a.cu:3) by reference, and is called at a.cu:8, where that does not exist any "
      "more: capture it by value. Wrong. a.cu:4, a.cu:20 a.cu:8";
  EXPECT_EQ(ended_captures_of("[&]", "const chunk part = chunk_at(i);"), expected);
  EXPECT_EQ(ended_captures_of("[&part]()", "const chunk part = chunk_at(i);"), expected);
}

TEST(EndedCaptures, AreNoneOfWhatLivesOn) {
  EXPECT_EQ(ended_captures_of("[=]", "const chunk part = chunk_at(i);"), "");
  EXPECT_EQ(ended_captures_of("[&, part]", "const chunk part = chunk_at(i);"), "");
  EXPECT_EQ(ended_captures_of("[&]", "const chunk& part = parts[i];"), "");
  EXPECT_EQ(ended_captures_of("[&]", "static const chunk part = first();"), "");
  EXPECT_EQ(ended_captures_of("[&](chunk part)", "const chunk part = chunk_at(i);"), "");
}

}  // namespace
}  // namespace matchers
