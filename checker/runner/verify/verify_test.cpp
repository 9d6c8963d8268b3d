// `streamlings verify`, started as an author starts it, in a toy course with one whole lesson.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "course/lesson.h"
#include "processes/content_hash.h"
#include "runner/toy_course.h"
#include "trace/recording_json.h"

namespace runner {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto page = "lessons/01_first_steps/README.md";
constexpr auto hints_file = "checker/lessons/01_first_steps/hints.md";
constexpr auto skeleton = "checker/lessons/01_first_steps/skeleton.cu";
constexpr auto solution = "solutions/01_first_steps/first_steps.cu";

constexpr auto page_text = R"(# First steps

**Goal.** Walk.

## Predict first
How far?
## The idea
<!-- timeline: skeleton -->
```text
slow
```
<!-- end -->
<!-- timeline: solution -->
```text
fast
```
<!-- end -->
## The task
Edit [the file](first_steps.cu).
## Done means
| Criterion | What it asks | As it comes | Solved | Required |
|---|---|---|---|---|
| `StepsAreTaken` | All steps | 0.00 | 0.90 | at least 0.60 |
## The surprise
None.
## The calls
[Manual](https://docs.nvidia.com/cuda/)
## Where it is used
Everywhere.
)";

/// What the stand-in check program does when it is called as `criteria`, `todos`, `run` and `expect`.
constexpr auto check_program = R"(cd "$STREAMLINGS_ROOT"
name=${3##*/}
name=${name%.cu}
case "$1" in
  criteria) cat prepared/criteria.json;;
  todos) cat prepared/todos.txt; test ! -s prepared/todos.txt;;
  run) echo "$@" >> arguments.txt; test -d "$5" || mkdir -p "$5"; cp "prepared/$name.result" "$5/result.json";;
  expect) echo "$@" >> arguments.txt; test -d "$5" || mkdir -p "$5"; cp "prepared/$name.json" "$5/expectation.json";;
esac
)";

class VerifyVerb : public testing::Test {
 protected:
  VerifyVerb() {
    std::filesystem::remove_all(toy.root() / "lessons/02_next_steps");
    toy.write(page, page_text);
    toy.write("lessons/01_first_steps/first_steps.h", "void walk();\n");
    for (const char* file : {skeleton, solution})
      toy.write(file, "// A lesson.\n#include \"first_steps.h\"\n");
    for (const char* file : {"check.cpp", "drive.cpp"})
      toy.write(std::string("checker/lessons/01_first_steps/") + file, "\n");
    toy.install_check_script("01", check_program);
    toy.write("prepared/criteria.json", R"({"criteria": [{"name": "StepsAreTaken", "points": 100}]})");
    toy.write("prepared/todos.txt", "");
    prepare("skeleton", "StepsAreTaken", "slow\n");
    prepare("first_steps", "", "fast\n");
    add_entry("skeleton01", "expect", "skeleton01", skeleton);
    add_entry("solution01.builds", "run", "solution01", solution);
    for (int i = 1; i <= 8; ++i) add_answer("wrong", "mistake_" + std::to_string(i), "StepsAreTaken");
    for (int i = 1; i <= 3; ++i) add_answer("right", "way_" + std::to_string(i), "");
  }

  static std::string file_of(const std::string& name) {
    if (name == "skeleton") return skeleton;
    if (name == "first_steps") return solution;
    const std::string set = name.rfind("way", 0) == 0 ? "right" : "wrong";
    return "checker/lessons/01_first_steps/" + set + "/" + name + ".cu";
  }

