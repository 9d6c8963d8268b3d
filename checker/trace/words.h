// words.h: the stored words of the enums of a recording.
//
//     trace::word_of(trace::schedule_kind::slow_copies)                  // "slow-copies"
//     trace::value_of<trace::schedule_kind>("slow-copies").has_value()   // true
#pragma once

#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "trace/recording.h"

namespace trace {

/// The words of an enum: each specialisation has a list.
template <typename Enum>
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
      {constraint_kind::graph_edge, "graph_edge"},
      {constraint_kind::completion, "completion"}};
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

template <>
struct words<diagnostic_kind> {
  static constexpr std::pair<diagnostic_kind, std::string_view> list[] = {
      {diagnostic_kind::not_supported, "not_supported"},
      {diagnostic_kind::not_modelled, "not_modelled"},
      {diagnostic_kind::refused, "refused"},
      {diagnostic_kind::managed_memory_moved, "managed_memory_moved"},
      {diagnostic_kind::no_source_lines, "no_source_lines"},
      {diagnostic_kind::not_recorded, "not_recorded"},
      {diagnostic_kind::lost_records, "lost_records"},
      {diagnostic_kind::not_attributed, "not_attributed"},
      {diagnostic_kind::other_work, "other_work"},
      {diagnostic_kind::host_thread_stood, "host_thread_stood"},
      {diagnostic_kind::woken_without_notification, "woken_without_notification"},
      {diagnostic_kind::cuda_call_in_host_function, "cuda_call_in_host_function"},
      {diagnostic_kind::argument_of_host_function_gone, "argument_of_host_function_gone"},
      {diagnostic_kind::stream_of_another_device, "stream_of_another_device"},
      {diagnostic_kind::wrong_copy_kind, "wrong_copy_kind"},
      {diagnostic_kind::object_too_small, "object_too_small"},
      {diagnostic_kind::freed_while_registered, "freed_while_registered"},
      {diagnostic_kind::used_before_allocation, "used_before_allocation"},
      {diagnostic_kind::use_after_free, "use_after_free"},
      {diagnostic_kind::kernel_not_launched, "kernel_not_launched"},
      {diagnostic_kind::output_not_shown, "output_not_shown"},
      {diagnostic_kind::output_lost, "output_lost"},
      {diagnostic_kind::never_ended, "never_ended"},
      {diagnostic_kind::host_memory_fault, "host_memory_fault"},
      {diagnostic_kind::host_used_freed_memory, "host_used_freed_memory"},
      {diagnostic_kind::host_used_device_variable, "host_used_device_variable"},
      {diagnostic_kind::host_used_managed_memory_of_busy_device, "host_used_managed_memory_of_busy_device"},
      {diagnostic_kind::device_function_in_host_code, "device_function_in_host_code"},
      {diagnostic_kind::deadlock, "deadlock"},
      {diagnostic_kind::trap, "trap"},
      {diagnostic_kind::assertion, "assert"},
      {diagnostic_kind::barrier_mismatch, "barrier_mismatch"},
      {diagnostic_kind::warp_mismatch, "warp_mismatch"},
      {diagnostic_kind::not_cooperative, "not_cooperative"},
      {diagnostic_kind::too_much_shared_memory, "too_much_shared_memory"},
      {diagnostic_kind::misaligned_address, "misaligned_address"},
      {diagnostic_kind::null_pointer, "null_pointer"},
      {diagnostic_kind::kernel_used_host_memory, "kernel_used_host_memory"},
      {diagnostic_kind::no_peer_access, "no_peer_access"},
      {diagnostic_kind::out_of_bounds, "out_of_bounds"},
      {diagnostic_kind::shared_memory_race, "shared_memory_race"},
      {diagnostic_kind::graph_leak, "graph_leak"}};
};

template <>
struct words<schedule_kind> {
  static constexpr std::pair<schedule_kind, std::string_view> list[] = {
      {schedule_kind::as_is, "as-is"},
      {schedule_kind::slow_copies, "slow-copies"},
      {schedule_kind::slow_kernels, "slow-kernels"},
      {schedule_kind::late_pageable, "late-pageable"}};
};

/// The word of a value; throws std::logic_error for a value outside its enum.
template <typename Enum>
constexpr std::string_view word_of(Enum value) {
  for (const auto& [known, word] : words<Enum>::list) {
    if (known == value) return word;
  }
  throw std::logic_error("word_of: a value outside its enum");
}
template <>
inline std::string_view word_of(api_function function) {
  return name_of(function);
}

/// The value with that word; nothing when there is none.
template <typename Enum>
constexpr std::optional<Enum> value_of(std::string_view word) {
  for (const auto& [value, known] : words<Enum>::list) {
    if (known == word) return value;
  }
  return std::nullopt;
}
template <>
inline std::optional<api_function> value_of(std::string_view word) {
  const api_function found = function_named(word);
  return found == api_function::other ? std::nullopt : std::optional(found);
}

}  // namespace trace
