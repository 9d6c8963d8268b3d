// timeline_json.h: a run as the interactive viewer reads it: rows of spans, and for each call and operation its facts.
//
// The stored form of a recording (trace/recording_json.h) is another one: this holds names, sentences and reasons, so
// that the viewer's script has none. Not here: the page around it (timeline_html.h).
//
//     report::timeline_json(recording, {.heading = "Yours"});
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// Options of timeline_json().
struct timeline_json_options {
  std::string part = "learner";      ///< the part between the marks of that name; "" takes the whole run
  std::string heading = "Timeline";  ///< the name of the run on the page
};

/// One line of JSON. It has no '<', so it can stand in a script element. When there is nothing to draw it has the reason
/// as "problem", and no rows. The form is described in report/viewer/run_data.js.
std::string timeline_json(const trace::recording& recording, const timeline_json_options& options);

}  // namespace report