  void prepare(const std::string& name, const std::string& declared, const std::string& timeline,
               const std::string& difference = "") {
    using report::run_verdict;
    report::result result = toy_result(declared.empty()      ? run_verdict::pass
                                       : name == "mistake_1" ? run_verdict::wrong_answer
                                                             : run_verdict::no_overlap);
    result.source_hash = processes::content_hash(toy.read(file_of(name)));
    result.lesson_hash = course::lesson_of(toy.root(), "01_first_steps").hash();
    result.timeline = timeline;
    result.recording = "";
    result.criteria.front().measured = {declared.empty() ? "0.90" : "0.00", "at least 0.60"};
    const json answer_json{{"as_expected", difference.empty()},
                           {"leads_to", {{"line", name == "mistake_1" ? 0 : 3}, {"cause", "one_stream"}}},
                           {"expected", {{"must_fail", declared}, {"may_fail", json::array()}}},
                           {"difference", difference},
                           {"result", json::parse(report::to_json(result))}};
    toy.write("prepared/" + name + ".json", answer_json.dump());
    toy.write("prepared/" + name + ".result", report::to_json(result));
  }

  /// An entry of ctest, as CMake writes it.
  void add_entry(const std::string& name, const std::string& verb, const std::string& record,
                 const std::string& file) {
    entries_ += "add_test(" + name + " \"" + (toy.root() / "build/bin/check01").string() + "\" " + verb +
                " --source \"" + (toy.root() / file).string() + "\" --record \"" +
                (toy.root() / "build/records" / record).string() + "\")\n";
    toy.write("build/checker/lessons/CTestTestfile.cmake", entries_);
  }

  void add_answer(const std::string& set, const std::string& name, const std::string& declared) {
    const std::string file = file_of(name);
    toy.write(file, declared.empty() ? "// Another way.\n"
                                     : "// fails: " + declared + "\n// where: 3 cause: one_stream\n");
    prepare(name, declared, "");
    add_entry(set + "01." + name, "expect", set + "01." + name, file);
  }

  void replace_in(const std::string& file, const std::string& old_text, const std::string& new_text) {
    std::string text = toy.read(file);
    ASSERT_NE(text.find(old_text), std::string::npos);
    toy.write(file, text.replace(text.find(old_text), old_text.size(), new_text));
  }

  /// Verifies, and expects exactly one problem, in this file and with these words.
  void expect_problem(const std::string& file, const std::string& message,
                      const std::string& arguments = "") {
    const program_result result = toy.run("verify --json " + arguments);
    EXPECT_EQ(result.exit_status, 1) << result.errors;
    const json problems = json::parse(result.output).at("problems");
    ASSERT_EQ(problems.size(), 1u) << problems.dump(2);
    EXPECT_EQ(problems[0].at("file"), file);
    EXPECT_THAT(problems[0].at("what").get<std::string>(), HasSubstr(message));
    EXPECT_THAT(problems[0].at("next").get<std::string>(), Not(""));
  }

  /// Skeleton and solution leave recordings in their records.
  void keep_recordings() {
    for (const std::string name : {"skeleton", "first_steps"}) {
      const std::string file = "prepared/" + name + ".json";
      json answer_json = json::parse(toy.read(file));
      answer_json["result"]["recording"] = "recording.jsonl";
      toy.write(file, answer_json.dump());
      toy.write("prepared/" + name + ".result", answer_json["result"].dump());
    }
    for (const std::string name : {"skeleton01", "solution01"}) {
      std::ostringstream text;
      trace::write_json(text, toy_recording());
      toy.write("build/records/" + name + "/recording.jsonl", text.str());
    }
  }

  toy_course toy;

 private:
  std::string entries_;
};

TEST_F(VerifyVerb, AWholeLessonPassesWithItsMargin) {
  const program_result result = toy.run("verify");
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_THAT(
      result.output,
      HasSubstr("01_first_steps         1  fails     passes             8/8            7/8           3/3  "
                "1.50  StepsAreTaken\n"));
  EXPECT_THAT(result.output, HasSubstr("Nothing failed."));
  EXPECT_THAT(result.output, HasSubstr("  https://docs.nvidia.com/cuda/\n"));
}

TEST_F(VerifyVerb, JsonCountsTheAnswers) {
  const json report = json::parse(toy.run("verify first_steps --json").output);
  EXPECT_EQ(report.at("ok"), true);
  EXPECT_EQ(report.at("lessons")[0].at("wrong"), (json{{"caught", 8}, {"all", 8}}));
  EXPECT_EQ(report.at("lessons")[0].at("right"), (json{{"passed", 3}, {"all", 3}}));
  EXPECT_DOUBLE_EQ(report.at("lessons")[0].at("margin").at("ratio"), 1.5);
}

