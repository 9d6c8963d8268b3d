// recording_fields.h: the stored name of every field of every struct of a recording, once, for writer and
// reader.
//
// each_field(visit, tag<T>) calls visit(name, pointer to member) for each field of T, in the stored order;
// words<E> lists the words of an enum. Only for recording_json.cpp.
//
//     each_field([&](std::string_view name, auto member) { put(name, entry.*member); }, tag<operation>());
#pragma once

#include <string_view>
#include <utility>

#include "trace/recording.h"

namespace trace {

template <typename Entry>
/// Chooses an overload by the type of an entry.
struct tag {};

template <typename Enum>
/// How the values of an enumeration are stored: each specialisation has a list.
struct words;

template <>
struct words<memory_kind> {
  static constexpr std::pair<memory_kind, std::string_view> list[] = {{memory_kind::pageable, "pageable"},
                                                                      {memory_kind::pinned, "pinned"},
                                                                      {memory_kind::device, "device"},
                                                                      {memory_kind::managed, "managed"}};
};

template <>
struct words<operation_kind> {
  static constexpr std::pair<operation_kind, std::string_view> list[] = {
      {operation_kind::kernel, "kernel"},
      {operation_kind::copy, "copy"},
      {operation_kind::memset, "memset"},
      {operation_kind::event_record, "event_record"},
      {operation_kind::event_wait, "event_wait"},
      {operation_kind::host_function, "host_function"},
      {operation_kind::graph_launch, "graph_launch"},
      {operation_kind::allocate, "allocate"},
      {operation_kind::release, "release"},
      {operation_kind::prefetch, "prefetch"},
      {operation_kind::attach, "attach"}};
};

template <>
struct words<access_mode> {
  static constexpr std::pair<access_mode, std::string_view> list[] = {
      {access_mode::read, "read"}, {access_mode::write, "write"}, {access_mode::atomic, "atomic"}};
};

template <>
struct words<constraint_kind> {
  static constexpr std::pair<constraint_kind, std::string_view> list[] = {
      {constraint_kind::host_issue, "host_issue"},
      {constraint_kind::stream_order, "stream_order"},
      {constraint_kind::event, "event"},
      {constraint_kind::legacy_default, "legacy_default"},
      {constraint_kind::engine_busy, "engine_busy"},
      {constraint_kind::work_queue, "work_queue"},
      {constraint_kind::no_room, "no_room"},
      {constraint_kind::staging, "staging"},
      {constraint_kind::withheld_signal, "withheld_signal"},
      {constraint_kind::implicit_synchronization, "implicit_synchronization"},
      {constraint_kind::graph_edge, "graph_edge"}};
};

template <>
struct words<stream_kind> {
  static constexpr std::pair<stream_kind, std::string_view> list[] = {
      {stream_kind::legacy_default, "legacy_default"},
      {stream_kind::per_thread_default, "per_thread_default"},
      {stream_kind::created, "created"}};
};

template <>
struct words<stream_blocking> {
  static constexpr std::pair<stream_blocking, std::string_view> list[] = {
      {stream_blocking::blocking, "blocking"}, {stream_blocking::non_blocking, "non_blocking"}};
};

template <typename Visit>
void each_field(Visit&& visit, tag<source_file>) {
  visit("path", &source_file::path);
  visit("is_given", &source_file::is_given);
}

template <typename Visit>
void each_field(Visit&& visit, tag<access>) {
  visit("allocation", &access::allocation);
  visit("mode", &access::mode);
  visit("bytes", &access::bytes);
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
  visit("name", &host_call::name);
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
