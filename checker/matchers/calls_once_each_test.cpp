#include "matchers/calls_once_each.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

TEST(CallsOnceEach, NamesTheItemAndHowOften) {
  sample_run run;
  const auto judged_with = [&](std::vector<std::int64_t> counts) {  // the last is of items that do not exist
    run.answer().set("calls.send", std::move(counts));
    run.answer().set("misplaced.send", std::int64_t{0});
    return CallsOnceEach("send", "reply").match(run.learner());
  };
  EXPECT_EQ(judged_with({1, 1, 0}).outcome, report::criterion_verdict::pass);
  EXPECT_EQ(judged_with({1, 2, 0}).why.observation, "It called send() 2 times for reply 1.");
  EXPECT_THAT(judged_with({0, 2, 0}).why.observation, HasSubstr("It never called send() for reply 0."));
  EXPECT_THAT(judged_with({1, 1, 1}).why.observation,
              HasSubstr("It called send() once for a reply that does not exist."));
  EXPECT_THAT(judged_with({0, 0, 0}).why.observation, HasSubstr("In this call it did so for none."));
  run.answer().set("misplaced.send", std::int64_t{2});
  run.answer().set("calls.send", std::vector<std::int64_t>{1, 1, 0});
  EXPECT_EQ(CallsOnceEach("send", "reply").match(run.learner()).why.observation,
            "It was given other memory 2 times.");
}

TEST(CallsOnceEach, OfAMissingItemNamesTheHostFunctionsThatHadNotRun) {
  sample_run run;
  run.host_function(run.lane[0], {0, 10}, 12);
  run.host_function(run.lane[0], {10, 20}, 12);
  run.recording().operations.back().end = run.recording().end + std::chrono::microseconds(1);
  run.answer().set("calls.send", std::vector<std::int64_t>{1, 0, 0});
  run.answer().set("misplaced.send", std::int64_t{0});
  const verdict found = CallsOnceEach("send", "reply").match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("When your function returned, 1 of its 2 host functions (async_copy.cu:12) had not run"));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(CallsOnceEach, LeadsToTheCallThatIsNotTheLoops) {
  sample_run run;
  const auto mark = [&](const std::string& name, std::uint32_t line) {
    run.recording().marks.push_back({.name = name, .where = {1, line, true}});
  };
  mark("call:send:0", 5);
  for (const char* name : {"call:send:0", "call:send:1"}) mark(name, 8);
  run.recording().marks.push_back({.name = "end:learner"});
  run.answer().set("calls.send", std::vector<std::int64_t>{2, 1, 0});
  run.answer().set("misplaced.send", std::int64_t{0});
  EXPECT_EQ(CallsOnceEach("send", "reply").match(run.part("learner")).why.where, "async_copy.cu:5");
}

TEST(CallsOnceEach, NamesTheThreadThatWorksOnlyBehindThePart) {
  using std::chrono::microseconds;
  sample_run run;
  run.call("cudaGetLastError", {0, 10}, 3);
  run.recording().marks = {{.name = "begin:learner", .time = microseconds(20), .after = 1, .where = {}},
                           {.name = "end:learner", .time = microseconds(30), .after = 1, .where = {}}};
  run.recording().host_edges = {
      {.from = 1, .from_after = 1, .to = 2, .from_step = 1, .to_step = 2, .where = {1, 7, true}}};
  run.call("host_work", {40, 50}, 5);
  run.recording().calls.back().thread = 2;
  run.answer().set("calls.send", std::vector<std::int64_t>{0, 0});
  run.answer().set("misplaced.send", std::int64_t{0});
  const verdict found = CallsOnceEach("send", "reply").match(run.part("learner"));
  EXPECT_THAT(found.why.observation,
              HasSubstr("Host thread 2 was started in async_copy.cu:7: nothing lets your function "
                        "wait for its end"));
  EXPECT_EQ(found.why.where, "async_copy.cu:7");
  run.recording().host_edges.front().from_after = 0;
  EXPECT_THAT(CallsOnceEach("send", "reply").match(run.part("learner")).why.observation,
              testing::Not(HasSubstr("Host thread 2")))
      << "it was started before the part";
}