TEST_F(VerifyVerb, StaticRunsOnlySkeletonAndSolution) {
  const program_result result = toy.run("verify --static --jobs 1");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("-/8              -           -/3"));
  EXPECT_THAT(toy.read("arguments.txt"),
              AllOf(HasSubstr("skeleton.cu --record"), HasSubstr("/records/skeleton01\n"),
                    HasSubstr("/records/solution01\n"), Not(HasSubstr("mistake"))));
}

TEST_F(VerifyVerb, RecordedRunsNothingAndRefusesWhatIsMissingOrOld) {
  EXPECT_THAT(toy.run("verify --recorded").output, HasSubstr("  No check of it is recorded. "));
  toy.run("verify");
  toy.write("arguments.txt", "");
  EXPECT_EQ(toy.run("verify --recorded").exit_status, 0);
  EXPECT_EQ(toy.read("arguments.txt"), "");
  toy.write(file_of("mistake_3"),
            "// fails: StepsAreTaken\n// where: 3 cause: one_stream\n// Another mistake.\n");
  const std::string changed = "It or the lesson has changed since the check that is recorded.";
  expect_problem(file_of("mistake_3"), changed, "--recorded");
  prepare("mistake_3", "StepsAreTaken", "");
  toy.run("verify");
  EXPECT_EQ(toy.run("verify --recorded").exit_status, 0);
  toy.write("checker/lessons/01_first_steps/check.cpp", "// Asks more.\n");
  EXPECT_THAT(toy.run("verify --recorded").output, HasSubstr(changed));
}

TEST_F(VerifyVerb, AnAnswerThatIsNotAsDeclaredIsShownWithItsTable) {
  prepare("mistake_3", "StepsAreTaken", "", "it passed everything\n");
  const program_result result = toy.run("verify");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("7/8"),
                                   HasSubstr("1 failed\n\nchecker/lessons/01_first_steps/wrong/mistake_3.cu\n"
                                             "  it passed everything\n  Next: "),
                                   HasSubstr("ctest --test-dir build -R '^wrong01.mistake_3'")));
}

TEST_F(VerifyVerb, ASolutionThatFailsIsAProblemAndLeavesItsPictureAlone) {
  prepare("first_steps", "StepsAreTaken", "other\n");
  expect_problem(solution, "StepsAreTaken failed");
}

TEST_F(VerifyVerb, ARightAnswerThatDeclaresAFailureIsRefused) {
  prepare("way_2", "StepsAreTaken", "");
  expect_problem("checker/lessons/01_first_steps/right/way_2.cu", "everything here has to pass");
}

TEST_F(VerifyVerb, ACheckProgramWithoutAResultIsQuoted) {
  std::filesystem::remove(toy.root() / "prepared/way_1.json");
  expect_problem("checker/lessons/01_first_steps/right/way_1.cu", "cannot stat 'prepared/way_1.json'");
}

TEST_F(VerifyVerb, ACheckProgramThatIsNotBuiltIsAProblemOfItsLesson) {
  std::filesystem::remove(toy.root() / "build/bin/streamlings-check");
  expect_problem("checker/lessons/01_first_steps", "streamlings-check is not built");
}

TEST_F(VerifyVerb, TooFewWrongOrRightAnswersAreCounted) {
  std::filesystem::remove(toy.root() / "checker/lessons/01_first_steps/wrong/mistake_8.cu");
  expect_problem("checker/lessons/01_first_steps/wrong",
                 "There are 7 wrong answers; a lesson has at least 8");
  add_answer("wrong", "mistake_8", "StepsAreTaken");
  std::filesystem::remove(toy.root() / "checker/lessons/01_first_steps/right/way_3.cu");
  expect_problem("checker/lessons/01_first_steps/right",
                 "There are 2 right answers; a lesson has at least 3");
}

