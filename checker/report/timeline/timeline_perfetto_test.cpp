#include "report/timeline/timeline_perfetto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/golden.h"
#include "report/sample_runs.h"

namespace report {
namespace {

using nlohmann::json;

std::vector<json> events_of(const trace::recording& recording, const std::string& phase) {
  std::vector<json> found;
  const json trace = json::parse(timeline_perfetto(recording, "learner"));
  for (const json& each : trace["traceEvents"]) {
    if (each["ph"] == phase) found.push_back(each);
  }
  return found;
}

/// Whether a slice of that track is open at the time of the arrow's end, as viewers tie them.
bool has_open_slice(const std::vector<json>& slices, const json& end) {
  for (const json& each : slices) {
    const double start = each["ts"], finish = start + each["dur"].get<double>(), time = end["ts"];
    if (each["tid"] == end["tid"] && start <= time && time < finish) return true;
  }
  return false;
}

TEST(TimelinePerfetto, SerialRunIsAsAgreed) {
  expect_golden("timeline_serial.perfetto.json", timeline_perfetto(serial_sample(), "learner"));
}

TEST(TimelinePerfetto, EveryArrowIsTiedToASliceAtBothEnds) {
  for (const trace::recording& recording : {serial_sample(), overlapped_sample(), crowded_sample()}) {
    const std::vector<json> slices = events_of(recording, "X");
    const std::vector<json> begins = events_of(recording, "s"), ends = events_of(recording, "f");
    ASSERT_FALSE(begins.empty());
    EXPECT_EQ(begins.size(), ends.size());
    for (const json& each : begins) EXPECT_TRUE(has_open_slice(slices, each)) << each;
    for (const json& each : ends) EXPECT_TRUE(has_open_slice(slices, each)) << each;
  }
}

TEST(TimelinePerfetto, SlicesOfATrackDoNotOverlap) {
  std::map<int, double> free;
  for (const json& each : events_of(overlapped_sample(), "X")) {
    double& from = free[each["tid"]];
    EXPECT_GE(each["ts"].get<double>(), from - 1e-9);
    from = each["ts"].get<double>() + each["dur"].get<double>();
  }
}

TEST(TimelinePerfetto, AMissingPartIsATraceWithoutSlices) {
  const json trace = json::parse(timeline_perfetto(trace::recording{}, "learner"));
  EXPECT_TRUE(trace["traceEvents"].empty());
  EXPECT_EQ(trace["otherData"]["problem"], "the run did not get to the part \"learner\"");
}

}  // namespace
}  // namespace report