TEST(CallsOnceEach, OfThreadsThatGoOnByMoreThanTheirNumberLeadsToWhereTheyStart) {
  sample_run run;
  for (const int item : {0, 1, 4, 5}) {
    run.recording().marks.push_back({.name = "call:send:" + std::to_string(item),
                                     .after = static_cast<trace::call_id>(run.recording().calls.size()),
                                     .where = {1, 17, true}});
    run.call("host_work", {10 * item, 10 * item + 5}, 17);
    run.recording().calls.back().thread = 2 + item % 2;
  }
  run.recording().marks.push_back(
      {.name = "end:learner", .time = std::chrono::microseconds(100), .after = 4});
  run.recording().host_accesses.reset();
  run.recording().host_edges = {{.from = 1, .to = 2, .where = {1, 39, true}},
                                {.from = 1, .to = 3, .where = {1, 39, true}}};
  run.answer().set("calls.send", std::vector<std::int64_t>{1, 1, 0, 0, 1, 1, 0});
  run.answer().set("misplaced.send", std::int64_t{0});
  const verdict found = CallsOnceEach("send", "reply").match(run.part("learner"));
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("2 threads call it, and each takes one reply of every 4 (0, 4; 1, 5): 2 of every 4 are taken "
                "by nobody. Each has to go on by the number of threads, 2 (async_copy.cu:39)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:39, async_copy.cu:17");
  run.recording().calls.front().thread = 3;
  EXPECT_THAT(CallsOnceEach("send", "reply").match(run.part("learner")).why.observation,
              testing::Not(HasSubstr("threads call it")))
      << "0, 1 and 5 are no steps of one length";
}

/// Two threads that call send() for those replies of five in line 2, in turns.
verdict shares_of(const std::vector<int>& replies) {
  sample_run run;
  std::vector<std::int64_t> counts(6);
  for (const int item : replies) {
    run.recording().marks.push_back({.name = "call:send:" + std::to_string(item),
                                     .after = static_cast<trace::call_id>(run.recording().calls.size()),
                                     .where = {1, 2, true}});
    run.call("host_work", {10 * item, 10 * item + 5}, 2);
    run.recording().calls.back().where.callers = 1;
    run.recording().calls.back().thread = 2 + run.recording().calls.size() % 2;
    ++counts[item];
  }
  run.recording().callers = {{{{1, 7}}}};
  run.recording().marks.push_back({.name = "end:learner",
                                   .time = std::chrono::microseconds(100),
                                   .after = static_cast<trace::call_id>(run.recording().calls.size())});
  run.source() = {
      "async_copy.cu",
      "void take(int begin, int end) {\n  for (int i = begin; i < end; ++i) send(i);\n}\n"
      "void all(int count, int threads) {\n  const int share = count / threads;\n"
      "  for (int i = 0; i < threads; ++i)\n    start([=] { take(i * share, i * share + share); });\n}\n",
      ""};
  run.answer().set("calls.send", counts);
  run.answer().set("misplaced.send", std::int64_t{0});
  return CallsOnceEach("send", "reply").match(run.part("learner"));
}

TEST(CallsOnceEach, OfSharesThatAreRoundedDownTheDivisionIsNamedFirst) {
  const verdict found = shares_of({0, 2, 1, 3});
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("2 threads call it 2 times each, which is 5 / 2, rounded down: what is left over is taken by "
                "nobody. The division is at async_copy.cu:5."));
  EXPECT_EQ(found.why.where, "async_copy.cu:5, async_copy.cu:2");
  EXPECT_TRUE(found.is_explained);
}

TEST(CallsOnceEach, NothingIsSaidOfSharesWhereAnotherThanTheLastIsMissing) {
  const verdict found = shares_of({0, 2, 1, 4});
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("rounded down")));
  EXPECT_FALSE(found.is_explained);
  EXPECT_THAT(shares_of({0, 1, 2}).why.observation, testing::Not(HasSubstr("rounded down")));
}

TEST(CallsOnceEach, OfAnItemThatIsMissingNamesWhatEachLineCallsItForTheNearestFirst) {
  sample_run run;
  const auto mark = [&](const std::string& name, std::uint32_t line) {
    run.recording().marks.push_back({.name = name, .where = {1, line, true}});
  };
  for (const char* name : {"call:send:-1", "call:send:3", "call:send:-2"}) mark(name, 5);  // of two threads
  mark("call:send:1", 8);
  run.recording().marks.push_back({.name = "end:learner"});
  run.answer().set("calls.send", std::vector<std::int64_t>{0, 1, 2});
  run.answer().set("misplaced.send", std::int64_t{0});
  const verdict found = CallsOnceEach("send", "reply").match(run.part("learner"));
  EXPECT_EQ(found.why.where, "async_copy.cu:8, async_copy.cu:5");
  EXPECT_EQ(found.why.observation,
            "It never called send() for reply 0. async_copy.cu:5 calls it for reply -2 to -1, 3. "
            "async_copy.cu:8 calls it for reply 1.");
}

}  // namespace
}  // namespace matchers