TEST_F(VerifyVerb, AWrongAnswerWithoutADeclarationIsNamed) {
  toy.write("checker/lessons/01_first_steps/wrong/mistake_1.cu", "// A mistake.\n");
  expect_problem("checker/lessons/01_first_steps/wrong/mistake_1.cu", "does not say what it fails");
}

TEST_F(VerifyVerb, AWrongAnswerSaysWhereItsReportLeads) {
  constexpr auto wrong = "checker/lessons/01_first_steps/wrong/mistake_1.cu";
  replace_in(wrong, "// where: 3 cause: one_stream", "// A mistake.");
  expect_problem(wrong, "second line does not say where");
  replace_in(wrong, "// A mistake.", "// where: none cause: bad_luck");
  expect_problem(wrong, "'bad_luck' is no word for a mistake", "--static");
  replace_in(wrong, "none cause: bad_luck", "none");
  expect_problem(wrong, "'' is no word for a mistake", "--static");
}

TEST_F(VerifyVerb, EachSentenceOfTheContractIsJudgedOrLeftOutForAReason) {
  constexpr auto check = "checker/lessons/01_first_steps/check.cpp";
  toy.write("lessons/01_first_steps/first_steps.h",
            "/// Takes all steps. May be called again.\nvoid walk();\n");
  toy.write(check, "// \"Takes all steps.\"\nCRITERION(Walk, StepsAreTaken, 100, \"all steps\") {}\n");
  expect_problem(check, "No criterion judges \"May be called again.\"");
  toy.write(check, toy.read(check) + "// Not judged: \"May be called again.\"\n\n");
  expect_problem(check, "does not say why \"May be called again.\" is not judged", "--static");
  replace_in(check, "again.\"", "again.\" Once is enough.");
  EXPECT_EQ(toy.run("verify --static").exit_status, 0);
  replace_in(check, "Takes all steps", "Takes two steps");
  const json problems = json::parse(toy.run("verify --static --json").output).at("problems");
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_THAT(problems[0].at("what").get<std::string>(),
              HasSubstr("which neither contract nor skeleton says"));
}

TEST_F(VerifyVerb, ACriterionThatNothingFailsIsNamed) {
  toy.write("prepared/criteria.json", R"({"criteria": [{"name": "StepsAreTaken", "points": 60},
                                                       {"name": "StepsAreLong", "points": 40}]})");
  replace_in(page, "`StepsAreTaken`", "`StepsAreTaken` `StepsAreLong`");
  replace_in(hints_file, "Wait once\nfor: StepsAreTaken", "Wait once\nfor: StepsAreTaken, StepsAreLong");
  expect_problem("checker/lessons/01_first_steps/wrong", "declared to fail StepsAreLong");
}

TEST_F(VerifyVerb, PointsThatDoNotSumToAHundredAreAProblem) {
  toy.write("prepared/criteria.json", R"({"criteria": [{"name": "StepsAreTaken", "points": 99}]})");
  expect_problem("checker/lessons/01_first_steps/check.cpp", "sum to 99");
}

TEST_F(VerifyVerb, ADifferenceOutsideTheTodosIsQuoted) {
  toy.write("prepared/todos.txt", "line 7 differs\n");
  expect_problem(skeleton, "line 7 differs");
}

TEST_F(VerifyVerb, TheContractIsThereAndIncluded) {
  toy.write(skeleton, "// #include \"first_steps.h\"\n");
  expect_problem(skeleton, "does not include the contract");
  toy.write(skeleton, "#include \"first_steps.h\"\n");
  std::filesystem::remove(toy.root() / "lessons/01_first_steps/first_steps.h");
  expect_problem("lessons/01_first_steps/first_steps.h", "is missing");
}

