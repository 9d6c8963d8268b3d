#include "report/timeline/timeline_perfetto.h"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "report/text_layout.h"
#include "report/timeline/lanes.h"
#include "report/timeline/span_facts.h"
#include "report/wording/run_summary.h"

namespace report {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> process_names{"host", "engines", "streams"};

int process_of(lane_group group) { return static_cast<int>(group) + 1; }

/// A track, and the slice on it to which an arrow can be tied.
struct slice {
  int process = 0;
  int track = 0;
  trace::nanoseconds start{0};
  trace::nanoseconds end{0};
};

class trace_events {
 public:
  explicit trace_events(const analysis::part& part) : part_(part), facts_(part) {
    for (std::size_t i = 0; i < process_names.size(); ++i) {
      const int process = static_cast<int>(i) + 1;
      add_metadata("process_name", process, 0, {{"name", process_names[i]}});
      add_metadata("process_sort_index", process, 0, {{"sort_index", process}});
    }
    const std::vector<lane> lanes = lanes_of(part);
    std::string name;
    int track = 0;
    for (const lane& lane : lanes) {
      if (!lane.name.empty()) name = lane.name;
      add_lane(lane, escaped(name), ++track);
    }
    add_arrows();
  }

  ordered_json events() && { return std::move(events_); }

 private:
  double microseconds(trace::nanoseconds time) const {
    return static_cast<double>((time - part_.begin).count()) / 1000;
  }

  void add_metadata(std::string_view text, int process, int track, const ordered_json& arguments) {
    events_.push_back({{"ph", "M"}, {"name", text}, {"pid", process}, {"tid", track}, {"args", arguments}});
  }

  void add_lane(const lane& lane, const std::string& name, int track) {
    const int process = process_of(lane.group);
    add_metadata("thread_name", process, track, {{"name", name}});
    add_metadata("thread_sort_index", process, track, {{"sort_index", track}});
    for (const span& span : lane.spans) {
      ordered_json arguments = ordered_json::object();
      for (const fact& one : facts_.of(span)) arguments[one.name] = escaped(one.value);
      ordered_json event{
          {"ph", is_instant(span.activity) ? "i" : "X"},
          {"name", escaped(span.labels.empty() ? look_of(span.activity).meaning : span.labels.front())},
          {"cat", look_of(span.activity).meaning},
          {"pid", process},
          {"tid", track},
          {"ts", microseconds(span.start)}};
      if (is_instant(span.activity)) {
        event["s"] = "t";
      } else {
        event["dur"] = static_cast<double>((span.end - span.start).count()) / 1000;
        const slice drawn{process, track, span.start, span.end};
        if (span.call != 0) calls_[span.call] = drawn;
        if (span.operation != 0 && lane.group == lane_group::stream) operations_[span.operation] = drawn;
      }
      event["args"] = std::move(arguments);
      events_.push_back(std::move(event));
    }
  }

  /// The slice that an operation is, or, for an event record, that of what was recorded.
  std::optional<slice> slice_of(trace::operation_id id) const {
    for (; id != 0; id = before_in_stream(id)) {
      if (const auto found = operations_.find(id); found != operations_.end()) return found->second;
      if (part_.recording->operation_at(id).kind != trace::operation_kind::event_record) break;
    }
    return std::nullopt;
  }

  trace::operation_id before_in_stream(trace::operation_id id) const {
    for (const trace::constraint& constraint : facts_.waited_for(id)) {
      if (constraint.kind == trace::constraint_kind::stream_order) return constraint.operation;
    }
    return 0;
  }

  void add_arrows() {
    for (const auto& [id, drawn] : operations_) {
      const auto call = calls_.find(part_.recording->operation_at(id).issued_by);
      if (call != calls_.end()) add_arrow("issue", call->second, call->second.start, drawn);
      for (const trace::constraint& constraint : facts_.waited_for(id)) {
        const std::optional<slice> source = slice_of(constraint.operation);
        // An arrow belongs to the slice that is open at its time: at its end a slice no longer is.
        if (source && source->end > source->start) {
          add_arrow("wait", *source, source->end - trace::nanoseconds{1}, drawn);
        }
      }
    }
  }

  void add_arrow(std::string_view text, const slice& from, trace::nanoseconds time, const slice& to) {
    const auto add_end = [&](std::string_view phase, const slice& place, trace::nanoseconds when) {
      events_.push_back({{"ph", phase},
                         {"id", arrows_},
                         {"name", text},
                         {"cat", text},
                         {"pid", place.process},
                         {"tid", place.track},
                         {"ts", microseconds(when)}});
    };
    ++arrows_;
    add_end("s", from, time);
    add_end("f", to, to.start);
    events_.back()["bp"] = "e";
  }

  const analysis::part& part_;
  const span_facts facts_;
  ordered_json events_ = ordered_json::array();
  std::map<trace::call_id, slice> calls_;
  std::map<trace::operation_id, slice> operations_;  // in their streams
  int arrows_ = 0;
};

}  // namespace

std::string timeline_perfetto(const trace::recording& recording, const std::string& part) {
  const drawable_part drawable = part_to_draw(recording, part);
  ordered_json summary{{"machine", machine_words(recording)}};
  ordered_json events = ordered_json::array();
  if (drawable.part) {
    summary["duration"] = duration_words(drawable.part->duration());
    summary["overlap"] = overlap_words(*drawable.part);
    events = trace_events(*drawable.part).events();
  } else {
    summary["problem"] = drawable.problem;
  }
  std::string text =
      "{\"displayTimeUnit\": \"ns\",\n\"otherData\": " + summary.dump() + ",\n\"traceEvents\": [";
  for (const ordered_json& event : events) text += (text.ends_with('[') ? "\n" : ",\n") + event.dump();
  return text + "\n]}\n";
}

}  // namespace report
