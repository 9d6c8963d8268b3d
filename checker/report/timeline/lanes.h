// lanes.h: a part of a recording as lanes of spans, ready to be drawn.
//
// A lane for each host thread, each engine and each stream that the part used. Not here: characters, colours,
// columns.
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

/// What a span of time was spent on; a drawing gives each its own look.
enum class activity {
  call,       ///< the host inside a call that does not wait
  wait,       ///< the host inside a call that waits for the device
  host_code,  ///< host_work() and callbacks
  copy_to_device,
  copy_to_host,
  copy_other,  ///< device to device, host to host, or not known
  set_memory,
  kernel,
  record_event,    ///< a moment: start equals end
  wait_for_event,  ///< a moment: when the stream went on
};

/// Whether the activity takes no time: start equals end.
bool is_moment(activity activity);

/// "copy to the GPU", "host waits": what a legend calls it.
std::string_view meaning_of(activity activity);

/// An operation or a call in a lane.
struct span {
  trace::nanoseconds start{0};  ///< where it begins
  trace::nanoseconds end{0};
  report::activity activity = activity::call;  ///< how it is drawn
  std::vector<std::string> labels;             ///< the same name at decreasing length, for the room there is
  trace::operation_id operation = 0;           ///< what is drawn; 0: a call
  trace::call_id call = 0;                     ///< what is drawn; 0: an operation
};

/// The parts of a picture, from top to bottom.
enum class lane_group { host, engine, stream };

/// Spans of one lane do not overlap; they are in order of start. An engine that did several things at once
/// has several lanes, of which only the first has a name; so has a stream, of which branches of a graph ran
/// at once.
struct lane {
  std::string name;                     ///< at the left of the lane
  lane_group group = lane_group::host;  ///< which part of the picture it belongs to
  std::vector<span> spans;              ///< in order of start
};

/// The lanes from top to bottom: host threads, engines, streams in order of id.
std::vector<lane> lanes_of(const analysis::part& part);

/// Leaves the first `max_count` lanes of streams, so that the picture is not longer than anyone reads. Returns how
/// many were left out.
std::size_t drop_surplus_streams(std::vector<lane>& lanes, std::size_t max_count);

}  // namespace report
