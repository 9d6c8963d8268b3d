#include "report/timeline/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "report/wording/operation_names.h"
#include "trace/call_promise.h"

namespace report {
namespace {

using trace::nanoseconds;
using trace::operation;
using trace::operation_kind;

/// Engines from top to bottom, the usual way of the data first.
enum class engine { to_device, kernels, to_host, on_device, on_host, any_copy, memory_set, host_functions };

struct engine_look {
  std::string_view lane_name;
  activity fill;
};

engine_look look_of(engine which) {
  switch (which) {
    case engine::to_device:
      return {"H2D copies", activity::copy_to_device};
    case engine::kernels:
      return {"kernels", activity::kernel};
    case engine::to_host:
      return {"D2H copies", activity::copy_to_host};
    case engine::on_device:
      return {"D2D copies", activity::copy_other};
    case engine::on_host:
      return {"H2H copies", activity::copy_other};
    case engine::any_copy:
      return {"copies", activity::copy_other};
    case engine::memory_set:
      return {"memsets", activity::set_memory};
    case engine::host_functions:
      return {"host functions", activity::host_code};
  }
  throw std::logic_error("an engine without a look");
}

engine engine_of(const operation& operation) {
  switch (operation.kind) {
    case operation_kind::kernel:
      return engine::kernels;
    case operation_kind::memset:
      return engine::memory_set;
    case operation_kind::host_function:
      return engine::host_functions;
    default:
      break;
  }
  if (!operation.source || !operation.destination) return engine::any_copy;
  switch (trace::direction_of(operation)) {
    case trace::copy_direction::host_to_device:
      return engine::to_device;
    case trace::copy_direction::device_to_host:
      return engine::to_host;
    case trace::copy_direction::device_to_device:
      return engine::on_device;
    case trace::copy_direction::host_to_host:
      return engine::on_host;
  }
  throw std::logic_error("a copy without a direction");
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

std::string stream_name(const trace::stream& stream) {
  switch (stream.kind) {
    case trace::stream_kind::legacy_default:
      return "default stream";
    case trace::stream_kind::per_thread_default:
      return fmt::format("per-thread {}", stream.id);
    case trace::stream_kind::created:
      return stream.name.empty() ? fmt::format("stream {}", stream.id) : stream.name;
  }
  throw std::logic_error("a stream without a kind");
}

span span_of(const trace::recording& recording, const trace::host_call& call) {
  if (trace::effect_of(call) == trace::call_effect::works_on_host)
    return {call.start, call.end, activity::host_code, {"host_work", "work"}, 0, call.id};
  const activity fill = trace::host_waits_in(recording, call) ? activity::wait : activity::call;
  return {call.start, call.end, fill, {std::string(name_of(call))}, 0, call.id};
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

bool is_moment(activity activity) {
  return activity == activity::record_event || activity == activity::wait_for_event;
}

std::string_view meaning_of(activity activity) {
  switch (activity) {
    case activity::call:
      return "host in a call";
    case activity::wait:
      return "host waits";
    case activity::host_code:
      return "host works";
    case activity::copy_to_device:
      return "copy to the GPU";
    case activity::copy_to_host:
      return "copy to the host";
    case activity::copy_other:
      return "other copy";
    case activity::set_memory:
      return "memset";
    case activity::kernel:
      return "kernel";
    case activity::record_event:
      return "event recorded";
    case activity::wait_for_event:
      return "waited for event";
  }
  throw std::logic_error("an activity without a meaning");
}

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
  std::map<std::pair<std::uint32_t, engine>, std::vector<span>> engines;
  std::map<trace::stream_id, std::vector<span>> streams;
  const operation_names names(recording);
  std::set<std::uint32_t> devices;
  for (const trace::operation_id id : part.operations) {
    const operation& operation = recording.operation_at(id);
    if (operation.kind == operation_kind::graph_launch) continue;  // its nodes are drawn
    if (is_bookkeeping(operation)) continue;
    if (is_event(operation)) {
      streams[operation.stream].push_back(event_span(operation, labels_of(names, id)));
      continue;
    }
    const engine which = engine_of(operation);
    const span drawn{operation.start,      operation.end, look_of(which).fill,
                     labels_of(names, id), operation.id,  0};
    engines[{operation.device, which}].push_back(drawn);
    streams[operation.stream].push_back(drawn);
    devices.insert(operation.device);
  }

  std::vector<lane> lanes;
  add_host_lanes(lanes, part);
  for (auto& [key, spans] : engines) {
    const auto& [device, which] = key;
    sort_by_start(spans);
    const std::string prefix = devices.size() > 1 ? fmt::format("GPU {} ", device) : "";
    add_rows(lanes, lane_group::engine, prefix + std::string(look_of(which).lane_name), std::move(spans));
  }
  for (auto& [id, spans] : streams) {
    sort_by_start(spans);
    const trace::stream& stream = recording.stream_at(id);
    const std::string prefix = devices.size() > 1 ? fmt::format("GPU {} ", stream.device) : "";
    add_rows(lanes, lane_group::stream, prefix + stream_name(stream), std::move(spans));
  }
  return lanes;
}

}  // namespace report
