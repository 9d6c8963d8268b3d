#include "report/timeline/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "analysis/copy_devices.h"
#include "report/enum_table.h"
#include "report/text_layout.h"
#include "report/wording/names.h"
#include "report/wording/operation_names.h"
#include "trace/call_promise.h"

namespace report {
namespace {

using trace::nanoseconds;
using trace::operation;
using trace::operation_kind;

/// Engines from top to bottom, the usual way of the data first.
enum class engine_lane {
  to_device,
  kernels,
  to_host,
  on_device,
  between_devices,
  on_host,
  any_copy,
  memory_set,
  host_functions
};

struct engine_row {
  engine_lane lane;
  std::string_view lane_name;
  report::activity activity;
};

constexpr engine_row engines[] = {
    {engine_lane::to_device, "H2D copies", activity::copy_to_device},
    {engine_lane::kernels, "kernels", activity::kernel},
    {engine_lane::to_host, "D2H copies", activity::copy_to_host},
    {engine_lane::on_device, "D2D copies", activity::copy_other},
    {engine_lane::between_devices, "peer copies", activity::copy_other},
    {engine_lane::on_host, "H2H copies", activity::copy_other},
    {engine_lane::any_copy, "copies", activity::copy_other},
    {engine_lane::memory_set, "memsets", activity::set_memory},
    {engine_lane::host_functions, "host functions", activity::host_code},
};
static_assert(has_all_rows<&engine_row::lane>(engines, engine_lane::host_functions));

struct activity_row {
  report::activity activity;
  activity_look look;
};

constexpr activity_row activities[] = {
    {activity::call, {"host in a call", "call", "━", "~"}},
    {activity::wait, {"host waits", "wait", "┄", "."}},
    {activity::host_code, {"host works", "host_code", "▓", "%"}},
    {activity::copy_to_device, {"copy to the GPU", "copy_to_device", "▒", ">"}},
    {activity::copy_to_host, {"copy to the host", "copy_to_host", "░", "<"}},
    {activity::copy_other, {"other copy", "copy_other", "▚", "="}},
    {activity::set_memory, {"memset", "set_memory", "≡", "0"}},
    {activity::kernel, {"kernel", "kernel", "█", "#"}},
    {activity::record_event, {"event recorded", "record_event", "◆", "*"}},
    {activity::wait_for_event, {"waited for event", "wait_for_event", "◇", "^"}},
    {activity::named_range, {"named range", "named_range", "═", "_"}},
    {activity::named_mark, {"named mark", "named_mark", "◈", "!"}},
};
static_assert(has_all_rows<&activity_row::activity>(activities, activity::named_mark));

engine_lane engine_of(const trace::recording& recording, const operation& operation) {
  switch (operation.kind) {
    case operation_kind::kernel:
      return engine_lane::kernels;
    case operation_kind::memset:
      return engine_lane::memory_set;
    case operation_kind::host_function:
      return engine_lane::host_functions;
    default:
      break;
  }
  if (!operation.source || !operation.destination) return engine_lane::any_copy;
  if (analysis::devices_between(recording, operation)) return engine_lane::between_devices;
  static constexpr engine_lane by_direction[] = {engine_lane::to_device, engine_lane::to_host,
                                                 engine_lane::on_device, engine_lane::on_host};
  return by_direction[static_cast<int>(trace::direction_of(operation))];
}

/// Takes no time of the device, and orders nothing that a picture shows.
bool is_bookkeeping(const operation& operation) {
  return operation.kind == operation_kind::allocate || operation.kind == operation_kind::release ||
         operation.kind == operation_kind::attach;
}

bool is_event(const operation& operation) {
  return operation.kind == operation_kind::event_record || operation.kind == operation_kind::event_wait;
}

std::vector<std::string> labels_of(const operation_names& names, trace::operation_id id) {
  return {names.of(id), std::to_string(names.number_of(id))};
}

span event_span(const operation& operation, std::vector<std::string> labels) {
  const auto fill =
      operation.kind == operation_kind::event_record ? activity::record_event : activity::wait_for_event;
  return {operation.end, operation.end, fill, std::move(labels), operation.id, 0};
}

/// Splits spans (in order of start) into as few lanes as hold them without overlap.
void add_rows(std::vector<lane>& lanes, lane_group group, const std::string& name, std::vector<span> spans) {
  const std::size_t first = lanes.size();
  for (span& next : spans) {
    const auto row = std::find_if(lanes.begin() + first, lanes.end(),
                                  [&](const lane& above) { return above.spans.back().end <= next.start; });
    if (row != lanes.end()) {
      row->spans.push_back(std::move(next));
    } else {
      lanes.push_back({lanes.size() == first ? name : "", group, {std::move(next)}});
    }
  }
}

void sort_by_start(std::vector<span>& spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const span& left, const span& right) { return left.start < right.start; });
}

