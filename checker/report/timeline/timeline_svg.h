// timeline_svg.h: a run as an SVG drawing: lanes for host threads, engines and streams, and the times when copies and
// kernels ran at once.
//
// Self-contained, for light and dark backgrounds, also inside <img>. Each span has its facts as tooltip.
//
//     std::ofstream("run.svg") << report::timeline_svg(recording, {.heading = "Lesson 03"});
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// Tooltips of spans.
enum class span_details { drawn, left_out };

/// Options of timeline_svg().
struct svg_options {
  std::string part = "learner";      ///< the part between the marks of that name; "" draws the whole run
  std::string heading = "Timeline";  ///< first line of the drawing, and its title for screen readers
  trace::nanoseconds length{0};      ///< duration of the time axis, when longer than the part
  span_details details = span_details::drawn;  ///< left out: for pictures in pages
};

/// When there is nothing to draw, or more than 20,000 spans, the drawing is a sentence that says so.
std::string timeline_svg(const trace::recording& recording, const svg_options& options);

}  // namespace report
