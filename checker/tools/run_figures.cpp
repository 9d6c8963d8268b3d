// run_figures.cpp: how long the learner's part of a recording took, and how much of what overlap can gain it
// gained.
//
//     run_figures RECORDING             one line: milliseconds, then, where the lesson calibrates a pipeline,
//     those one
//                                       step after another, those attainable, and the overlap efficiency
//     run_figures ABOVE BELOW           both timelines to the same scale, and the difference of their lengths
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "analysis/overlap.h"
#include "matchers/facts/attainable_time.h"
#include "matchers/facts/stages.h"
#include "report/timeline/timeline_text.h"
#include "trace/recording_json.h"

namespace {

trace::recording recording_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return trace::read_json(in);
}

double milliseconds(trace::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

bool has_part(const trace::recording& recording, const std::string& name) {
  return std::any_of(recording.marks.begin(), recording.marks.end(),
                     [&](const trace::mark& mark) { return mark.name == "begin:" + name; });
}

// Lesson 04 is free in its chunks and measures what one more copy costs; the batches and lanes of lesson 03
// are given.
matchers::attainable attainable_of(const trace::recording& recording, const analysis::part& learner) {
  if (has_part(recording, "pieces")) return matchers::attainable_time(recording);
  const auto kernels = matchers::operations_of(learner, matchers::stage::kernel);
  std::set<trace::stream_id> lanes;
  for (const trace::operation_id id : kernels) lanes.insert(recording.operation_at(id).stream);
  return matchers::attainable_time_of_batches(recording, static_cast<int>(kernels.size()),
                                              static_cast<int>(lanes.size()));
}

void print_figures(const std::string& path) {
  const trace::recording recording = recording_in(path);
  const analysis::part learner = analysis::part_of(recording, "learner");
  const trace::nanoseconds actual = matchers::time_in_calls(learner);
  fmt::print("{:.4f}", milliseconds(actual));
  if (has_part(recording, "serial") && has_part(recording, "duplex")) {
    const matchers::attainable best = attainable_of(recording, learner);
    fmt::print(" {:.4f} {:.4f} {:.3f}", milliseconds(best.serial), milliseconds(best.time),
               analysis::overlap_efficiency(best.serial, actual, best.time));
  }
  fmt::print("\n");
}

// The host reads the results after the work; that is not of interest here.
void end_part_with_its_work(trace::recording& recording) {
  const analysis::part learner = analysis::part_of(recording, "learner");
  for (trace::mark& mark : recording.marks) {
    if (mark.name == "end:learner")
      mark.time = std::min(mark.time, learner.begin + matchers::time_in_calls(learner));
  }
}

void print_both(const std::string& above, const std::string& below) {
  trace::recording recordings[2] = {recording_in(above), recording_in(below)};
  trace::nanoseconds lengths[2];
  report::timeline_options look;
  for (int i = 0; i < 2; ++i) {
    end_part_with_its_work(recordings[i]);
    lengths[i] = analysis::part_of(recordings[i], "learner").duration();
    look.length = std::max(look.length, lengths[i]);
  }
  for (const trace::recording& recording : recordings)
    fmt::print("{}\n", report::timeline_text(recording, look));
  for (int i = 0; i < 2; ++i)
    lengths[i] = matchers::time_in_calls(analysis::part_of(recordings[i], "learner"));
  fmt::print("from the first call to the end of the work: {:.3f} ms and {:.3f} ms, {:+.1f} %\n",
             milliseconds(lengths[0]), milliseconds(lengths[1]),
             100 * (milliseconds(lengths[0]) / milliseconds(lengths[1]) - 1));
}

}  // namespace

int main(int count, char** arguments) try {
  if (count == 2) {
    print_figures(arguments[1]);
  } else if (count == 3) {
    print_both(arguments[1], arguments[2]);
  } else {
    fmt::print(stderr, "usage: run_figures RECORDING [RECORDING]\n");
    return 2;
  }
  return 0;
} catch (const std::exception& mistake) {
  fmt::print(stderr, "{}\n", mistake.what());
  return 2;
}
