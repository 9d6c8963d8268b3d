// profile.h: one GPU (and the host it sits in) as numbers: what profiles/*.json says.
//
// Here: reading and checking a profile file. Not here: what the numbers do (schedule.h, kernel_cost.h).
//
//     device::profile h200 = device::load_profile("checker/device/profiles/h200.json");
//     double cycles = h200.clock * 1e6;
#pragma once

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace device {

/// Simulated time.
using nanoseconds = std::chrono::nanoseconds;

/// The whole number of nanoseconds nearest to it.
inline nanoseconds from_ns(double value) { return nanoseconds(std::llround(value)); }

/// What one call of a math function costs.
struct math_cost {
  double throughput = 0;  ///< cycles of a multiprocessor a warp, at full occupancy
  double latency = 0;     ///< cycles from argument to result
};

/// Units are those that the file must state beside each value; the sources are in the file.
struct profile {
  std::string short_name;          ///< "h200": the file's name
  std::string name;                ///< "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"

  double multiprocessors = 0;                   ///< count
  double clock = 0;                             ///< MHz, of the multiprocessors
  double threads_per_multiprocessor = 0;        ///< count, resident
  double blocks_per_multiprocessor = 0;         ///< count, resident
  double threads_per_block = 0;                 ///< count, at most
  double warp_size = 0;                         ///< count
  double shared_memory_per_multiprocessor = 0;  ///< bytes
  double shared_memory_per_block = 0;           ///< bytes, without opting in to more
  double global_memory = 0;                     ///< bytes
  double memory_bandwidth = 0;                  ///< GB/s (1e9 bytes), reachable by kernels
  double resident_grids = 0;                    ///< count of kernels that may run at once
  double work_queues = 0;                       ///< count of hardware queues for kernels, as used by default
  double work_queues_most = 0;                  ///< count, at most
  double launch_queue = 0;  ///< count of launches that may be pending before a launch blocks the host
  double withholds_signals =
      0;  ///< 0 or 1: kernels issued in a row signal when the last of them ends (Fermi)
  double implicit_synchronization =
      0;                    ///< 0 or 1: allocations, memsets and copies inside the device order all streams
  double copy_engines = 0;  ///< count; 1: both directions share one
  double copy_queues = 0;   ///< count of queues in front of each copy engine
  double priority_greatest = 0;       ///< level: the most urgent stream priority (0 or negative)
  double kernel_issue_width = 0;      ///< warps/cycle a multiprocessor issues
  double block_dispatch = 0;          ///< ns a block, for the whole device
  double basic_block_throughput = 0;  ///< cycles/warp of one basic block at full occupancy
  double basic_block_latency = 0;     ///< cycles of one basic block in one thread
  double access_throughput = 0;       ///< cycles/warp of one memory access at full occupancy
  double access_latency = 0;          ///< cycles of one dependent memory access
  double h2d_latency = 0;             ///< ns before the first byte
  double h2d_bandwidth = 0;           ///< GB/s from pinned memory
  double d2h_latency = 0;             ///< ns
  double d2h_bandwidth = 0;           ///< GB/s
  double d2d_latency = 0;             ///< ns
  double d2d_bandwidth = 0;           ///< GB/s copied
  double peer_latency = 0;            ///< ns, between devices with peer access
  double peer_bandwidth = 0;          ///< GB/s; 0: these devices cannot have peer access
  double peer_staged_latency = 0;     ///< ns, between devices through the host
  double peer_staged_bandwidth = 0;   ///< GB/s
  double duplex_slowdown = 0;   ///< ratio: how much longer a copy takes while the other direction is busy
  double memset_latency = 0;    ///< ns
  double memset_bandwidth = 0;  ///< GB/s
  double pageable_h2d_bandwidth = 0;  ///< GB/s at which the host stages pageable memory
  double pageable_d2h_bandwidth = 0;  ///< GB/s
  double pageable_latency = 0;        ///< ns of host time before staging begins
  double staging_buffer = 0;          ///< bytes that an asynchronous pageable copy takes in without waiting
  double inline_copy =
      0;  ///< bytes: a pinned copy to the device of at most so many takes its source along with the call
  double launch_latency = 0;       ///< ns from the end of the launch call to the start on an idle stream
  double copy_issue_latency = 0;   ///< ns, the same for copies
  double kernel_gap = 0;           ///< ns from the end of a kernel to the start of the next in its stream
  double graph_node_gap = 0;       ///< ns, the same between two kernels of a graph
  double graph_branch = 0;         ///< ns of host time for each branch of a launched graph beside its first
  double graph_instantiation = 0;  ///< ns of host time for each node of an instantiated graph
  double engine_handover = 0;      ///< ns from copy to kernel, or kernel to copy, in one stream
  double copy_gap = 0;             ///< ns from copy to copy in one stream
  double event_record = 0;         ///< ns that recording an event takes on the device
  double event_wait = 0;           ///< ns from an event's completion to the start of what waited for it
  double event_resolution = 0;     ///< ns: times of events are multiples of it
  double synchronize_return = 0;   ///< ns from the end of device work to the return of the waiting call
  double first_launch = 0;         ///< ns added by the first launch of each kernel in a process
  double host_function = 0;        ///< ns that a host function costs its stream beside its own time
  double pinned_block = 0;         ///< bytes of pinned memory that come with the call's own time
  double pinned_allocation_per_byte = 0;  ///< ns/MiB of host time beyond pinned_block
  double pinned_release_per_byte = 0;     ///< ns/MiB of host time beyond pinned_block
  double registration_per_byte = 0;       ///< ns/MiB of host time
  double unregistration_per_byte = 0;     ///< ns/MiB of host time
  double device_allocation_per_byte = 0;  ///< ns/MiB of host time

  std::map<std::string, nanoseconds, std::less<>>
      host_calls;  ///< host time of a call by its CUDA name, or "NAME.variant"; has "default"
  std::map<std::string, math_cost, std::less<>> math;  ///< by function name, "sinf"; has "default"

  /// Host time of the named call: its own entry, that of the call it is a variant of, or the default.
  nanoseconds host_call(std::string_view name) const;
  /// Duration of `cycles` of the multiprocessor clock.
  nanoseconds cycles(double cycles) const;
};

/// Reads a profile. Throws std::runtime_error "FILE: FIELD: REASON" for a missing or unknown field, a wrong
/// unit, a missing source, or a value out of range.
profile load_profile(const std::filesystem::path& file);

}  // namespace device
