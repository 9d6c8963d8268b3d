#include "checking/evaluate.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

namespace checking {
namespace {

using matchers::matcher;
using matchers::run_facts;
using matchers::verdict;
using report::run_verdict;
using testing::HasSubstr;
using testing::Not;

class Sample : public lesson_check {
 public:
  static exercise::message make_request(random_values&, const requested_work&) { return {}; }
};

matcher saying(const verdict& answer) {
  return {"it says so", [answer](const run_facts&) { return answer; }};
}

verdict failing(run_verdict failure, const char* problem) {
  return matchers::failed(failure, "", {"", problem, "", ""});
}

verdict by_lengths(verdict found) {
  found.found_in = matchers::basis::lengths;
  return found;
}

verdict beside_calibration(verdict found) {
  found.compares_with_calibration = true;
  return found;
}

CRITERION(Sample, Passes, 40, "") {
  EXPECT_THAT(run(), saying(matchers::passed("measured 7")));
  EXPECT_EQ(request().integer("seven"), 7);
}

CRITERION(Sample, FailsWithEvidence, 30, "") {
  EXPECT_THAT(run(), saying(failing(run_verdict::race_detected, "two reads")));
}

CRITERION(Sample, IsNotObservable, 20, "") {
  EXPECT_THAT(run(), saying(matchers::not_observable("cannot look")));
}

CRITERION(Sample, TakesTheGraverOfTwoFailures, 5, "") {
  EXPECT_THAT(run(), saying(failing(run_verdict::no_overlap, "nothing overlaps")));
  EXPECT_THAT(run(), saying(failing(run_verdict::cuda_error, "a call failed")));
}

CRITERION(Sample, JudgesLengths, 0, "") {
  EXPECT_THAT(run(), saying(by_lengths(matchers::passed("by events"))));
}

CRITERION(Sample, FailsByLengths, 0, "") {
  EXPECT_THAT(run(), saying(by_lengths(failing(run_verdict::too_slow, "took too long"))));
}

CRITERION(Sample, ComparesWithCalibration, 0, "") {
  EXPECT_THAT(run(), saying(beside_calibration(matchers::passed("1.2 times"))));
}

CRITERION(Sample, FailsWithoutEvidence, 5, "") { EXPECT_EQ(request().integer("seven"), 9); }

matcher is_sixteen_bytes_or_less() {
  return {"it is small",
          [](const run_facts& run) {
            return run.answer().integer("bytes") <= 16
                       ? matchers::passed("small", report::measurement{"9", "16"})
                       : failing(run_verdict::requirement_missed, "Too large.");
          },
          matchers::reach::every_call};
}

std::string line_of(const report::criterion_result& result) {
  const std::string head =
      fmt::format("{} {} {}", result.name, result.points, report::word_of(result.verdict));
  if (result.verdict != report::criterion_verdict::fail) return fmt::format("{} '{}'", head, result.note);
  if (result.name == "FailsWithoutEvidence")
    return fmt::format("{} {}", head, report::word_of(result.failure));
  return fmt::format("{} {} '{}'", head, report::word_of(result.failure), result.why.observation);
}

std::string lines_of(const std::vector<report::criterion_result>& results) {
  std::string lines;
  for (const report::criterion_result& result : results) lines += line_of(result) + '\n';
  return lines;
}

/// Adds a run with a learner's part and perhaps a diagnostic.
void add_run(matchers::observations& observed, std::optional<trace::diagnostic_kind> kind = {},
             std::string message = "") {
  trace::recording& recording = observed.runs.emplace_back().outcome.recording.emplace();
  recording.marks = {{.name = "begin:learner"}, {.name = "end:learner"}};
  if (kind) recording.diagnostics.push_back({*kind, std::move(message), 0, {}});
}

matchers::observations observed(std::int64_t seven) {
  matchers::observations observed;
  observed.request.set("seven", seven);
  add_run(observed);
  return observed;
}

std::string evaluated(const matchers::observations& observed, std::size_t run_number = 0) {
  return lines_of(evaluate(own_rubric(), observed, run_number));
}

TEST(Evaluate, EachCriterionIsJudgedByItself) {
  EXPECT_EQ(evaluated(observed(7)),
            "Passes 40 pass 'measured 7'\n"
            "FailsWithEvidence 30 fail race_detected 'two reads'\n"
            "IsNotObservable 20 not_observable 'cannot look'\n"
            "TakesTheGraverOfTwoFailures 5 fail cuda_error 'a call failed'\n"
            "JudgesLengths 0 pass 'by events'\n"
            "FailsByLengths 0 fail too_slow 'took too long'\n"
            "ComparesWithCalibration 0 pass '1.2 times'\n"
            "FailsWithoutEvidence 5 fail requirement_missed\n");
}

TEST(Evaluate, AFailedDeviceLeavesWhatHostThreadsDoWithoutOrder) {
  static const verdict faults = failing(run_verdict::cuda_error, "a kernel read through a null pointer");
  static const verdict host_race =
      matchers::failed(run_verdict::race_detected, "host_code_unordered", {"", "two threads", "a.cu:3", ""});
  static const verdict device_race =
      matchers::failed(run_verdict::race_detected, "result_not_awaited", {"", "two kernels", "", ""});
  struct no_fault : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(faults)); }
  };
  struct no_host_race : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(host_race)); }
  };
  struct no_device_race : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(device_race)); }
  };
  rubric rubric;
  struct no_time : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(matchers::not_observable("a call failed"))); }
  };
  rubric.criteria = {{"NoFault", 50, "", [] { return std::make_unique<no_fault>(); }},
                     {"NoHostRace", 25, "", [] { return std::make_unique<no_host_race>(); }},
                     {"NoDeviceRace", 20, "", [] { return std::make_unique<no_device_race>(); }},
                     {"NoTime", 5, "", [] { return std::make_unique<no_time>(); }}};
  matchers::observations failed_device;
  add_run(failed_device, trace::diagnostic_kind::use_after_free, "a kernel read through a null pointer");
  failed_device.runs.front().outcome.recording->calls.push_back({.id = 1, .error_code = 700});
  EXPECT_EQ(
      lines_of(evaluate(rubric, failed_device)),
      "NoFault 50 fail cuda_error 'a kernel read through a null pointer Look at NoHostRace first (a.cu:3): work "
      "that is not in order can be the cause.'\n"
      "NoHostRace 25 fail race_detected 'two threads'\n"
      "NoDeviceRace 20 not_observable 'a kernel read through a null pointer, so the device failed: see why NoFault failed'\n"
      "NoTime 5 not_observable 'a kernel read through a null pointer, so the device failed: see why NoFault failed'\n");
}

