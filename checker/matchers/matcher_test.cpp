#include "matchers/matcher.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"
#include "report/wording/place_text.h"

namespace matchers {
namespace {

matcher answering(const verdict& answer, reach within = reach::plain_run) {
  return {"it answers", [answer](const run_facts&) { return answer; }, within};
}

TEST(Matcher, KeepsItsVerdictOnceAlthoughGoogleMockAsksTwice) {
  sample_run run;
  std::vector<verdict> verdicts;
  const matcher failing = answering(failed(report::run_verdict::too_slow, "", {"", "it was slow", "", ""}));
  EXPECT_THAT((subject{run.learner(), &verdicts}), testing::Not(failing));
  EXPECT_THAT((subject{run.learner(), &verdicts}), testing::Not(failing));
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts.front().why.observation, "it was slow");
}

TEST(Matcher, WhatIsNotObservableDoesNotFail) {
  sample_run run;
  std::vector<verdict> verdicts;
  EXPECT_THAT((subject{run.learner(), &verdicts}), answering(not_observable("nobody looked")));
  EXPECT_EQ(verdicts.front().note, "nobody looked");
}

TEST(Matcher, ExplainsAFailureByWhatWasSeen) {
  sample_run run;
  std::vector<verdict> verdicts;
  testing::StringMatchResultListener explanation;
  const testing::Matcher<const subject&> failing =
      answering(failed(report::run_verdict::too_slow, "", {"", "it was slow", "", ""}));
  EXPECT_FALSE(failing.MatchAndExplain({run.learner(), &verdicts}, &explanation));
  EXPECT_EQ(explanation.str(), "it was slow");
}

TEST(Matcher, AddsTheCallersOfALineThatAFailureNames) {
  sample_run run;
  run.recording().callers = {{{{1, 25}}}};
  const trace::call_id wait = run.call("cudaDeviceSynchronize", {0, 10}, 12);
  run.recording().calls.at(wait - 1).where.callers = 1;
  const verdict found =
      answering(failed(report::run_verdict::too_slow, "", {"", "it was slow", "async_copy.cu:12", ""}))
          .match(run.learner());
  EXPECT_EQ(report::places_with_callers(found.why), "async_copy.cu:12 (called from line 25)");
}

/// Three calls in the plain run, on a second profile, and with slow copies. All answer 7 until a test says otherwise.
observations three_calls_in_three_runs() {
  observations observed;
  observed.request.set("chunks", std::int64_t{8});
  observed.other_request.emplace().set("chunks", std::int64_t{5});
  observed.other_request->set("driver.pauses", std::int64_t{1});
  observed.first_request = observed.request;
  observed.runs.resize(3);
  observed.runs[1].profile = "c2050";
  observed.runs[2].schedule = trace::schedule_kind::slow_copies;
  for (scheduled_run& run : observed.runs) {
    trace::recording& recording = run.outcome.recording.emplace();
    for (const exercise::call call : exercise::all_calls) {
      run.outcome.answers[call].set("number", std::int64_t{7});
      for (const char* part : {"learner", "few streams"}) {
        for (const char* end : {"begin:", "end:"})
          recording.marks.push_back({.name = end + exercise::part_name(part, call)});
      }
    }
  }
  return observed;
}

/// What fails within reach where a run answers something else, asked of a call of the plain run.
std::string failure(const observations& observed, reach within, exercise::call call,
                    std::string_view part = "learner") {
  const matcher is_seven(
      "it answers 7",
      [](const run_facts& run) {
        if (run.answer().integer("number") == 7) return passed("fine");
        return failed(report::run_verdict::wrong_answer, report::mistake::wrong_value,
                      {"", "Not 7.", "", ""});
      },
      within);
  return is_seven.match(run_facts(observed, part, 0, call)).why.observation;
}

TEST(Matcher, SaysInWhichCallAndRunItFailed) {
  using exercise::call;
  observations observed = three_calls_in_three_runs();
  EXPECT_EQ(failure(observed, reach::every_run, call::repeated), "");
  observed.runs[2].outcome.answers[call::first].set("number", std::int64_t{6});
  EXPECT_EQ(failure(observed, reach::every_run, call::first),
            "Not 7. That was in the first call, in the run with copies ten times slower.");
  EXPECT_EQ(failure(observed, reach::every_run, call::repeated), "");
  EXPECT_EQ(failure(observed, reach::every_call, call::first), "");
  observed.runs[1].outcome.answers[call::third].set("number", std::int64_t{6});
  EXPECT_EQ(failure(observed, reach::every_call, call::third),
            "Not 7. That was in the call with another plan (chunks 5), in the run on profile c2050.");
  EXPECT_EQ(failure(observed, reach::every_call, call::third, "few streams"),
            "Not 7. That was in the call with another plan (few streams), in the run on profile c2050.");
  EXPECT_EQ(failure(observed, reach::every_call, call::repeated), "");
  observed.runs[0].outcome.answers[call::repeated].set("number", std::int64_t{6});
  EXPECT_EQ(failure(observed, reach::judged_call, call::repeated), "Not 7.");
}

TEST(Matcher, ARunThatLeavesOutTheFirstCallIsJudgedByTheOthers) {
  using exercise::call;
  observations observed = three_calls_in_three_runs();
  observed.runs[2].outcome.answers.erase(call::first);
  EXPECT_EQ(failure(observed, reach::every_run, call::first), "");
  observed.runs[2].outcome.answers[call::repeated].set("number", std::int64_t{6});
  EXPECT_EQ(failure(observed, reach::every_run, call::repeated),
            "Not 7. That was in the run with copies ten times slower.");
}

const verdict slow = failed(report::run_verdict::too_slow, "", {"", "it was slow", "", ""});

/// Whether what fails everywhere is asked of that call of the plain run.
bool is_asked_of(exercise::call call, reach within, const observations& observed) {
  std::vector<verdict> verdicts;
  const testing::Matcher<const subject&> failing = answering(slow, within);
  return !failing.Matches({run_facts(observed, "learner", 0, call), &verdicts}) && !verdicts.empty();
}

TEST(Matcher, WhatIsAskedOfTheJudgedCallSaysNothingOfOthers) {
  const observations observed = three_calls_in_three_runs();
  EXPECT_TRUE(is_asked_of(exercise::call::repeated, reach::judged_call, observed));
  EXPECT_FALSE(is_asked_of(exercise::call::first, reach::judged_call, observed));
  EXPECT_FALSE(is_asked_of(exercise::call::third, reach::judged_call, observed));
}

TEST(Matcher, WhatIsAskedOfThePlainRunIsAskedOfAllItsCallsButOnARealGpu) {
  observations observed = three_calls_in_three_runs();
  for (const exercise::call call : exercise::all_calls)
    EXPECT_TRUE(is_asked_of(call, reach::plain_run, observed));
  observed.runs.front().gpu_number = 1;
  EXPECT_TRUE(is_asked_of(exercise::call::repeated, reach::plain_run, observed));
  EXPECT_FALSE(is_asked_of(exercise::call::first, reach::plain_run, observed));
  EXPECT_FALSE(is_asked_of(exercise::call::third, reach::plain_run, observed));
}

TEST(Matcher, RunsOnARealGpuAreJudgedOneByOne) {
  observations observed = three_calls_in_three_runs();
  for (std::size_t i = 0; i < 3; ++i)
    observed.runs[i] = {.gpu_number = i + 1, .outcome = observed.runs[0].outcome};
  observed.runs[1].outcome.answers[exercise::call::first].set("number", std::int64_t{6});
  EXPECT_EQ(failure(observed, reach::every_run, exercise::call::first), "");
}

}  // namespace
}  // namespace matchers
