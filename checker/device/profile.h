// profile.h: the numbers of one GPU and its host, read from profiles/*.json.
//
// Not here: what the numbers do (schedule.h, kernel_cost.h).
//
//     device::profile h200 = device::load_profile("checker/device/profiles/h200.json");
//     double cycles = h200.clock * 1e6;
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iosfwd>
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

/// Each constant with its unit, which the file has to state beside the value, and its meaning. The file
/// states the source of each value too.
struct profile {
  std::string short_name;          ///< "h200": the file's name
  std::string name;                ///< "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"

  // What the device has. Sources: CUDA Programming Guide, "Compute Capabilities"; cudaGetDeviceProperties;
  // data sheets.
  int multiprocessors = 0;             ///< count: multiprocessors of the device
  double clock = 0;                    ///< MHz: clock of the multiprocessors while kernels run
  int threads_per_multiprocessor = 0;  ///< count: threads that may be resident on one multiprocessor
  int blocks_per_multiprocessor = 0;   ///< count: blocks that may be resident on one multiprocessor
  int threads_per_block = 0;           ///< count: threads that a block may have
  int warp_size = 0;                   ///< count: threads of a warp
  /// bytes: shared memory for all blocks that are resident on one
  std::size_t shared_memory_per_multiprocessor = 0;
  std::size_t shared_memory_per_block = 0;  ///< bytes: of it for one block that does not opt in to more
  std::size_t reserved_shared_memory = 0;   ///< bytes: of it that each block takes for the system
  /// flag: while a multiprocessor has blocks, its share of shared memory and cache stays
  bool keeps_carveout = false;
  std::size_t global_memory = 0;  ///< bytes: memory of the device that programs can allocate
  double memory_bandwidth = 0;    ///< GB/s: bytes that kernels read and write together (1 GB = 1e9 bytes)

  // How work reaches the engines. Sources: CUDA Programming Guide, CUDA_DEVICE_MAX_CONNECTIONS; NVIDIA's
  // talks about Fermi and Hyper-Q; measured where neither tells.
  int resident_grids = 0;  ///< count: kernels that may run at once on the device
  /// count: hardware queues for kernels, as they are used by default; streams share them in turn
  int work_queues = 0;
  int max_work_queues = 0;  ///< count: the largest number of queues that a program can ask for
  /// count: work queues that the device has at hand, those that it launched from last; 0: all
  int queues_at_hand = 0;
  double queue_load = 0;  ///< ns: to have another work queue at hand, beside the gap before its work
  int launch_queue = 0;   ///< count: launches that may be pending before a launch makes the host wait
  /// flag: kernels issued in a row signal when the last of them ends (Fermi), not each at its end
  bool withholds_signals = false;
  /// flag: the time stamp of an event behind a copy waits until the engine of that copy has done with what it is doing
  bool stamps_take_turns = false;
  /// flag: allocations, memsets and copies inside the device order all streams
  bool implicit_synchronization = false;
  /// count: copy engines; 1: both directions share it; more: each direction has its own
  int copy_engines = 0;
  int copy_queues = 0;  ///< count: queues in front of each copy engine; streams share them in turn
  /// level: the most urgent stream priority, 0 or negative; the least urgent is 0
  int priority_greatest = 0;

  // What kernels cost. Source: measured by kernels that do one thing many times.
  /// warps/cycle: instructions that a multiprocessor can issue, each for one warp
  double kernel_issue_width = 0;
  /// ns: from the start of a kernel to the earliest start of the next, of whatever stream
  double launch_interval = 0;
  double block_dispatch = 0;  ///< ns: time to place one block; the device places one after the other
  /// cycles/warp: of one executed basic block, when the multiprocessor is full
  double basic_block_throughput = 0;
  double basic_block_latency = 0;  ///< cycles: of one executed basic block in a thread that runs alone
  double access_throughput = 0;    ///< cycles/warp: of one memory access, when the multiprocessor is full
  double access_latency = 0;       ///< cycles: of one memory access on whose result the thread waits