TEST(Evaluate, WithoutACopyThatWasRefusedTimesAreNotJudged) {
  static const verdict refused = failing(run_verdict::cuda_error, "a copy was refused");
  static const verdict alone = failing(run_verdict::no_overlap, "one at a time");
  struct no_error : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(refused)); }
  };
  struct side_by_side : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(alone)); }
  };
  rubric rubric;
  rubric.criteria = {{"NoError", 50, "", [] { return std::make_unique<no_error>(); }},
                     {"SideBySide", 50, "", [] { return std::make_unique<side_by_side>(); }}};
  matchers::observations one;
  add_run(one);
  trace::recording& recording = *one.runs.front().outcome.recording;
  recording.calls.push_back({.id = 1, .function = trace::api_function::cudaMemcpyAsync});
  recording.marks.back().after = 1;
  EXPECT_THAT(lines_of(evaluate(rubric, one)), HasSubstr("SideBySide 50 fail no_overlap 'one at a time'\n"));
  recording.calls.back().error_code = 1;
  recording.calls.back().error_name = "cudaErrorInvalidValue";
  EXPECT_THAT(
      lines_of(evaluate(rubric, one)),
      HasSubstr("SideBySide 50 not_observable 'without all copies and kernels the times tell nothing: "
                "cudaMemcpyAsync failed with cudaErrorInvalidValue'\n"));
}

TEST(Evaluate, WrongDataLeadToWorkThatIsNotInOrder) {
  static const verdict wrong_data = failing(run_verdict::wrong_answer, "an element is wrong.");
  static const verdict race =
      matchers::failed(run_verdict::race_detected, "", {"", "two accesses", "a.cu:7, a.cu:5", ""});
  struct right_data : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(wrong_data)); }
  };
  struct order : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(race)); }
  };
  rubric rubric;
  rubric.criteria = {{"RightData", 50, "", [] { return std::make_unique<right_data>(); }},
                     {"Order", 50, "", [] { return std::make_unique<order>(); }}};
  matchers::observations both;
  add_run(both);
  EXPECT_EQ(
      lines_of(evaluate(rubric, both)),
      "RightData 50 fail wrong_answer 'an element is wrong. Look at Order first (a.cu:7, a.cu:5): work that "
      "is not in order can be the cause.'\n"
      "Order 50 fail race_detected 'two accesses'\n");
  EXPECT_EQ(evaluate(rubric, both).front().comes_of, "Order");
  rubric.criteria.pop_back();
  EXPECT_EQ(lines_of(evaluate(rubric, both)), "RightData 50 fail wrong_answer 'an element is wrong.'\n");
}

