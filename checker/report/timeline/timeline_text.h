// timeline_text.h: a run drawn with characters: a lane for the host, one an engine, one a stream.
//
//     fmt::print("{}", report::timeline_text(recording, {.part = "learner", .width = 100}));
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// What a drawing is made of.
enum class character_set { unicode, ascii };

/// What to draw, and with what.
struct timeline_options {
  std::string part =
      "learner";    ///< the part between the marks "begin:part" and "end:part"; "" draws the whole run
  int width = 100;  ///< columns in all; at least 40
  character_set characters = character_set::unicode;  ///< Unicode, or ASCII only
  trace::nanoseconds length{
      0};  ///< time that the columns span, when the part is shorter: to compare two runs
};

/// The drawing, each line ended by a newline, never wider than `width`. Says so in words when the part is
/// empty.
std::string timeline_text(const trace::recording& recording, const timeline_options& options);

}  // namespace report