std::string stream_name(const trace::recording& recording, const trace::stream& stream) {
  switch (stream.kind) {
    case trace::stream_kind::legacy_default:
      return "default stream";
    case trace::stream_kind::per_thread_default:
      return fmt::format("per-thread {}", thread_of(recording, stream));
    case trace::stream_kind::created:
      return stream.name.empty() ? fmt::format("stream {}", number_of(recording, stream.id)) : stream.name;
  }
  throw std::logic_error("a stream without a kind");
}

span span_of(const trace::recording& recording, const trace::host_call& call) {
  if (trace::effect_of(call) == trace::call_effect::works_on_host)
    return {call.start, call.end, activity::host_code, {"host_work", "work"}, 0, call.id};
  const activity fill = trace::host_waits_in(recording, call) ? activity::wait : activity::call;
  return {call.start, call.end, fill, {std::string(name_of(call))}, 0, call.id};
}

/// Of the part, as far as it goes; ranges inside others are in lanes of their own.
void add_ranges(std::vector<lane>& lanes, const analysis::part& part) {
  const nanoseconds end = part.begin + part.duration();
  std::map<trace::thread_id, std::vector<span>> threads;
  for (std::size_t i = 0; i < part.recording->ranges.size(); ++i) {
    const trace::named_range& range = part.recording->ranges[i];
    if (range.end < part.begin || range.start > end) continue;
    const activity fill = range.start == range.end ? activity::named_mark : activity::named_range;
    threads[range.thread].push_back({std::max(range.start, part.begin),
                                     std::min(range.end, end),
                                     fill,
                                     {escaped(range.name)},
                                     0,
                                     0,
                                     i + 1});
  }
  for (auto& [thread, spans] : threads) {
    sort_by_start(spans);
    add_rows(lanes, lane_group::host, thread == 1 ? "ranges" : fmt::format("ranges, thread {}", thread),
             std::move(spans));
  }
}

void add_host_lanes(std::vector<lane>& lanes, const analysis::part& part) {
  std::map<trace::thread_id, std::vector<span>> threads;
  for (const trace::call_id id : part.calls) {
    const trace::host_call& call = part.recording->call_at(id);
    threads[call.thread].push_back(span_of(*part.recording, call));
  }
  if (threads.empty()) lanes.push_back({"host", lane_group::host, {}});
  for (auto& [thread, spans] : threads) {
    const std::string name = threads.size() == 1 ? "host" : fmt::format("host thread {}", thread);
    lanes.push_back({name, lane_group::host, std::move(spans)});
  }
}

}  // namespace

bool is_instant(activity activity) {
  return activity == activity::record_event || activity == activity::wait_for_event ||
         activity == activity::named_mark;
}

const activity_look& look_of(activity activity) { return activities[static_cast<int>(activity)].look; }

std::size_t drop_surplus_streams(std::vector<lane>& lanes, std::size_t max_count) {
  const auto first = std::find_if(lanes.begin(), lanes.end(),
                                  [](const lane& lane) { return lane.group == lane_group::stream; });
  const auto streams = static_cast<std::size_t>(lanes.end() - first);
  if (streams <= max_count) return 0;
  lanes.erase(first + static_cast<std::ptrdiff_t>(max_count), lanes.end());
  return streams - max_count;
}

std::vector<lane> lanes_of(const analysis::part& part) {
  const trace::recording& recording = *part.recording;
  std::map<std::pair<std::uint32_t, engine_lane>, std::vector<span>> spans_of_engines;
  std::map<trace::stream_id, std::vector<span>> streams;
  const operation_names names(recording);
  std::set<std::uint32_t> devices;
  for (const trace::operation_id id : part.operations) {
    const operation& operation = recording.operation_at(id);
    if (operation.kind == operation_kind::graph_launch) continue;  // its nodes are drawn
    if (is_bookkeeping(operation) || !trace::has_ended(operation)) continue;
    if (is_event(operation)) {
      streams[operation.stream].push_back(event_span(operation, labels_of(names, id)));
      continue;
    }
    const engine_lane which = engine_of(recording, operation);
    const span drawn{operation.start,      operation.end, engines[static_cast<int>(which)].activity,
                     labels_of(names, id), operation.id,  0};
    spans_of_engines[{operation.device, which}].push_back(drawn);
    streams[operation.stream].push_back(drawn);
    devices.insert(operation.device);
  }

  std::vector<lane> lanes;
  add_host_lanes(lanes, part);
  add_ranges(lanes, part);
  for (auto& [key, spans] : spans_of_engines) {
    const auto& [device, which] = key;
    sort_by_start(spans);
    const std::string prefix = devices.size() > 1 ? fmt::format("GPU {} ", device) : "";
    add_rows(lanes, lane_group::engine, prefix + std::string(engines[static_cast<int>(which)].lane_name),
             std::move(spans));
  }
  for (auto& [id, spans] : streams) {
    sort_by_start(spans);
    const trace::stream& stream = recording.stream_at(id);
    const std::string prefix = devices.size() > 1 ? fmt::format("GPU {} ", stream.device) : "";
    add_rows(lanes, lane_group::stream, prefix + stream_name(recording, stream), std::move(spans));
  }
  return lanes;
}

}  // namespace report
