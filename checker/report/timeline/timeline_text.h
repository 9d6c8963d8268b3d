// timeline_text.h: a run drawn with characters: a lane for the host, one an engine, one a stream.
//
//     fmt::print("{}", report::timeline_text(recording, {.part = "learner", .width = 100}));
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// The characters of a drawing.
enum class character_set { unicode, ascii };

/// Options of timeline_text().
struct timeline_options {
  std::string part =
      "learner";    ///< between the marks "begin:learner" and "end:learner"; "" draws the whole run
  int width = 100;  ///< columns in all; at least 40
  character_set characters = character_set::unicode;
  trace::nanoseconds length{
      0};  ///< duration of the time axis, when longer than the part: to compare two runs
};

/// Lines end with a newline and are not wider than `width`. A sentence when the part is empty.
std::string timeline_text(const trace::recording& recording, const timeline_options& options);

}  // namespace report
