#include "matchers/facts/given_calls.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A mark that the driver sets when that line calls a function that the contract gives.
void mark(sample_run& run, const std::string& name, std::uint32_t line = 0) {
  trace::mark added{.name = name, .time = run.recording().marks.back().time + std::chrono::microseconds(1)};
  if (line != 0) added.where = {1, line, true};
  run.recording().marks.push_back(added);
}

run_facts learner_part(sample_run& run) {
  mark(run, "end:learner");
  return run.part("learner");
}

std::vector<std::string> words_of(const std::vector<given_call>& calls) {
  std::vector<std::string> words;
  for (const given_call& call : calls) words.push_back(std::to_string(call.item) + " at " + call.where);
  return words;
}

TEST(CallsOfGiven, HaveTheirItemAndTheLineThatMadeThem) {
  sample_run run;
  mark(run, "call:load:3", 16);
  mark(run, "call:store:0", 20);
  mark(run, "call:load:4", 18);
  EXPECT_THAT(words_of(calls_of_given(learner_part(run), "load")),
              ElementsAre("3 at async_copy.cu:16", "4 at async_copy.cu:18"));
}

TEST(CallsOfGiven, HaveNoLineWhereTheBackendKnowsNone) {
  sample_run run;
  mark(run, "call:load:3");
  EXPECT_THAT(words_of(calls_of_given(learner_part(run), "load")), ElementsAre("3 at "));
}

TEST(CallsOfGiven, AreThoseOfTheCallThatIsJudged) {
  sample_run run;
  mark(run, "call:load:3", 16);
  run.recording().marks.front().name = "begin:learner (first call)";
  mark(run, "begin:learner");
  mark(run, "call:load:5", 16);
  EXPECT_THAT(words_of(calls_of_given(learner_part(run), "load")), ElementsAre("5 at async_copy.cu:16"));
}

TEST(CallsOfGiven, TellFunctionsApartWhoseNamesBeginAlike) {
  sample_run run;
  mark(run, "call:load_all:3", 16);
  EXPECT_THAT(calls_of_given(learner_part(run), "load"), IsEmpty());
}

TEST(LineOfMisplaced, IsThatOfTheFirstCallWithOtherMemory) {
  sample_run run;
  mark(run, "misplaced:load", 17);
  mark(run, "misplaced:load", 19);
  const run_facts facts = learner_part(run);
  EXPECT_EQ(line_of_misplaced(facts, "load"), "async_copy.cu:17");
  EXPECT_EQ(line_of_misplaced(facts, "store"), "");
}

TEST(SourceOfElement, IsThePieceThatHoldsIt) {
  sample_run run;
  mark(run, "source:results:0:0:slots[0].output");
  mark(run, "source:results:4000:10:slots[1].output");
  const run_facts facts = learner_part(run);
  const auto first = source_of_element(facts, "results", 3999);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->memory, "slots[0].output");
  EXPECT_EQ(first->byte, 3999 * sizeof(float));
  const auto second = source_of_element(facts, "results", 4002);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->memory, "slots[1].output");
  EXPECT_EQ(second->byte, 12 * sizeof(float));
  EXPECT_FALSE(source_of_element(facts, "others", 0));
}

TEST(SourceOfElement, OfAPartBehindThatOfTheLearnerIsNotedBehindItAsWell) {
  sample_run run;
  mark(run, "source:results:0:0:output");
  mark(run, "end:learner");
  mark(run, "begin:fewer chunks");
  mark(run, "end:fewer chunks");
  mark(run, "source:others:0:0:output");
  EXPECT_TRUE(source_of_element(run.part("fewer chunks"), "others", 0));
  EXPECT_FALSE(source_of_element(run.part("fewer chunks"), "results", 0));
}

TEST(SourceOfElement, IsFoundWhereAnEmptyPartBeginsAtTheSameTime) {
  sample_run run;
  mark(run, "source:results:0:0:output");
  mark(run, "end:learner");
  auto& marks = run.recording().marks;
  trace::mark empty = marks.front();
  empty.name = "begin:empty";
  marks.insert(marks.begin(), empty);
  empty.name = "end:empty";
  marks.insert(marks.begin() + 1, empty);
  EXPECT_TRUE(source_of_element(run.part("learner"), "results", 0));
}

/// The driver reads memory without a name behind the mark, and its code is inlined into the line of the learner.
void take(sample_run& run, const std::string& first, trace::allocation_id memory) {
  mark(run, "source:results:" + first + ":0:", 20);
  run.host_reads(memory, 20);
  run.recording().host_accesses->back().where = run.recording().marks.back().where;
}

TEST(SourceOfElement, IsTheMemoryWithoutANameThatTheDriverReadNext) {
  sample_run run;
  take(run, "0", 1);
  EXPECT_EQ(source_of_element(learner_part(run), "results", 0)->allocation, 1);
}

TEST(SourceOfElement, IsNotKnownWhereTheCallBeforeMayHaveReadIt) {
  sample_run run;
  take(run, "0", 1);
  take(run, "100", 2);
  const run_facts facts = learner_part(run);
  EXPECT_EQ(source_of_element(facts, "results", 0)->allocation, 1);
  EXPECT_EQ(source_of_element(facts, "results", 100)->allocation, 0);
}

}  // namespace
}  // namespace matchers
