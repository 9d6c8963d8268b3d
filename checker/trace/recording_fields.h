// recording_fields.h: the stored name of each field and of each list of a recording, once, for writer and reader.
//
//     each_field<operation>([&](std::string_view name, auto member) { put(name, entry.*member); });
#pragma once

#include <string_view>
#include <tuple>
#include <utility>

#include "trace/recording.h"

namespace trace {

/// A field of a struct and its stored name.
template <typename Entry, typename Value>
constexpr auto field(std::string_view name, Value Entry::*member) {
  return std::pair(name, member);
}

/// The fields of a struct in the stored order.
template <typename Entry>
inline constexpr std::tuple<> fields_of;
template <>
inline constexpr auto fields_of<source_file> = std::tuple(field("path", &source_file::path),
                                                          field("is_given", &source_file::is_external));
template <>
inline constexpr auto fields_of<caller_lines> = std::make_tuple(field("lines", &caller_lines::lines));
template <>
inline constexpr auto fields_of<access> = std::tuple(field("allocation", &access::allocation),
                                                     field("mode", &access::mode),
                                                     field("bytes", &access::bytes),
                                                     field("where", &access::where));
template <>
inline constexpr auto fields_of<constraint> = std::tuple(field("kind", &constraint::kind),
                                                         field("operation", &constraint::operation),
                                                         field("call", &constraint::call),
                                                         field("until", &constraint::until));
template <>
inline constexpr auto fields_of<block_time> = std::tuple(field("blocks", &block_time::blocks),
                                                         field("duration", &block_time::duration));
template <>
inline constexpr auto fields_of<operation> = std::tuple(
    field("id", &operation::id), field("kind", &operation::kind), field("stream", &operation::stream),
    field("device", &operation::device), field("name", &operation::name),
    field("issued_by", &operation::issued_by), field("issued", &operation::issued),
    field("start", &operation::start), field("end", &operation::end), field("bytes", &operation::bytes),
    field("source", &operation::source), field("destination", &operation::destination),
    field("grid", &operation::grid), field("block", &operation::block),
    field("integers", &operation::integers), field("shared_memory_bytes", &operation::shared_memory_bytes),
    field("block_times", &operation::block_times), field("prints", &operation::prints),
    field("priority", &operation::priority), field("event", &operation::event),
    field("captured", &operation::captured), field("graph_launch", &operation::graph_launch),
    field("defined_by", &operation::defined_by), field("after", &operation::after),
    field("waited_for", &operation::waited_for), field("accesses", &operation::accesses));
template <>
inline constexpr auto fields_of<host_call> =
    std::tuple(field("id", &host_call::id), field("function", &host_call::function),
               field("other_name", &host_call::other_name), field("thread", &host_call::thread),
               field("start", &host_call::start), field("end", &host_call::end),
               field("error_code", &host_call::error_code), field("error_name", &host_call::error_name),
               field("is_result_unused", &host_call::is_result_unused), field("where", &host_call::where),
               field("stream", &host_call::stream), field("event", &host_call::event),
               field("operation", &host_call::operation), field("captured", &host_call::captured),
               field("allocation", &host_call::allocation), field("device", &host_call::device),
               field("asked_device", &host_call::asked_device), field("waited_for", &host_call::waited_for),
               field("staging", &host_call::staging));
template <>
inline constexpr auto fields_of<stream> =
    std::tuple(field("id", &stream::id), field("device", &stream::device), field("kind", &stream::kind),
               field("blocking", &stream::blocking), field("priority", &stream::priority),
               field("created_by", &stream::created_by), field("destroyed_by", &stream::destroyed_by),
               field("overwritten_by", &stream::overwritten_by), field("name", &stream::name));
template <>
inline constexpr auto fields_of<event> = std::tuple(field("id", &event::id), field("device", &event::device),
                                                    field("has_timing", &event::has_timing),
                                                    field("created_by", &event::created_by),
                                                    field("destroyed_by", &event::destroyed_by),
                                                    field("overwritten_by", &event::overwritten_by));
template <>
inline constexpr auto fields_of<allocation> =
    std::tuple(field("id", &allocation::id), field("kind", &allocation::kind),
               field("device", &allocation::device), field("bytes", &allocation::bytes),
               field("allocated_by", &allocation::allocated_by), field("freed_by", &allocation::freed_by),
               field("name", &allocation::name), field("declared", &allocation::declared));
template <>
inline constexpr auto fields_of<host_access> = std::tuple(field("thread", &host_access::thread),
                                                          field("after", &host_access::after),
                                                          field("where", &host_access::where),
                                                          field("access", &host_access::access),
                                                          field("step", &host_access::step));
template <>
inline constexpr auto fields_of<host_edge> =
    std::tuple(field("from_operation", &host_edge::from_operation), field("from", &host_edge::from),
               field("from_after", &host_edge::from_after), field("to_operation", &host_edge::to_operation),
               field("to", &host_edge::to), field("to_after", &host_edge::to_after),
               field("from_step", &host_edge::from_step), field("to_step", &host_edge::to_step),
               field("is_join", &host_edge::is_join), field("where", &host_edge::where));
template <>
inline constexpr auto fields_of<diagnostic> = std::tuple(field("kind", &diagnostic::kind),
                                                         field("message", &diagnostic::message),
                                                         field("call", &diagnostic::call),
                                                         field("where", &diagnostic::where),
                                                         field("earlier", &diagnostic::earlier));
template <>
inline constexpr auto fields_of<mark> = std::tuple(field("name", &mark::name), field("time", &mark::time),
                                                   field("after", &mark::after),
                                                   field("after_operation", &mark::after_operation),
                                                   field("where", &mark::where));
template <>
inline constexpr auto fields_of<named_range> =
    std::tuple(field("name", &named_range::name), field("domain", &named_range::domain),
               field("thread", &named_range::thread), field("start", &named_range::start),
               field("end", &named_range::end), field("category", &named_range::category),
               field("colour", &named_range::colour), field("payload", &named_range::payload),
               field("where", &named_range::where));
template <>
inline constexpr auto fields_of<residency> = std::tuple(field("operation", &residency::operation),
                                                        field("multiprocessor", &residency::multiprocessor),
                                                        field("multiprocessors", &residency::multiprocessors),
                                                        field("blocks", &residency::blocks),
                                                        field("start", &residency::start),
                                                        field("end", &residency::end));
template <>
inline constexpr auto fields_of<device> = std::tuple(field("ordinal", &device::ordinal),
                                                     field("name", &device::name),
                                                     field("compute_capability", &device::compute_capability),
                                                     field("multiprocessors", &device::multiprocessors),
                                                     field("copy_engines", &device::copy_engines));

template <>
inline constexpr auto fields_of<kernel_parameters> =
    std::tuple(field("kernel", &kernel_parameters::kernel), field("integers", &kernel_parameters::integers));

/// Calls visit(name, pointer to member) for each field of the struct.
template <typename Entry, typename Visit>
void each_field(Visit&& visit) {
  std::apply([&](const auto&... fields) { (visit(fields.first, fields.second), ...); }, fields_of<Entry>);
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
  visit("diagnostic", recording.diagnostics);
  visit("mark", recording.marks);
  visit("range", recording.ranges);
  visit("residency", recording.residencies);
}

}  // namespace trace
