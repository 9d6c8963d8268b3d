// mistake.h: what most likely is wrong where a criterion fails, as a stable word.
//
// The words name hints and are what wrong answers declare. Here: mistakes that no other enum names. Those of races are
// analysis::race_mistake, and those that keep work from overlapping explain::cause.
//
//     report::word_of(report::mistake::host_waits_early)   // "host_waits_early"
#pragma once

#include <string_view>

namespace report {

/// The probable mistake behind a failed criterion.
enum class mistake {
  // Calls
  failed_call,          ///< a CUDA call returned an error and did nothing
  error_not_returned,   ///< a call failed, and the function returned cudaSuccess
  error_invented,       ///< no call failed, and the function returned an error
  error_not_asked_for,  ///< the returned error is right, and CUDA was not asked
  error_left_behind,    ///< the error is still there for whoever asks next
  launch_not_tried,     ///< the launch that was asked for was not made
  // Data
  output_not_written,  ///< an element holds what the output held before the function began
  result_not_made,     ///< an element was copied back before a kernel had written it
  input_not_copied,    ///< an element was computed from what a buffer held before it was filled
  result_of_another_batch,
  result_of_another_step,  ///< what the place held one or more steps earlier
  result_of_another_call,  ///< what an earlier call of the function gave, for other data
  wrong_value,
  result_of_the_host,  ///< the result is right, and host code made it
  // The host
  nothing_queued,
  host_waits_early,       ///< the host waits before everything is queued
  host_task_missing,      ///< the work for the CPU was not done
  host_task_miscounted,   ///< it was done more or less often than asked for
  host_task_not_awaited,  ///< it need not be over when the function returns
  host_task_alone,        ///< it was done while the device had nothing to do
  thread_not_joined,      ///< a host thread may still run when the function returns
  // Kernels
  short_kernels,  ///< they work for less than they are asked to
  long_kernels,   ///< they work for longer than they are asked to
  no_kernels,
  wrong_argument,  ///< a kernel, a copy or a function that the contract gives has other arguments than asked for
  wrong_block_size,  ///< a launch has other blocks than it is asked to have
  // Memory
  pageable_copy,
  copied_in_vain,  ///< what a copy brought was written over before anything read it
  pinned_too_much,
  held_too_much,  ///< of device memory
  pinned_again,   ///< memory is pinned again and again
  nothing_pinned,
  memory_of_its_own,  ///< memory is allocated where what is given has to do
  wrong_release,      ///< memory is released with a call that does not belong to it
  never_released,
  released_in_use,
  freed_while_registered,  ///< pinned memory was freed before it was released
  object_too_small,        ///< an argument points to fewer bytes than the call reads or writes
  wrong_device,            ///< another device is current than that of the stream
  wrong_copy_kind,         ///< the kind of a copy is not the direction in which it goes
  // Streams and events
  no_stream,
  no_event,
  stream_of_its_own,  ///< work in a stream that the function made, where it was given others
  legacy_stream,      ///< work in the legacy default stream, where each thread has its own
  stream_left_over,
  event_left_over,
  wrong_priority,
  blocking_stream,  ///< a stream and the default stream wait for each other
  no_timed_event,   ///< no event with timing beside the kernel
  event_elsewhere,  ///< the event is recorded in another stream than the kernel's
  first_launch_measured,
  event_not_reached,  ///< the second event had not happened when the time was asked for
  wrong_time,
  time_computed,  ///< the returned time is near that of the kernel, and no events measured it
  // Graphs
  no_graph,
  instantiated_again,   ///< a graph is instantiated for what one that is there could do
  queued_beside_graph,  ///< work is queued by calls of its own, beside the launches of a graph
  graph_not_updated,    ///< a launch of a graph worked with the arguments of another round
  launches_miscounted,  ///< a kernel or a graph is launched more or less often than asked for
  graph_left_over,
  // The device and its plan
  device_not_asked,
  access_not_enabled,  ///< of a device to the memory of another that it could have
  wrong_copy_engines,
  order_not_followed,
  plan_not_followed,  ///< cut into other chunks than the plan says, or put into other streams
  // The file
  too_many_changes,  ///< more lines than asked for differ from the file as it comes
  // Host functions
  not_announced,
  cuda_in_host_function,
  no_host_function,
  long_host_function,
  // Slowness
  costly_calls,    ///< the host spends too long in calls, with or without a busy device
  part_missing,    ///< something that was to be timed never began or ended
  needless_wait,   ///< the host, or work in a stream, waits for more than it needs
  late_end,        ///< something that was to be timed ended long after its work
  late_start,      ///< no kernel starts before most copies are done
  room_taken,      ///< blocks that run hold all places until they end
  pause,           ///< kernels pause
  room_left_empty  ///< a launch has fewer blocks than the GPU has room for
};

/// Its stable word.
std::string_view word_of(mistake mistake);

/// Whether a criterion_result::mistake can hold that word.
bool is_mistake_word(std::string_view word);

/// Whether that mistake is most often in a value: a result, a size, a bound, an argument or the choice of a buffer; not in the order
/// of the work or in what overlaps.
bool is_about_values(std::string_view word);

}  // namespace report