TEST(Evaluate, AnArgumentThatMakesDataWrongComesBeforeWorkThatIsNotInOrder) {
  static const verdict wrong_place = matchers::failed(
      run_verdict::wrong_answer, report::mistake::wrong_argument, {"", "a wrong place", "a.cu:4", ""});
  static const verdict race =
      matchers::failed(run_verdict::race_detected, "", {"", "two accesses.", "a.cu:7, a.cu:4", ""});
  struct right_data : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(wrong_place)); }
  };
  struct order : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(race)); }
  };
  rubric rubric;
  rubric.criteria = {{"RightData", 50, "", [] { return std::make_unique<right_data>(); }},
                     {"Order", 50, "", [] { return std::make_unique<order>(); }}};
  matchers::observations both;
  add_run(both);
  const auto results = evaluate(rubric, both);
  EXPECT_EQ(results.front().comes_of, "");
  EXPECT_EQ(results.back().comes_of, "RightData");
  EXPECT_THAT(lines_of(results),
              HasSubstr("Look at RightData first (a.cu:4): a wrong argument can be the cause."));
}

TEST(Evaluate, ACallThatWasNotMadeIsNoConsequenceOfWorkThatIsNotInOrder) {
  static const verdict missing =
      matchers::failed(run_verdict::wrong_answer, report::mistake::host_task_miscounted,
                       {"", "store() was not called.", "", ""});
  static std::string_view mistake;
  struct right_data : lesson_check {
    void body() override { EXPECT_THAT(run(), saying(missing)); }
  };
  struct order : lesson_check {
    void body() override {
      EXPECT_THAT(run(),
                  saying(matchers::failed(run_verdict::race_detected, mistake, {"", "race", "a.cu:7", ""})));
    }
  };
  rubric rubric;
  rubric.criteria = {{"RightData", 50, "", [] { return std::make_unique<right_data>(); }},
                     {"Order", 50, "", [] { return std::make_unique<order>(); }}};
  matchers::observations both;
  add_run(both);
  mistake = "source_overwritten";
  EXPECT_EQ(evaluate(rubric, both).front().comes_of, "");
  mistake = "host_code_unordered";  // two threads may take the same item
  EXPECT_EQ(evaluate(rubric, both).front().comes_of, "Order");
}

TEST(Evaluate, WhatRanTooLateLeadsToARaceOfTheSameLine) {
  static std::string line;
  struct order : lesson_check {
    void body() override {
      EXPECT_THAT(run(), saying(matchers::failed(run_verdict::race_detected, "result_not_awaited",
                                                 {"", "two accesses.", "a.cu:7, a.cu:5", ""})));
    }
  };
  struct overlaps : lesson_check {
    void body() override {
      EXPECT_THAT(run(), saying(matchers::failed(run_verdict::no_overlap, "default_stream",
                                                 {"", "It waited.", line, ""})));
    }
  };
  rubric rubric;
  rubric.criteria = {{"Overlaps", 50, "", [] { return std::make_unique<overlaps>(); }},
                     {"Order", 50, "", [] { return std::make_unique<order>(); }}};
  matchers::observations both;
  add_run(both);
  line = "a.cu:7, a.cu:3";
  EXPECT_EQ(evaluate(rubric, both).front().why.observation,
            "It waited. Look at Order first (a.cu:7): it is about the same line.");
  line = "a.cu:5";
  EXPECT_EQ(evaluate(rubric, both).front().why.observation, "It waited.");
}

TEST(Evaluate, WhatTheHostDoesTooLateLeadsToAWaitThatIsNotAllowed) {
  struct waits_late : lesson_check {
    void body() override {
      EXPECT_THAT(run(), saying(matchers::failed(run_verdict::requirement_missed, "needless_wait",
                                                 {"", "it waited", "a.cu:5", ""})));
    }
  };
  struct overlaps : lesson_check {
    void body() override {
      EXPECT_THAT(run(), saying(matchers::failed(run_verdict::no_overlap, "host_busy",
                                                 {"", "The host was busy.", "a.cu:9", ""})));
    }
  };
  rubric rubric;
  rubric.criteria = {{"Overlaps", 50, "", [] { return std::make_unique<overlaps>(); }},
                     {"WaitsLate", 50, "", [] { return std::make_unique<waits_late>(); }}};
  matchers::observations both;
  add_run(both);
  const report::evidence why = evaluate(rubric, both).front().why;
  EXPECT_THAT(why.observation, testing::StartsWith("The host was busy. Look at WaitsLate first (a.cu:5): "));
  EXPECT_EQ(why.where, "a.cu:5, a.cu:9");
  rubric.criteria.pop_back();
  EXPECT_EQ(evaluate(rubric, both).front().why.observation, "The host was busy.");
}

