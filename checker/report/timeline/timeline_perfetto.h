// timeline_perfetto.h: a run in the JSON form that ui.perfetto.dev and chrome://tracing open.
//
// Three processes, "host", "engines" and "streams", with a track for each lane; a slice for each span, an instant for
// each event record and event wait; the facts of a span are its arguments. Flow arrows go to an operation in its stream
// from the call that issued it ("issue") and from what it waited for ("wait"). Times are microseconds from the begin of
// the part. docs/timelines.md describes this for users.
//
//     std::ofstream("run.json") << report::timeline_perfetto(recording, "learner");
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// The part between the marks of that name, "" for the whole run. Without slices when there is nothing to draw.
std::string timeline_perfetto(const trace::recording& recording, const std::string& part);

}  // namespace report