TEST_F(VerifyVerb, HintsAreEnoughAndSaySomethingAboutWhatThereIs) {
  const std::string good = toy.read(hints_file);
  replace_in(hints_file, "## Everything\n", "");
  expect_problem(hints_file, "It has 2 hints");
  toy.write(hints_file, good);
  replace_in(hints_file, "Read the file.", "");
  expect_problem(hints_file, "\"Look around\" says nothing");
  toy.write(hints_file, good);
  replace_in(hints_file, "Wait once\nfor: StepsAreTaken", "Wait once\nfor: no_overlap, StepsAreTooFew");
  expect_problem(hints_file, "'StepsAreTooFew', which is no criterion");
  toy.write(hints_file, good);
  replace_in(hints_file, "StepsAreTaken as wrong_answer", "StepsAreTaken as wrong_way");
  expect_problem(hints_file, "'wrong_way', which is no verdict", "--static");
}

TEST_F(VerifyVerb, EachCriterionHasAHintBeforeTheLast) {
  replace_in(hints_file, "for: StepsAreTaken as wrong_answer\n", "");
  expect_problem(hints_file, "\"Look around\" is for nothing, and others follow it");
  replace_in(hints_file, "## Look around\n", "## Look around\nfor: wrong_answer\n");
  replace_in(hints_file, "for: StepsAreTaken\n", "for: no_overlap\n");
  expect_problem(hints_file, "No hint before the last is for StepsAreTaken");
}

TEST_F(VerifyVerb, AWrongAnswerBeginsWithAHintForWhatItDeclares) {
  toy.write("prepared/criteria.json", R"({"criteria": [{"name": "StepsAreTaken", "points": 60},
                                                       {"name": "StepsAreLong", "points": 40}]})");
  replace_in(page, "`StepsAreTaken`", "`StepsAreTaken` `StepsAreLong`");
  replace_in(hints_file, "Wait once\nfor: StepsAreTaken", "Wait once\nfor: StepsAreTaken, StepsAreLong");
  add_answer("wrong", "stumbles", "StepsAreLong");
  json answer_json = json::parse(toy.read("prepared/stumbles.json"));
  json longer = answer_json["result"]["criteria"][0];
  longer["name"] = "StepsAreLong";
  longer["failure"] = "race_detected";
  answer_json["result"]["criteria"].push_back(longer);
  toy.write("prepared/stumbles.json", answer_json.dump());
  EXPECT_EQ(toy.run("verify").exit_status, 0);
  replace_in(hints_file, "StepsAreTaken, StepsAreLong", "StepsAreTaken, StepsAreLong as too_slow");
  expect_problem(hints_file,
                 "After wrong01.stumbles the first hint is \"Wait once\", which is not for StepsAreLong");
}

TEST_F(VerifyVerb, AHintThatNoMistakeLeadsToIsAProblem) {
  replace_in(hints_file, "StepsAreTaken as wrong_answer", "StepsAreTaken as race_detected");
  expect_problem(hints_file, "No wrong answer leads to the hint \"Look around\"");
  EXPECT_EQ(toy.run("verify --static").exit_status, 0) << "the mistakes were not made";
}

TEST_F(VerifyVerb, APageHasItsSectionsItsGoalAndItsCriteria) {
  replace_in(page, "## The surprise", "## A surprise");
  expect_problem(page, "no section \"## The surprise\"");
  toy.write(page, page_text);
  replace_in(page, "**Goal.**", "Goal:");
  expect_problem(page, "does not state the goal");
  toy.write(page, page_text);
  replace_in(page, "`StepsAreTaken`", "all of it");
  expect_problem(page, "what StepsAreTaken asks");
}

TEST_F(VerifyVerb, LinksLeadToFilesOfTheCourseOrToHttps) {
  replace_in(page, "(first_steps.cu)", "(last_steps.cu#end)");
  expect_problem(page, "last_steps.cu#end is no file of the course");
  replace_in(page, "(last_steps.cu#end)", "(../../../../../etc/passwd)");
  expect_problem(page, "is no file of the course");
  replace_in(page, "(../../../../../etc/passwd)", "(http://example.org/)");
  expect_problem(page, "http://example.org/ is not https");
  toy.write(page, page_text);
  toy.write("docs/more.md", "[gone](gone.md)\n");
  expect_problem("docs/more.md", "Line 1: gone.md");
}