TEST(Evaluate, RoundsAreJudgedOneByOneUntilThereAreNoMore) {
  matchers::observations two = observed(7);
  add_run(two, trace::diagnostic_kind::not_recorded, "nothing was recorded");
  EXPECT_THAT(evaluated(two, 0), HasSubstr("Passes 40 pass 'measured 7'\n"));
  EXPECT_THAT(evaluated(two, 1), HasSubstr("Passes 40 not_observable 'nothing was recorded'\n"));
  EXPECT_THROW(evaluated(two, 2), std::out_of_range);
}

TEST(Evaluate, ACallWithTheOtherPlanCanFailACriterionButMeasuresNothing) {
  struct stays_small : lesson_check {
    void body() override { EXPECT_THAT(run(), is_sixteen_bytes_or_less()); }
  };
  rubric rubric;
  rubric.criteria = {{"StaysSmall", 100, "", [] { return std::make_unique<stays_small>(); }}};
  matchers::observations two_plans = observed(7);
  two_plans.other_request.emplace().set("seven", std::int64_t{8});
  exercise::outcome& outcome = two_plans.runs.front().outcome;
  for (const exercise::call call : exercise::all_calls) {
    outcome.answers[call].set("bytes", std::int64_t{9});
    for (const char* end : {"begin:", "end:"})
      outcome.recording->marks.push_back({.name = end + exercise::part_name("learner", call)});
  }
  EXPECT_EQ(lines_of(evaluate(rubric, two_plans)), "StaysSmall 100 pass 'small'\n");
  outcome.answers[exercise::call::third].set("bytes", std::int64_t{17});
  const report::criterion_result result = evaluate(rubric, two_plans).front();
  EXPECT_EQ(
      lines_of({result}),
      "StaysSmall 100 fail requirement_missed 'Too large. That was in the call with another plan (seven 8).'\n");
  EXPECT_EQ(result.measured->value, "9");
}

TEST(Evaluate, WrongDataOfTheOtherPlanAloneThatNothingExplainsAreGuessedAt) {
  static verdict wrong = failing(run_verdict::wrong_answer, "an element is wrong.");
  wrong.found_in = matchers::basis::data;
  static verdict before = matchers::passed();
  struct right_data : lesson_check {
    void body() override {
      const auto judge_before = [](const run_facts& run) {
        return run.answer().integer("bytes") == 17 ? before : matchers::passed();
      };
      EXPECT_THAT(run(), (matcher{"all is called", judge_before, matchers::reach::every_call}));
      const auto judge = [](const run_facts& run) {
        return run.answer().integer("bytes") == 17 ? wrong : matchers::passed();
      };
      EXPECT_THAT(run(), (matcher{"all is right", judge, matchers::reach::every_call}));
    }
  };
  rubric rubric;
  rubric.criteria = {{"RightData", 100, "", [] { return std::make_unique<right_data>(); }}};
  matchers::observations two_plans = observed(7);
  two_plans.other_request.emplace().set("seven", std::int64_t{8});
  exercise::outcome& outcome = two_plans.runs.front().outcome;
  for (const exercise::call call : exercise::all_calls) {
    outcome.answers[call].set("bytes", std::int64_t{call == exercise::call::third ? 17 : 9});
    for (const char* end : {"begin:", "end:"})
      outcome.recording->marks.push_back({.name = end + exercise::part_name("learner", call)});
  }
  EXPECT_THAT(evaluate(rubric, two_plans).front().why.observation,
              HasSubstr("look for a number or a buffer"));
  wrong.is_explained = true;
  EXPECT_THAT(evaluate(rubric, two_plans).front().why.observation,
              Not(HasSubstr("look for a number or a buffer")));
  wrong.is_explained = false;
  before = failing(run_verdict::wrong_answer, "two calls are missing.");
  EXPECT_THAT(evaluate(rubric, two_plans).front().why.observation,
              HasSubstr("look for a number or a buffer"));
  before.is_explained = true;
  EXPECT_THAT(evaluate(rubric, two_plans).front().why.observation,
              Not(HasSubstr("look for a number or a buffer")));
}

