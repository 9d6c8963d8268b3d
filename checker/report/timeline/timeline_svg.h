// timeline_svg.h: a run as an SVG drawing: lanes for host threads, engines and streams, and when copies and
// kernels ran at once.
//
// It stands alone: no script, no font and no address, light or dark as the reader prefers, also inside <img>.
// Each span carries its facts as tooltip, and timeline_page.js finds times and constraints in its data-
// attributes.
//
//     std::ofstream("run.svg") << report::timeline_svg(recording, {.heading = "Lesson 03"});
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// Whether spans carry what timeline_page.js and a reader who points at them need.
enum class span_details { drawn, left_out };

/// What to draw, and what to write above it.
struct svg_options {
  std::string part = "learner";      ///< the part between the marks of that name; "" draws the whole run
  std::string heading = "Timeline";  ///< first line of the drawing, and its title for screen readers
  trace::nanoseconds length{0};      ///< time that the drawing spans, when the part is shorter
  span_details details = span_details::drawn;  ///< left out: for pictures in pages
};

/// The drawing. When there is nothing to draw, or more than 20,000 spans, it holds a sentence that says so.
std::string timeline_svg(const trace::recording& recording, const svg_options& options);

}  // namespace report
