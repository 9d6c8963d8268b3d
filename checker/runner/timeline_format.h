// timeline_format.h: the formats of a drawn run, by their names on the command line.
//
//     runner::drawn_timeline("svg", recording, "Lesson 03", {.part = "learner"});
#pragma once

#include <string>
#include <vector>

#include "report/timeline/timeline_text.h"
#include "trace/recording.h"

namespace runner {

/// "text", "svg", "html", "perfetto".
const std::vector<std::string>& timeline_formats();

/// The run in that form, which must be one of them. `heading` stands above a drawing; width and characters of
/// `look` matter for text only, its length for text and svg.
std::string drawn_timeline(const std::string& format, const trace::recording& recording,
                           const std::string& heading, const report::timeline_options& look);

}  // namespace runner
