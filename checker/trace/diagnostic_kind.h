// diagnostic_kind.h: the kinds of diagnostics. Their published words are in words.h.
#pragma once

namespace trace {

/// What a diagnostic reports.
enum class diagnostic_kind {
  not_supported,               ///< the virtual GPU does not model it: the call fails
  not_modelled,                ///< the call succeeds without its effect
  refused,                     ///< why a call failed
  managed_memory_moved,        ///< what stood still while pages moved
  no_source_lines,             ///< addresses could not be turned into lines
  not_recorded,                ///< nothing could be recorded on the GPU
  lost_records,                ///< records of the device's work are missing
  not_attributed,              ///< work whose stream is not known is left out
  other_work,                  ///< another process used the GPU
  host_thread_stood,           ///< where a host thread was when the run was ended, and for what it waited
  woken_without_notification,  ///< a host thread has not asked again for what it waited for
  cuda_call_in_host_function,
  argument_of_host_function_gone,
  stream_of_another_device,
  wrong_copy_kind,   ///< the copy is done in the direction of the memory; the manual calls that undefined
  object_too_small,  ///< a call reads or writes more bytes than the object has to which an argument points
  freed_while_registered,
  used_before_allocation,
  use_after_free,
  kernel_not_launched,
  output_not_shown,
  output_lost,
  never_ended,
  host_memory_fault,
  host_used_freed_memory,  ///< `earlier` is where it was freed
  host_used_device_variable,
  host_used_managed_memory_of_busy_device,
  device_function_in_host_code,
  deadlock,
  trap,
  assertion,
  barrier_mismatch,
  warp_mismatch,
  not_cooperative,
  too_much_shared_memory,
  misaligned_address,
  null_pointer,
  kernel_used_host_memory,
  no_peer_access,
  out_of_bounds,
  shared_memory_race,  ///< `earlier` is the other access
  graph_leak,          ///< the call made a graph, or an executable one, that is never destroyed
};

/// True for errors of the program. The other kinds explain a failed call or describe the recording.
constexpr bool is_misuse(diagnostic_kind kind) { return kind >= diagnostic_kind::cuda_call_in_host_function; }

}  // namespace trace
