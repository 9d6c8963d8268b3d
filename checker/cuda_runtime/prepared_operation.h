// prepared_operation.h: an operation that has been checked and can be issued, and what it keeps until it ends.
//
// Not here: what operations do when they start and end (work_queue.h).
//
//     prepared_operation filling;
//     if (cudaError_t error = prepare(call, parameters, filling)) return error;
//     run.work().issue(std::move(filling));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cuda_runtime/host_threads.h"
#include "cuda_runtime/memory_box.h"
#include "cuda_runtime/residency.h"
#include "device/schedule.h"
#include "include/cuda_runtime_api.h"
#include "kernels/access_log.h"
#include "kernels/kernel_run.h"
#include "trace/recording.h"

namespace cuda_runtime {

struct host_thread;

/// Both sides have the same width, height and depth.
struct copy_payload {
  memory_box destination;
  memory_box source;
  /// The source as it was read: at the call, or when the copy starts.
  std::optional<std::vector<unsigned char>> snapshot{};

  void read_source();
};

/// Memory to be filled.
struct memset_payload {
  memory_box destination;
  int value = 0;
  std::size_t element_bytes = 1;  ///< of the value, which repeats
};

/// Stream-ordered memory that is given out or taken back.
struct allocation_payload {
  trace::allocation_id block = 0;
};

/// From then on only those may use the managed memory.
struct attach_payload {
  trace::allocation_id block = 0;
  kernels::attachment attached = kernels::attachment::everyone;
};

/// Managed memory that moves ahead of its use.
struct prefetch_payload {
  memory_box range;
  std::int8_t place = nowhere;  ///< as in residency.h
};

/// A kernel, from its launch to its end.
struct kernel_payload {
  explicit kernel_payload(kernels::kernel_launch launch) : launch(std::move(launch)) {}

  kernels::kernel_launch launch;
  std::unique_ptr<kernels::kernel_run> run{};  ///< while it runs
  kernels::pending_writes writes{};            ///< of a kernel that has run
  std::vector<std::string> printed{};          ///< by a kernel that has run
};

/// A function given to a stream.
struct stream_function {
  cudaHostFn_t function = nullptr;          ///< cudaLaunchHostFunc
  cudaStreamCallback_t callback = nullptr;  ///< cudaStreamAddCallback
  cudaStream_t stream = nullptr;            ///< for the callback
  void* argument = nullptr;
  const host_thread* lender = nullptr;            ///< on whose stack the argument is; nullptr: on none
  std::shared_ptr<const host_knowledge> known{};  ///< to whoever issued it; nullptr: nothing
};

/// What an operation needs when it starts and ends; nothing for events and whole graph launches.
using payload = std::variant<std::monostate, copy_payload, memset_payload, allocation_payload, attach_payload,
                             prefetch_payload, kernel_payload, stream_function>;

/// An operation to be issued once; as a node of a graph, a copy of it by each launch.
struct prepared_operation {
  device::request request{};    ///< stream, time and edges apart
  trace::operation recorded{};  ///< what the recording will have of it, times apart
  payload work{};

  /// A copy that has not started.
  prepared_operation copy() const;
};

}  // namespace cuda_runtime