TEST_F(VerifyVerb, APictureThatIsNotThatOfTheRunIsShownAndUpdated) {
  prepare("skeleton", "StepsAreTaken", "slow\nvery slow\n");
  expect_problem(page, "Line 11 is not what the run gives.\n  page: ```\n  run:  very slow", "--static 01");
  const program_result updated = toy.run("verify --static --update");
  EXPECT_EQ(updated.exit_status, 0);
  EXPECT_THAT(updated.output, HasSubstr(std::string("Wrote what the runs give into ") + page));
  EXPECT_THAT(toy.read(page), HasSubstr("```text\nslow\nvery slow\n```\n<!-- end -->\n"));
  EXPECT_EQ(toy.run("verify").exit_status, 0);
}

TEST_F(VerifyVerb, TheTableOfWhatIsDoneHoldsWhatTheRunsGive) {
  replace_in(page, "| All steps | 0.00 | 0.90 |", "| All steps | 0.50 | |");
  expect_problem(page, "run:  | `StepsAreTaken` | All steps | 0.00 | 0.90 | at least 0.60 |", "--static");
  EXPECT_EQ(toy.run("verify --static --update").exit_status, 0);
  EXPECT_EQ(toy.read(page), page_text);
  replace_in(page, "| As it comes | Solved | Required |", "| Solved |");
  expect_problem(page, "has not the columns of the other lessons", "--static");
}

TEST_F(VerifyVerb, ThePicturesOfTheFrontPageNameTheirLesson) {
  toy.write("README.md",
            "<!-- timeline: lesson 01, as it comes -->\n<!-- end -->\n"
            "<!-- timeline: lesson 01, solved -->\n<!-- end -->\n");
  expect_problem("README.md", "run:  ```text");
  EXPECT_EQ(toy.run("verify --update").exit_status, 0);
  EXPECT_EQ(toy.read("README.md"),
            "<!-- timeline: lesson 01, as it comes -->\n```text\nslow\n```\n<!-- end -->\n"
            "<!-- timeline: lesson 01, solved -->\n```text\nfast\n```\n<!-- end -->\n");
  toy.write("README.md", "<!-- timeline: lesson 09, solved -->\n<!-- end -->\n");
  expect_problem("README.md", "there is no lesson '09'");
}

TEST_F(VerifyVerb, ADrawingIsAnImageOfTheRunInAFileOfItsOwn) {
  keep_recordings();
  const std::string file = "docs/pictures/lesson_01_solved.svg";
  toy.write("README.md", "<!-- drawing: lesson 01, solved -->\n<!-- end -->\n");
  EXPECT_EQ(toy.run("verify").exit_status, 1);
  EXPECT_THAT(toy.run("verify --update").output, HasSubstr(file));
  EXPECT_THAT(toy.read("README.md"), HasSubstr("![Lesson 01, solved: 100 us in all;"));
  EXPECT_THAT(toy.read("README.md"), HasSubstr("(docs/pictures/lesson_01_solved.svg)\n<!-- end -->"));
  EXPECT_THAT(toy.read(file), HasSubstr("<title>Lesson 01, solved</title>"));
  EXPECT_EQ(toy.run("verify").exit_status, 0);
  replace_in(file, "cudaDeviceSynchronize", "somethingElse");
  expect_problem(file, "The drawing is not that of a run");
}

TEST_F(VerifyVerb, ADrawingOfARunWithoutARecordingIsAProblem) {
  toy.write("README.md", "<!-- drawing: lesson 01, solved -->\n<!-- end -->\n");
  expect_problem("README.md", "left no recording");
}

TEST_F(VerifyVerb, APictureWithAnUnknownNameOrWithoutAnEndIsAProblem) {
  replace_in(page, "timeline: solution", "timeline: answer");
  expect_problem(page, "There is no picture 'answer'");
  toy.write(page, page_text);
  replace_in(page, "<!-- end -->", "");
  expect_problem(page, "line 8: the picture 'skeleton' has no");
}

TEST_F(VerifyVerb, AnUnknownLessonIsAMistakeOfUsage) {
  const program_result result = toy.run("verify 17");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("there is no lesson '17'"));
}

}  // namespace
}  // namespace runner
