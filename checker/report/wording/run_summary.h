// run_summary.h: the text of every picture of a run.
//
// Not here: lanes (lanes.h), facts about one span (span_facts.h).
//
//     const report::drawable_part drawable = report::part_to_draw(recording, "learner");
//     if (drawable.part) fmt::print("{}\n", report::overlap_words(*drawable.part));
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "analysis/overlap.h"
#include "analysis/part.h"
#include "trace/recording.h"
#include "trace/run_control.h"

namespace report {

/// A part that can be drawn, or the reason why there is none.
struct drawable_part {
  std::optional<analysis::part> part;  ///< of a length above zero, with at least one call or operation
  std::string problem;                 ///< the reason in words; "" when there is a part
};

/// The part between the marks "begin:NAME" and "end:NAME"; "" is the whole run. `recording` must outlive it.
drawable_part part_to_draw(const trace::recording& recording, const std::string& name);

/// "virtual GPU "teaching", schedule "slow-copies"", or the name of the device.
std::string machine_words(const trace::recording& recording);

/// How far a run has come after so much real time.
struct timed_progress {
  std::chrono::nanoseconds elapsed{0};
  trace::progress progress{};
};

/// "10.2 s: 3.11 ms simulated; kernel scale: 512 of 4096 blocks, 51 a second". The rate is that since `before`.
std::string progress_words(const timed_progress& now, const timed_progress& before);

/// Of a run that was ended: what each stream that was not done had got to, the first operation that did not end. "Stream 2
/// stood at the kernel scale 3 (sum.cu:24)."
std::string where_streams_stood(const trace::recording& recording);

/// "copies ran while kernels ran: 62 % of the 1.2 ms in which copies ran", from the shorter of the two; where
/// no copy ran, "no copy ran; of the kernels, 3.8 ran at a time, on average".
std::string overlap_words(const analysis::part& part);

/// "Your run takes 2.89 ms, 2.2 times as long as the solution's 1.33 ms."
std::string comparison_words(const analysis::part& yours, const analysis::part& solution);

/// When copies and kernels ran at once.
std::vector<analysis::interval> overlap_times(const analysis::part& part);

}  // namespace report