TEST(Evaluate, TheFirstCallIsJudgedByARequestOfItsOwn) {
  struct answers_what_was_asked : lesson_check {
    void body() override { EXPECT_EQ(answer().integer("seven"), request().integer("seven")); }
  };
  rubric rubric;
  rubric.criteria = {
      {"AnswersWhatWasAsked", 100, "", [] { return std::make_unique<answers_what_was_asked>(); }}};
  matchers::observations calls = observed(7);
  calls.first_request.emplace().set("seven", std::int64_t{6});
  calls.other_request.emplace().set("seven", std::int64_t{8});
  exercise::outcome& outcome = calls.runs.front().outcome;
  for (const exercise::call call : exercise::all_calls) {
    outcome.answers[call].set("seven", calls.request_of(call).integer("seven"));
    for (const char* end : {"begin:", "end:"})
      outcome.recording->marks.push_back({.name = end + exercise::part_name("learner", call)});
  }
  EXPECT_EQ(lines_of(evaluate(rubric, calls)), "AnswersWhatWasAsked 100 pass ''\n");
  outcome.answers[exercise::call::first].set("seven", std::int64_t{7});
  EXPECT_THAT(lines_of(evaluate(rubric, calls)), HasSubstr("AnswersWhatWasAsked 100 fail"));
}

TEST(Evaluate, WhatFailsInTheUsualRunIsToldBeforeWhatFailsInAnother) {
  struct stays_small : lesson_check {
    void body() override { EXPECT_THAT(run(), is_sixteen_bytes_or_less()); }
  };
  rubric rubric;
  rubric.criteria = {{"StaysSmall", 100, "", [] { return std::make_unique<stays_small>(); }}};
  matchers::observations calls = observed(7);
  add_run(calls);
  calls.first_request = calls.request;
  for (matchers::scheduled_run& one : calls.runs) {
    for (const exercise::call call : exercise::all_calls) {
      one.outcome.answers[call].set("bytes", std::int64_t{9});
      for (const char* end : {"begin:", "end:"})
        one.outcome.recording->marks.push_back({.name = end + exercise::part_name("learner", call)});
    }
  }
  calls.runs.back().outcome.answers[exercise::call::repeated].set("bytes", std::int64_t{17});
  EXPECT_EQ(evaluate(rubric, calls).front().why.observation, "Too large. That was in the plain run.");
  calls.runs.front().outcome.answers[exercise::call::first].set("bytes", std::int64_t{17});
  EXPECT_EQ(evaluate(rubric, calls).front().why.observation, "Too large. That was in the first call.");
}

TEST(Evaluate, WhatTheFirstCallHadRightNamesTheVariablesThatAreKept) {
  struct stays_small : lesson_check {
    void body() override { EXPECT_THAT(run(), is_sixteen_bytes_or_less()); }
  };
  rubric rubric;
  rubric.criteria = {{"StaysSmall", 100, "", [] { return std::make_unique<stays_small>(); }}};
  matchers::observations calls = observed(7);
  calls.source = {"a.cu", "void f() {\n  static int bytes = 9;\n}\n", ""};
  calls.first_request = calls.request;
  exercise::outcome& outcome = calls.runs.front().outcome;
  for (const exercise::call call : exercise::all_calls) {
    outcome.answers[call].set("bytes", std::int64_t{17});
    for (const char* end : {"begin:", "end:"})
      outcome.recording->marks.push_back({.name = end + exercise::part_name("learner", call)});
  }
  EXPECT_THAT(evaluate(rubric, calls).front().why.where, Not(HasSubstr("a.cu:2")));
  outcome.answers[exercise::call::first].set("bytes", std::int64_t{9});
  EXPECT_THAT(evaluate(rubric, calls).front().why.where, HasSubstr("a.cu:2"));
}

