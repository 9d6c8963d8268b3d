#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "course/record.h"
#include "processes/files.h"
#include "runner/grade/class_page.h"
#include "runner/grade/platforms.h"
#include "runner/grade/student_page.h"
#include "runner/grade/tables.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

grade failed_grade(const std::string& mistake, const std::string& quoted) {
  grade made;
  made.verdict = "wrong_answer";
  made.points = 60;
  made.file_hash = "ab";
  made.criteria = {{"StepsAreTaken", "all steps are taken", 40, report::criterion_verdict::fail,
                    report::run_verdict::wrong_answer, mistake, "first_steps.cu:1", quoted},
                   {"StepsAreOrdered", "in order", 60, report::criterion_verdict::pass,
                    report::run_verdict::pass, "", "", ""}};
  return made;
}

/// Ada fails with a record, Bob has handed in nothing, what Eve has could not be decided.
class Reports : public testing::Test {
 protected:
  Reports() : results(folder.path() / "out") {
    book.lessons = {course::lesson_of("/course", "01_first_steps")};
    book.lessons[0].title = "First steps";
    book.students.resize(3);
    book.students[0].student = "Ada <b>&\"";
    book.students[0].grades = {failed_grade("wrong_value", "a[i] = 0; // <script>")};
    book.students[0].grades[0].key = "abcd";
    book.students[1].student = "Bob";
    grade missing;
    missing.verdict = "missing_file";
    missing.points = 0;
    book.students[1].grades = {missing};
    book.students[2].student = "Eve";
    grade undecided;
    undecided.verdict = "infra_error";
    book.students[2].grades = {undecided};
    report::result record = toy_result(report::run_verdict::wrong_answer);
    record.recording = "";
    record.program_output = "::notice ::\x1b[31m ]]> <script>alert(1)</script>\n";
    std::filesystem::create_directories(results.record("abcd"));
    report::save(course::result_file_of(results.record("abcd")), record);
  }
  processes::temporary_folder folder;
  results_folder results;
  gradebook book;
  scoring_rules rules;
};

TEST_F(Reports, GradescopeHasATestForEachCriterion) {
  const json ada = json::parse(gradescope_json(book, book.students[0], rules, results));
  EXPECT_DOUBLE_EQ(ada["score"].get<double>(), 60);
  ASSERT_EQ(ada["tests"].size(), 1U);
  EXPECT_EQ(ada["tests"][0]["status"], "failed");
  EXPECT_EQ(ada["tests"][0]["max_score"], 100);
  EXPECT_THAT(ada["tests"][0]["output"].get<std::string>(),
              HasSubstr("required: Ten steps.\nseen: Nine steps."));
  const json bob = json::parse(gradescope_json(book, book.students[1], rules, results));
  EXPECT_EQ(bob["tests"][0]["output"], "missing_file");
  const json eve = json::parse(gradescope_json(book, book.students[2], rules, results));
  EXPECT_FALSE(eve["tests"][0].contains("max_score"));
}

TEST_F(Reports, ClassroomHasTheFileAndTheLine) {
  const json ada = json::parse(classroom_json(book, book.students[0], results));
  EXPECT_EQ(ada["status"], "fail");
  EXPECT_EQ(ada["max_score"], 100);
  EXPECT_EQ(ada["tests"][0]["filename"], "lessons/01_first_steps/first_steps.cu");
  EXPECT_EQ(ada["tests"][0]["line_no"], 1);
}

TEST_F(Reports, JUnitTellsFailuresFromErrors) {
  const std::string xml = junit_xml(book, results);
  EXPECT_THAT(
      xml,
      HasSubstr("<testsuite name=\"Ada &lt;b&gt;&amp;&quot;\" tests=\"1\" failures=\"1\" errors=\"0\">"));
  EXPECT_THAT(
      xml, HasSubstr("<failure type=\"wrong_answer\" message=\"all steps are taken\">required: Ten steps."));
  EXPECT_THAT(
      xml, HasSubstr("<property name=\"points\" value=\"0\"/><property name=\"max_points\" value=\"100\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"missing_file\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"infra_error\""));
}

TEST_F(Reports, CanvasKeepsWhatItsOwnTableSays) {
  const csv_table roster =
      parse_csv("Student,ID,SIS User ID,SIS Login ID,Section\n\"Lovelace, Bob\",7,u7,Bob,A\n");
  EXPECT_THAT(canvas_csv(book, rules, roster), HasSubstr("\n\"Lovelace, Bob\",7,u7,Bob,A,0\n"));
  EXPECT_THAT(canvas_csv(book, rules, roster), HasSubstr("\nEve,,,Eve,,\n"));
  EXPECT_THAT(moodle_csv(book, rules), HasSubstr("\nBob,0,0,01: missing_file\n"));
}

TEST_F(Reports, TheClassPageNamesTheHardestCriterionAndTheCommonestMistake) {
  book.students[1].grades = {failed_grade("wrong_value", "b = 1;")};
  book.students[2].grades = {failed_grade("wrong_value", "b = 1;")};
  const auto hardest = hardest_criteria(book);
  ASSERT_EQ(hardest.size(), 1U);
  EXPECT_EQ(hardest[0].failed, 3U);
  EXPECT_EQ(hardest[0].judged, 3U);
  const auto commonest = commonest_mistakes(book);
  ASSERT_EQ(commonest.size(), 1U);
  EXPECT_EQ(commonest[0].students, 3U);
  EXPECT_EQ(commonest[0].quoted, "b = 1;");
  EXPECT_THAT(class_page(book, rules, {}), HasSubstr("<code>b = 1;</code>"));
}

TEST_F(Reports, TextOfStudentsAndProgramsIsNoMarkup) {
  for (const std::string& page : {class_page(book, rules, {"a.html", "b.html", "c.html"}),
                                  student_page(book, book.students[0], rules, results)}) {
    EXPECT_THAT(page, HasSubstr("Ada &lt;b&gt;&amp;"));
    EXPECT_THAT(page, Not(HasSubstr("<b>&\"")));
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, Not(HasSubstr("\x1b")));
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  }
}

TEST_F(Reports, AStudentsPageHasTheReasonsAndSaysWhatIsMissing) {
  const std::string ada = student_page(book, book.students[0], rules, results);
  EXPECT_THAT(ada, HasSubstr("<dd>Ten steps.</dd>"));
  EXPECT_THAT(ada, HasSubstr("./streamlings check 01 --seed 7"));
  EXPECT_THAT(student_page(book, book.students[1], rules, results),
              HasSubstr("missing file</b>, 0 of 100 points"));
  EXPECT_THAT(student_page(book, book.students[2], rules, results), HasSubstr("counts for nobody"));
  book.students[0].grades[0].key = "ffff";
  EXPECT_THAT(student_page(book, book.students[0], rules, results), HasSubstr("cannot be read"));
}

TEST_F(Reports, FileNamesAreSafeAndDifferent) {
  book.students[0].student = "../a/b";
  book.students[1].student = ".._a_b";
  book.students[2].student = "";
  EXPECT_THAT(file_names_of(book), ElementsAre("_.._a_b", "_.._a_b_2", "_"));
  book.students[0].student = "Ольга 李";
  EXPECT_EQ(file_names_of(book)[0], "Ольга 李");
}

}  // namespace
}  // namespace runner