  // What copies and memsets cost: a latency, then the bytes at a bandwidth. Source: measured over sizes.
  double h2d_latency = 0;    ///< ns: copy to the device, before the first byte
  double h2d_bandwidth = 0;  ///< GB/s: copy to the device, from pinned memory
  double d2h_latency = 0;    ///< ns: copy to the host, before the first byte
  double d2h_bandwidth = 0;  ///< GB/s: copy to the host, into pinned memory
  /// ns: copy inside the device, before the first byte; behind a kernel instead of kernel_gap
  double d2d_latency = 0;
  double d2d_bandwidth = 0;  ///< GB/s: copy inside the device, bytes copied: each is read and written
  /// ns: what a kernel takes longer that accesses pinned memory or that of a peer, beside the transfer
  double link_access_latency = 0;
  double peer_latency = 0;   ///< ns: copy between devices with peer access, before the first byte
  /// GB/s: copy between devices with peer access; 0: these devices cannot have it
  double peer_bandwidth = 0;
  double peer_staged_latency = 0;    ///< ns: copy between devices through the host, before the first byte
  double peer_staged_bandwidth = 0;  ///< GB/s: copy between devices through the host
  /// ns/page: prefetch of managed memory to the device, for each page of 64 KiB, beside its transfer
  double prefetched_page_to_device = 0;
  double prefetched_page_to_host = 0;  ///< ns/page: prefetch to the host
  /// ns/page: kernel stalls for a page of managed memory that is on the host, beside its transfer
  double faulted_page_to_device = 0;
  /// ns/page: host stalls for a page of managed memory that is on the device, beside its transfer
  double faulted_page_to_host = 0;
  double duplex_slowdown = 0;  ///< ratio: how much longer a copy takes while the other direction is busy
  /// ns: memset of device memory, before the first byte; behind a kernel instead of kernel_gap
  double memset_latency = 0;
  double memset_bandwidth = 0;        ///< GB/s: memset of device memory
  double pageable_h2d_bandwidth = 0;  ///< GB/s: host moves pageable memory to its staging buffer
  double pageable_d2h_bandwidth = 0;  ///< GB/s: host moves its staging buffer to pageable memory
  double pageable_latency = 0;        ///< ns: host time before the first byte is staged
  /// bytes: an asynchronous copy from pageable memory stages up to this size without waiting
  std::size_t staging_buffer = 0;
  /// bytes: copies from pinned memory up to this size read their source during the call
  std::size_t inline_copy = 0;
  /// bytes: a copy of at most so many to the device comes with the commands of its stream, even a busy one, and
  /// needs no copy engine; on a stream that the host knows to be idle, synchronize_return after its end, one of at
  /// most inline_copy. 0: every copy needs one
  std::size_t pushed_copy = 0;
  double pushed_copy_time = 0;  ///< ns: of such a copy

  // Gaps on the device. Source: measured between the ends and starts that events and CUPTI tell.
  /// ns: from the end of the launch call to the start of the kernel, on an idle stream
  double launch_latency = 0;
  /// ns: from the end of the call to the start of the copy, on an idle stream
  double copy_issue_latency = 0;
  double kernel_gap = 0;       ///< ns: from the end of a kernel to the start of the next in its stream
  double graph_node_gap = 0;   ///< ns: from the end of a kernel to the start of the next, both in one graph
  double engine_handover = 0;  ///< ns: from copy to kernel, or from kernel to copy, in one stream
  double copy_gap = 0;         ///< ns: from copy to copy in one stream, beside the latency of the second
  /// ns: a copy engine turns to another of its queues, beside the latency of the copy there
  double copy_queue_change = 0;
  double event_record = 0;     ///< ns: time that recording an event takes on the device
  /// ns: from the completion of an event to the start of what waited for it in another stream
  double event_wait = 0;
  /// ns: from the end of work on one device to the start of what waits for it on another
  double device_handover = 0;
  double event_resolution = 0;  ///< ns: times of events are multiples of it
  /// ns: longer start of the first launch of each kernel in a process, which loads it
  double first_launch = 0;
  /// ns: overhead of a host function for its stream: waking the thread
  double host_function = 0;

  // Time of the host. Source: measured around the calls, by their size.
  /// ns: from the end of device work to the return of the call that waits for it
  double synchronize_return = 0;
  double graph_branch = 0;         ///< ns: launch of a graph, for each of its branches beside the first
  double graph_instantiation = 0;  ///< ns: instantiation of a graph, for each of its nodes
  std::size_t pinned_block = 0;    ///< bytes: pinned memory that comes with the call's own time
  double pinned_allocation_ns_per_mib = 0;  ///< ns/MiB: beyond pinned_block
  double pinned_release_ns_per_mib = 0;     ///< ns/MiB: beyond pinned_block
  double registration_ns_per_mib = 0;       ///< ns/MiB: cudaHostRegister
  double unregistration_ns_per_mib = 0;     ///< ns/MiB: cudaHostUnregister
  double device_allocation_ns_per_mib = 0;  ///< ns/MiB: cudaMalloc, beside the call's own time

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
/// The same from the text of that file, which is named in messages and gives the short name.
profile read_profile(std::istream& text, const std::filesystem::path& file);

}  // namespace device
