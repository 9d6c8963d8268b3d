// lanes.h: a part of a recording as lanes of spans: one for each host thread, engine and stream that it used.
//
// Not here: characters, colours, columns.
//
//     for (const report::lane& lane : report::lanes_of(analysis::part_of(recording, "learner"))) draw(lane);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace report {

/// The kinds of spans, which a drawing shows differently.
enum class activity {
  call,       ///< the host inside a call that does not wait
  wait,       ///< the host inside a call that waits for the device
  host_code,  ///< host_work() and callbacks
  copy_to_device,
  copy_to_host,
  copy_other,  ///< device to device, host to host, or not known
  set_memory,
  kernel,
  record_event,    ///< an instant: start equals end
  wait_for_event,  ///< an instant: when the stream continued
  named_range,     ///< host code to which the program gave a name
  named_mark,      ///< an instant of it
};

/// True for activities without duration: start equals end.
bool is_instant(activity activity);

/// How drawings show an activity.
struct activity_look {
  std::string_view meaning;  ///< in legends: "copy to the GPU", "host waits"
  std::string_view css_class;
  std::string_view unicode_glyph;
  std::string_view ascii_glyph;
};
/// The look of all drawings.
const activity_look& look_of(activity activity);

/// An operation, a call or a named range in a lane.
struct span {
  trace::nanoseconds start{0};
  trace::nanoseconds end{0};
  report::activity activity = activity::call;
  std::vector<std::string> labels;    ///< the same name at decreasing length
  trace::operation_id operation = 0;  ///< 0: none
  trace::call_id call = 0;            ///< 0: none
  std::size_t range = 0;              ///< place in recording::ranges, from 1; 0: none
};

/// The groups of lanes from top to bottom.
enum class lane_group { host, engine, stream };

/// Spans of one lane do not overlap. An engine that did several things at once has several lanes, of which only the
/// first has a name. So has a stream in which branches of a graph ran at once, and a thread with ranges inside ranges.
struct lane {
  std::string name;
  lane_group group = lane_group::host;
  std::vector<span> spans;  ///< in order of start
};

/// The lanes from top to bottom: host threads, their named ranges, engines, streams in order of id.
std::vector<lane> lanes_of(const analysis::part& part);

/// Keeps the first `max_count` lanes of streams. Returns the number of the lanes that were removed.
std::size_t drop_surplus_streams(std::vector<lane>& lanes, std::size_t max_count);

}  // namespace report
