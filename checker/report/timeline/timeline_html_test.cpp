#include "report/timeline/timeline_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_runs.h"

namespace report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TimelineHtml, HoldsEachRunWithItsLength) {
  const trace::recording yours = serial_sample(), solution = overlapped_sample();
  const std::string page = timeline_html(
      "Lesson", "A remark.",
      {{.heading = "Yours", .recording = &yours}, {.heading = "The solution", .recording = &solution}});
  EXPECT_THAT(page, HasSubstr(R"("heading":"Yours")"));
  EXPECT_THAT(page, HasSubstr(R"("length":1160000)"));
  EXPECT_THAT(page, HasSubstr(R"("length":902000)"));
}

TEST(TimelineHtml, TheBrowserIsToldToRefuseRequests) {
  const trace::recording recording = serial_sample();
  const std::string page = timeline_html("Lesson", "", {{.heading = "Run", .recording = &recording}});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* request : {"src=", "href", "@import", "url(", "fetch("})
    EXPECT_THAT(page, Not(HasSubstr(request)));
}

TEST(TimelineHtml, WithoutScriptsItHasASentence) {
  const trace::recording recording = serial_sample();
  const std::string page = timeline_html("Lesson", "", {{.heading = "Run", .recording = &recording}});
  EXPECT_THAT(page, HasSubstr("<p>Run: 1.16 ms in all, on virtual GPU &quot;teaching&quot;; copies ran"));
}

TEST(TimelineHtml, TitleAndRemarkAreText) {
  const trace::recording recording = serial_sample();
  const std::string page = timeline_html("<i>a", "b & c", {{.heading = "Run", .recording = &recording}});
  EXPECT_THAT(page, HasSubstr("<h1>&lt;i&gt;a</h1>"));
  EXPECT_THAT(page, HasSubstr("b &amp; c"));
}

}  // namespace
}  // namespace report
