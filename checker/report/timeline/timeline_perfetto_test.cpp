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
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

/// Whether a slice of that track is open at the time of the arrow's end, as viewers tie them.
bool has_open_slice(const std::vector<json>& slices, const json& end) {
  for (const json& slice : slices) {
    const double start = slice["ts"], finish = start + slice["dur"].get<double>(), time = end["ts"];
    if (slice["tid"] == end["tid"] && start <= time && time < finish) return true;
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
    for (const json& event : begins) EXPECT_TRUE(has_open_slice(slices, event)) << event;
    for (const json& event : ends) EXPECT_TRUE(has_open_slice(slices, event)) << event;
  }
}

TEST(TimelinePerfetto, SlicesOfATrackDoNotOverlap) {
  std::map<int, double> free;
  for (const json& slice : events_of(overlapped_sample(), "X")) {
    double& from = free[slice["tid"]];
    EXPECT_GE(slice["ts"].get<double>(), from - 1e-9);
    from = slice["ts"].get<double>() + slice["dur"].get<double>();
  }
}

TEST(TimelinePerfetto, AMissingPartIsATraceWithoutSlices) {
  const json trace = json::parse(timeline_perfetto(trace::recording{}, "learner"));
  EXPECT_TRUE(trace["traceEvents"].empty());
  EXPECT_EQ(trace["otherData"]["problem"], "the run ended before your function was measured");
}

}  // namespace
}  // namespace report
