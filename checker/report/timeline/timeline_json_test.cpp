#include "report/timeline/timeline_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/sample_runs.h"

namespace report {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

json columns_of(const trace::recording& recording, const std::string& part = "learner") {
  return json::parse(timeline_json(recording, {.part = part}));
}

/// The number of the operation's or (negative) the call's column entries.
std::size_t place_of(const json& run, int key) {
  const json& keys = run["keys"];
  return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

/// One copy of 1 MB and a kernel behind it.
trace::recording copy_and_kernel() {
  sample_run run;
  const trace::stream_id stream = run.stream();
  run.copy_to_device(stream, 0, 10, 110);
  run.kernel("scale", stream, 3, 110, 160);
  return run.recording;
}

TEST(TimelineJson, EachOperationIsOneItemInTheRowsOfItsEngineAndOfItsStream) {
  const json run = columns_of(copy_and_kernel(), "");
  ASSERT_EQ(run["keys"].size(), 4u);  // two operations, two calls
  std::vector<std::string> rows;
  for (const json& row : run["rows"]) {
    const json& items = row["items"];
    if (std::find(items.begin(), items.end(), place_of(run, 2)) != items.end()) rows.push_back(row["name"]);
  }
  EXPECT_THAT(rows, ElementsAre("kernels", "stream 2"));
}

TEST(TimelineJson, AnOperationKnowsItsCallAndWhatItWaitedFor) {
  const trace::recording recording = copy_and_kernel();
  const json run = columns_of(recording, "");
  EXPECT_EQ(run["issued_by"][place_of(run, 2)], -2);
  EXPECT_EQ(run["waited_for"][place_of(run, 2)], json({1}));
}

TEST(TimelineJson, TimesAreFromTheBeginOfThePart) {
  sample_run run;
  const trace::stream_id stream = run.stream();
  run.call("cudaGetDevice", 0, 50);
  run.mark("begin:learner", 100);
  run.kernel("scale", stream, 105, 120, 150);
  run.mark("end:learner", 200);
  const json columns = columns_of(run.recording);
  EXPECT_EQ(columns["start"][place_of(columns, 1)], 20'000);
  EXPECT_EQ(columns["duration"][place_of(columns, 1)], 30'000);
}

TEST(TimelineJson, ResidenciesNameTheItemOfTheirKernel) {
  trace::recording recording = copy_and_kernel();
  const trace::nanoseconds start{30'000}, end{40'000};
  recording.residencies = {
      {.operation = 2, .multiprocessor = 1, .multiprocessors = 3, .blocks = 5, .start = start, .end = end}};
  const json run = columns_of(recording, "");
  EXPECT_EQ(run["multiprocessors"], json({4}));
  EXPECT_EQ(run["residencies"], json({{place_of(run, 2), 1, 3, 5, 30'000, 40'000}}));
}

TEST(TimelineJson, TheCriticalPathGoesForward) {
  const json run = columns_of(copy_and_kernel(), "");
  EXPECT_EQ(run["critical_path"], json({place_of(run, 1), place_of(run, 2)}));
}

TEST(TimelineJson, ANamedRangeIsAnItemWithoutAKey) {
  trace::recording recording = copy_and_kernel();
  recording.ranges = {{.name = "load",
                       .thread = 1,
                       .start = std::chrono::microseconds{5},
                       .end = std::chrono::microseconds{50},
                       .colour = 0xff102030}};
  const json run = columns_of(recording, "");
  const std::size_t item = place_of(run, 0);
  EXPECT_EQ(run["texts"][run["label"][item].get<std::size_t>()], "load");
  EXPECT_EQ(run["duration"][item], 45'000);
  EXPECT_EQ(run["colours"], json::array({json::array({item, 0xff102030})}));
}

TEST(TimelineJson, NoTextEndsTheElementAroundIt) {
  sample_run run;
  run.kernel("</script><b \xff\x1b[0m", run.stream(), 0, 10, 20);
  const std::string text = timeline_json(run.recording, {.part = "", .heading = "<i>"});
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_EQ(json::parse(text)["heading"], "<i>");
}

TEST(TimelineJson, WithoutThePartThereIsTheReason) {
  const json run = columns_of(copy_and_kernel(), "no such part");
  EXPECT_NE(run["problem"], "");
  EXPECT_FALSE(run.contains("rows"));
}

}  // namespace
}  // namespace report
