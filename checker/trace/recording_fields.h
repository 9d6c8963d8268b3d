// recording_fields.h: the stored name of every field of every struct of a recording, once, for writer and
// reader.
//
// each_field(visit, tag<T>) calls visit(name, pointer to member) for each field of T, in the stored order.
// Only for the reader and the writer.
//
//     each_field([&](std::string_view name, auto member) { put(name, entry.*member); }, tag<operation>());
#pragma once

#include <string_view>

#include "trace/recording.h"

namespace trace {

template <typename Entry>
/// Chooses an overload by the type of an entry.
struct tag {};

template <typename Visit>
void each_field(Visit&& visit, tag<source_file>) {
  visit("path", &source_file::path);
  visit("is_given", &source_file::is_external);
}

template <typename Visit>
void each_field(Visit&& visit, tag<access>) {
  visit("allocation", &access::allocation);
  visit("mode", &access::mode);
  visit("bytes", &access::bytes);
  visit("where", &access::where);
}

template <typename Visit>
void each_field(Visit&& visit, tag<constraint>) {
  visit("kind", &constraint::kind);
  visit("operation", &constraint::operation);
  visit("call", &constraint::call);
  visit("until", &constraint::until);
}

template <typename Visit>
void each_field(Visit&& visit, tag<block_time>) {
  visit("blocks", &block_time::blocks);
  visit("duration", &block_time::duration);
}

template <typename Visit>
void each_field(Visit&& visit, tag<operation>) {
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
  visit("shared_memory_bytes", &operation::shared_memory_bytes);
  visit("block_times", &operation::block_times);
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
void each_field(Visit&& visit, tag<host_call>) {
  visit("id", &host_call::id);
  visit("function", &host_call::function);
  visit("other_name", &host_call::other_name);
  visit("thread", &host_call::thread);
  visit("start", &host_call::start);
  visit("end", &host_call::end);
  visit("error_code", &host_call::error_code);
  visit("error_name", &host_call::error_name);
  visit("where", &host_call::where);
  visit("stream", &host_call::stream);
  visit("event", &host_call::event);
  visit("operation", &host_call::operation);
  visit("captured", &host_call::captured);
  visit("allocation", &host_call::allocation);
  visit("device", &host_call::device);
  visit("waited_for", &host_call::waited_for);
  visit("staging", &host_call::staging);
}

template <typename Visit>
void each_field(Visit&& visit, tag<stream>) {
  visit("id", &stream::id);
  visit("device", &stream::device);
  visit("kind", &stream::kind);
  visit("blocking", &stream::blocking);
  visit("priority", &stream::priority);
  visit("created_by", &stream::created_by);
  visit("destroyed_by", &stream::destroyed_by);
  visit("name", &stream::name);
}

template <typename Visit>
void each_field(Visit&& visit, tag<event>) {
  visit("id", &event::id);
  visit("device", &event::device);
  visit("has_timing", &event::has_timing);
  visit("created_by", &event::created_by);
  visit("destroyed_by", &event::destroyed_by);
}

template <typename Visit>
void each_field(Visit&& visit, tag<allocation>) {
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
void each_field(Visit&& visit, tag<host_access>) {
  visit("thread", &host_access::thread);
  visit("after", &host_access::after);
  visit("where", &host_access::where);
  visit("access", &host_access::access);
  visit("step", &host_access::step);
}

template <typename Visit>
void each_field(Visit&& visit, tag<host_edge>) {
  visit("from_operation", &host_edge::from_operation);
  visit("from", &host_edge::from);
  visit("from_after", &host_edge::from_after);
  visit("to_operation", &host_edge::to_operation);
  visit("to", &host_edge::to);
  visit("to_after", &host_edge::to_after);
  visit("from_step", &host_edge::from_step);
  visit("to_step", &host_edge::to_step);
}

template <typename Visit>
void each_field(Visit&& visit, tag<diagnostic>) {
  visit("kind", &diagnostic::kind);
  visit("message", &diagnostic::message);
  visit("call", &diagnostic::call);
  visit("where", &diagnostic::where);
}

template <typename Visit>
void each_field(Visit&& visit, tag<mark>) {
  visit("name", &mark::name);
  visit("time", &mark::time);
  visit("after", &mark::after);
  visit("after_operation", &mark::after_operation);
}

template <typename Visit>
void each_field(Visit&& visit, tag<device>) {
  visit("ordinal", &device::ordinal);
  visit("name", &device::name);
  visit("compute_capability", &device::compute_capability);
  visit("multiprocessors", &device::multiprocessors);
  visit("copy_engines", &device::copy_engines);
}

}  // namespace trace
