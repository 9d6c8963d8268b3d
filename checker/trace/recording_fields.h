// recording_fields.h: the stored name of each field and of each list of a recording, once, for the writers and readers of JSON
// (recording_json.h) and of bytes (recording_bytes.h).
//
//     each_field(entry_type<operation>(), [&](std::string_view name, auto member) { put(name, entry.*member); });
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/recording.h"

namespace trace {

/// What is stored ahead of the lists.
struct recording_header {
  std::string backend{};
  std::string profile{};
  schedule_kind schedule = schedule_kind::as_is;
  nanoseconds end{0};
  std::size_t calls = 0;
  std::size_t operations = 0;
  bool has_host_accesses = false;
};

inline recording_header header_of(const recording& recording) {
  return {recording.backend,
          recording.profile,
          recording.schedule,
          recording.end,
          recording.calls.size(),
          recording.operations.size(),
          recording.host_accesses.has_value()};
}

/// Names the struct whose fields are wanted.
template <typename Entry>
struct entry_type {};

// each_field(entry_type<Entry>(), visit) calls visit(name, pointer to member) for each field of the struct in the stored order.

template <typename Visit>
constexpr void each_field(entry_type<recording_header>, Visit&& visit) {
  visit("backend", &recording_header::backend);
  visit("profile", &recording_header::profile);
  visit("schedule", &recording_header::schedule);
  visit("end", &recording_header::end);
  visit("calls", &recording_header::calls);
  visit("operations", &recording_header::operations);
  visit("has_host_accesses", &recording_header::has_host_accesses);
}
template <typename Visit>
constexpr void each_field(entry_type<source_file>, Visit&& visit) {
  visit("path", &source_file::path);
  visit("is_given", &source_file::is_external);
}
template <typename Visit>
constexpr void each_field(entry_type<caller_lines>, Visit&& visit) {
  visit("lines", &caller_lines::lines);
}
template <typename Visit>
constexpr void each_field(entry_type<access>, Visit&& visit) {
  visit("allocation", &access::allocation);
  visit("mode", &access::mode);
  visit("bytes", &access::bytes);
  visit("where", &access::where);
  visit("step", &access::step);
}
template <typename Visit>
constexpr void each_field(entry_type<constraint>, Visit&& visit) {
  visit("kind", &constraint::kind);
  visit("operation", &constraint::operation);
  visit("call", &constraint::call);
  visit("until", &constraint::until);
}
template <typename Visit>
constexpr void each_field(entry_type<block_time>, Visit&& visit) {
  visit("blocks", &block_time::blocks);
  visit("duration", &block_time::duration);
}
template <typename Visit>
constexpr void each_field(entry_type<operation>, Visit&& visit) {
  visit("id", &operation::id);
  visit("kind", &operation::kind);
  visit("stream", &operation::stream);
  visit("device", &operation::device);
  visit("name", &operation::name);
  visit("issued_by", &operation::issued_by);
  visit("issued", &operation::issued);
  visit("start", &operation::start);
  visit("end", &operation::end);
  visit("bytes", &operation::bytes);
  visit("source", &operation::source);
  visit("destination", &operation::destination);
  visit("grid", &operation::grid);
  visit("block", &operation::block);
  visit("integers", &operation::integers);
  visit("shared_memory_bytes", &operation::shared_memory_bytes);
  visit("block_times", &operation::block_times);
  visit("prints", &operation::prints);
  visit("priority", &operation::priority);
  visit("event", &operation::event);
  visit("captured", &operation::captured);
  visit("graph_launch", &operation::graph_launch);
  visit("defined_by", &operation::defined_by);
  visit("after", &operation::after);
  visit("waited_for", &operation::waited_for);
  visit("accesses", &operation::accesses);
}
template <typename Visit>
constexpr void each_field(entry_type<host_call>, Visit&& visit) {
  visit("id", &host_call::id);
  visit("function", &host_call::function);
  visit("other_name", &host_call::other_name);
  visit("thread", &host_call::thread);
  visit("start", &host_call::start);
  visit("end", &host_call::end);
  visit("error_code", &host_call::error_code);
  visit("error_name", &host_call::error_name);
  visit("is_result_unused", &host_call::is_result_unused);
  visit("where", &host_call::where);
  visit("stream", &host_call::stream);
  visit("event", &host_call::event);
  visit("operation", &host_call::operation);
  visit("captured", &host_call::captured);
  visit("allocation", &host_call::allocation);
  visit("device", &host_call::device);
  visit("asked_device", &host_call::asked_device);
  visit("waited_for", &host_call::waited_for);
  visit("staging", &host_call::staging);
}
template <typename Visit>
constexpr void each_field(entry_type<stream>, Visit&& visit) {
  visit("id", &stream::id);
  visit("device", &stream::device);
  visit("kind", &stream::kind);
  visit("blocking", &stream::blocking);
  visit("priority", &stream::priority);
  visit("created_by", &stream::created_by);
  visit("destroyed_by", &stream::destroyed_by);
  visit("overwritten_by", &stream::overwritten_by);
  visit("name", &stream::name);
}
template <typename Visit>
constexpr void each_field(entry_type<event>, Visit&& visit) {
  visit("id", &event::id);
  visit("device", &event::device);
  visit("has_timing", &event::has_timing);
  visit("created_by", &event::created_by);
  visit("destroyed_by", &event::destroyed_by);
  visit("overwritten_by", &event::overwritten_by);
}
template <typename Visit>
constexpr void each_field(entry_type<allocation>, Visit&& visit) {
  visit("id", &allocation::id);
  visit("kind", &allocation::kind);
  visit("device", &allocation::device);
  visit("bytes", &allocation::bytes);
  visit("allocated_by", &allocation::allocated_by);
  visit("freed_by", &allocation::freed_by);
  visit("name", &allocation::name);
  visit("declared", &allocation::declared);
}
template <typename Visit>
constexpr void each_field(entry_type<host_access>, Visit&& visit) {
  visit("thread", &host_access::thread);
  visit("after", &host_access::after);
  visit("where", &host_access::where);
  visit("access", &host_access::access);
  visit("step", &host_access::step);
}
template <typename Visit>
constexpr void each_field(entry_type<host_edge>, Visit&& visit) {
  visit("from_operation", &host_edge::from_operation);
  visit("from", &host_edge::from);
  visit("from_after", &host_edge::from_after);
  visit("to_operation", &host_edge::to_operation);
  visit("to", &host_edge::to);
  visit("to_after", &host_edge::to_after);
  visit("from_step", &host_edge::from_step);
  visit("to_step", &host_edge::to_step);
  visit("is_join", &host_edge::is_join);
  visit("where", &host_edge::where);
}
template <typename Visit>
constexpr void each_field(entry_type<region_thread>, Visit&& visit) {
  visit("region", &region_thread::region);
  visit("number", &region_thread::number);
  visit("thread", &region_thread::thread);
  visit("after", &region_thread::after);
  visit("until", &region_thread::until);
  visit("first_step", &region_thread::first_step);
  visit("last_step", &region_thread::last_step);
  visit("where", &region_thread::where);
}
template <typename Visit>
constexpr void each_field(entry_type<diagnostic>, Visit&& visit) {
  visit("kind", &diagnostic::kind);
  visit("message", &diagnostic::message);
  visit("call", &diagnostic::call);
  visit("where", &diagnostic::where);
  visit("earlier", &diagnostic::earlier);
}
template <typename Visit>
constexpr void each_field(entry_type<mark>, Visit&& visit) {
  visit("name", &mark::name);
  visit("time", &mark::time);
  visit("after", &mark::after);
  visit("after_operation", &mark::after_operation);
  visit("where", &mark::where);
}
template <typename Visit>
constexpr void each_field(entry_type<named_range>, Visit&& visit) {
  visit("name", &named_range::name);
  visit("domain", &named_range::domain);
  visit("thread", &named_range::thread);
  visit("start", &named_range::start);
  visit("end", &named_range::end);
  visit("category", &named_range::category);
  visit("colour", &named_range::colour);
  visit("payload", &named_range::payload);
  visit("where", &named_range::where);
}
template <typename Visit>
constexpr void each_field(entry_type<residency>, Visit&& visit) {
  visit("operation", &residency::operation);
  visit("multiprocessor", &residency::multiprocessor);
  visit("multiprocessors", &residency::multiprocessors);
  visit("blocks", &residency::blocks);
  visit("start", &residency::start);
  visit("end", &residency::end);
}
template <typename Visit>
constexpr void each_field(entry_type<device>, Visit&& visit) {
  visit("ordinal", &device::ordinal);
  visit("name", &device::name);
  visit("compute_capability", &device::compute_capability);
  visit("multiprocessors", &device::multiprocessors);
  visit("copy_engines", &device::copy_engines);
}
template <typename Visit>
constexpr void each_field(entry_type<kernel_parameters>, Visit&& visit) {
  visit("kernel", &kernel_parameters::kernel);
  visit("integers", &kernel_parameters::integers);
}

template <typename Entry>
constexpr int field_count() {
  int count = 0;
  each_field(entry_type<Entry>(), [&](std::string_view, auto) { ++count; });
  return count;
}

/// Calls visit(type, list) for each list of the recording in the stored order; host accesses only when they are known.
template <typename Recording, typename Visit>
void each_list(Recording& recording, Visit&& visit) {
  visit("file", recording.files);
  visit("callers", recording.callers);
  visit("device", recording.devices);
  visit("kernel", recording.kernels);
  visit("stream", recording.streams);
  visit("event", recording.events);
  visit("allocation", recording.allocations);
  visit("call", recording.calls);
  visit("operation", recording.operations);
  if (recording.host_accesses) visit("host_access", *recording.host_accesses);
  visit("host_edge", recording.host_edges);
  visit("region_thread", recording.region_threads);
  visit("diagnostic", recording.diagnostics);
  visit("mark", recording.marks);
  visit("range", recording.ranges);
  visit("residency", recording.residencies);
}

}  // namespace trace
