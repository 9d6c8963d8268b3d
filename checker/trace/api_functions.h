// api_functions.h: the functions of the CUDA runtime API that a recording distinguishes, and their traits.
//
// The table is api_functions.inc: to add a function, add a row there. No other code decides from the name of a
// function. Functions without a row are `api_function::other` and recorded by name (host_call::other_name).
//
//     if (trace::traits_of(call.function).effect == trace::call_effect::launches_kernel) ...
#pragma once

#include <cstddef>
#include <string_view>

namespace trace {

/// A function of the CUDA runtime API, or host_work(). Launches with <<<>>> are cudaLaunchKernel.
enum class api_function {
  other,  ///< has no row in the table
#define FUNCTION(name, ...) name,
#include "trace/api_functions.inc"
#undef FUNCTION
};

/// The effect of a successful call on the objects of a recording.
enum class call_effect {
  none,
  creates_stream,
  destroys_stream,
  creates_event,
  destroys_event,
  records_event,
  waits_for_event,  ///< a stream does, not the host
  queues_host_function,
  queues_callback,
  launches_kernel,
  begins_capture,
  creates_graph,
  destroys_graph,
  instantiates_graph,
  updates_instantiated_graph,
  destroys_instantiated_graph,
  launches_graph,
  copies,
  sets_memory,
  prefetches,
  attaches,
  allocates,
  frees,
  registers_memory,
  unregisters_memory,
  synchronizes,
  queries,  ///< asks whether work is complete
  measures_time,
  asks_for_error,  ///< of the thread
  takes_error,     ///< asks for the error of the thread, and clears it
  asks_about_device,
  asks_about_priorities,  ///< of streams: which are the least and the greatest
  makes_device_current,
  asks_about_peer,      ///< whether a device can have access to the memory of another
  enables_peer_access,  ///< of the current device to the memory of another
  disables_peer_access,
  sets_pool,   ///< an attribute of a memory pool
  trims_pool,  ///< gives memory that a pool keeps back to the device
  works_on_host,
};

/// The work for which the host waits in a call.
enum class wait_target {
  nothing,
  stream,         ///< all earlier work of a stream; a query: when it says yes
  event,          ///< the last record of an event; a query: when it says yes
  device,         ///< all earlier work of the device
  idle_device,    ///< as `device`, with current drivers: a program must not rely on it
  own_operation,  ///< the copy or memset that the call issues, as its memory kinds promise: call_promise.h
};

/// The objects that a function takes or creates.
enum class named_object { nothing, stream, event, stream_and_event };

/// What a call does while streams capture.
/// @see CUDA Runtime API, "cudaThreadExchangeStreamCaptureMode"
enum class capture_rule {
  captured,          ///< in a capturing stream it becomes a node
  harmless,          ///< names a stream and does not affect its capture
  not_capturable,    ///< a stream cannot make a node of it
  unsafe,            ///< may wait for work that is being captured; not capturable either
  uncaptured_event,  ///< takes no event that was recorded in a capture
};

/// Whether a host function may make the call.
enum class host_function_rule {
  refused,   ///< cudaErrorNotPermitted
  answered,  ///< it works (on an H200), although the documentation forbids it
  allowed,
};

/// A row of the table.
struct api_function_traits {
  std::string_view name{};  ///< "" for `other`
  call_effect effect = call_effect::none;
  wait_target waits_for = wait_target::nothing;
  named_object names = named_object::nothing;
  capture_rule capture = capture_rule::captured;
  host_function_rule in_host_functions = host_function_rule::refused;
  bool is_for_pinned_memory = false;   ///< of those that allocate or free
  bool is_for_managed_memory = false;  ///< of those that allocate
};

/// Never fails: `other` has a row too.
const api_function_traits& traits_of(api_function function);

/// "cudaMemcpyAsync"; "" for `other`.
inline std::string_view name_of(api_function function) { return traits_of(function).name; }

/// Of the enumerators of api_function.
std::size_t api_function_count();

/// `other` when the table has no such name.
api_function function_named(std::string_view name);

}  // namespace trace