TEST(Evaluate, WhatIsNotAskedOfTheFirstCallIsNotSaidToHaveBeenRightThere) {
  static const matchers::matcher is_short("it is short", [](const run_facts&) {
    return matchers::failed(run_verdict::too_slow, "", {"", "Too long.", "a.cu:3", ""});
  });
  struct is_small_and_short : lesson_check {
    void body() override {
      EXPECT_THAT(run(), is_sixteen_bytes_or_less());
      EXPECT_THAT(run(), is_short);
    }
  };
  rubric rubric;
  rubric.criteria = {{"IsSmallAndShort", 100, "", [] { return std::make_unique<is_small_and_short>(); }}};
  matchers::observations calls = observed(7);
  calls.source = {"a.cu", "void f() {\n  static int bytes = 9;\n}\n", ""};
  calls.first_request = calls.request;
  exercise::outcome& outcome = calls.runs.front().outcome;
  for (const exercise::call call : exercise::all_calls) {
    outcome.answers[call].set("bytes", std::int64_t{9});
    for (const char* end : {"begin:", "end:"})
      outcome.recording->marks.push_back({.name = end + exercise::part_name("learner", call)});
  }
  EXPECT_EQ(lines_of(evaluate(rubric, calls)), "IsSmallAndShort 100 fail too_slow 'Too long.'\n");
}

TEST(Evaluate, APlainAssertionThatFailsFailsTheCriterion) {
  EXPECT_THAT(evaluated(observed(8)), HasSubstr("Passes 40 fail requirement_missed"));
}

TEST(Evaluate, WithoutARecordingNothingButDataAndLengthsByEventsIsJudged) {
  matchers::observations unrecorded = observed(7);
  unrecorded.runs.clear();
  add_run(unrecorded, trace::diagnostic_kind::not_recorded, "nothing was recorded");
  const std::string lines = evaluated(unrecorded);
  EXPECT_THAT(lines, HasSubstr("Passes 40 not_observable 'nothing was recorded'\n"
                               "FailsWithEvidence 30 not_observable 'nothing was recorded'\n"));
  EXPECT_THAT(lines, HasSubstr("JudgesLengths 0 pass 'by events'\n"
                               "FailsByLengths 0 fail too_slow 'took too long'\n"));
}

TEST(Evaluate, BesideOtherProgramsNothingPassesBecauseCalibrationTookLonger) {
  matchers::observations disturbed = observed(7);
  disturbed.runs.clear();
  add_run(disturbed, trace::diagnostic_kind::other_work, "process 7 used the GPU");
  const std::string lines = evaluated(disturbed);
  EXPECT_THAT(lines,
              HasSubstr("ComparesWithCalibration 0 not_observable 'other programs used the GPU, perhaps "
                        "during the calibration'\n"));
  EXPECT_THAT(lines, HasSubstr("Passes 40 pass 'measured 7'\n"));
  EXPECT_THAT(lines, HasSubstr("JudgesLengths 0 pass 'by events'\n"));
  EXPECT_THAT(lines, HasSubstr("FailsByLengths 0 fail too_slow 'took too long'\n"));
}

TEST(Evaluate, OptionsOfGoogleTestInTheEnvironmentChangeNothing) {
  const std::string plain = evaluated(observed(7));
  // As GTEST_THROW_ON_FAILURE and the like in the environment do.
  GTEST_FLAG_SET(throw_on_failure, true);
  GTEST_FLAG_SET(break_on_failure, true);
  EXPECT_EQ(evaluated(observed(7)), plain);
}

/// The result of a criterion whose matchers say that.
report::criterion_result result_of(std::vector<verdict> verdicts) {
  struct one_criterion : lesson_check {
    explicit one_criterion(std::vector<verdict> all) : verdicts(std::move(all)) {}
    void body() override {
      for (const verdict& answer : verdicts) EXPECT_THAT(run(), saying(answer));
    }
    std::vector<verdict> verdicts;
  };
  rubric rubric;
  rubric.criteria = {{"Only", 100, "", [=] { return std::make_unique<one_criterion>(verdicts); }}};
  return evaluate(rubric, observed(7)).front();
}

TEST(Findings, WhatIsTheSameOfTwoPartsIsNotedOnce) {
  using matchers::passed;
  EXPECT_EQ(result_of({passed("no wait"), passed("8 kernels"), passed("no wait")}).note,
            "no wait; 8 kernels");
}

TEST(Findings, WhatIsNotObservableForOneReasonIsSaidOnce) {
  using matchers::not_observable;
  EXPECT_EQ(
      result_of({not_observable("nobody looked"), not_observable("nobody looked", run_verdict::inconclusive)})
          .note,
      "nobody looked");
}

TEST(Findings, TheFirstMeasurementCounts) {
  EXPECT_EQ(result_of({matchers::passed("", report::measurement{"5 of 6", "6 of 6"}),
                       matchers::passed("", matchers::at_least(0.5, 0.6))})
                .measured->value,
            "5 of 6");
}

}  // namespace
}  // namespace checking
