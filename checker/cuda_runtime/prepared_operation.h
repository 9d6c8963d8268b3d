// prepared_operation.h: what an operation needs to be issued, and what it keeps until it ends.
//
// Not here: what operations do when they start and end (runtime_operations.cpp).
//
//     prepared_operation filling;
//     if (cudaError_t error = prepare(call, parameters, filling)) return call.done(error);
//     run.issue(filling.what, filling.described, std::move(filling.needs));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/schedule.h"
#include "trace/recording.h"
#include "kernels/access_log.h"
#include "include/cuda_runtime_api.h"
#include "kernels/kernel_run.h"
#include "cuda_runtime/memory_box.h"
#include "cuda_runtime/residency.h"

namespace cuda_runtime {

using kernels::attachment;
using kernels::block_residency;
using kernels::called_kernel;
using kernels::fiber_pool;
using kernels::host_log;
using kernels::kernel_copy;
using kernels::kernel_fault;
using kernels::kernel_launch;
using kernels::kernel_log;
using kernels::kernel_run;
using kernels::kernel_state;
using kernels::pending_writes;

struct host_thread;

/// A function given to a stream.
struct stream_function {
  cudaHostFn_t function = nullptr;          ///< cudaLaunchHostFunc
  cudaStreamCallback_t callback = nullptr;  ///< cudaStreamAddCallback
  cudaStream_t stream = nullptr;            ///< for the callback
  void* argument = nullptr;                 ///< handed on to the function as it is
  const host_thread* lender = nullptr;      ///< on whose stack the argument is; nullptr: on none
};

struct prepared_operation;

/// What an operation needs when it starts and ends.
struct payload {
  memory_box destination;                      ///< copies and memsets
  memory_box source;                           ///< copies
  int value = 0;                               ///< memset
  std::size_t element_bytes = 1;               ///< memset: bytes of the value, which repeat
  trace::allocation_id block = 0;              ///< allocate, release, attach
  std::int8_t place = nowhere;                 ///< prefetch: where its destination is to be
  attachment attached = attachment::everyone;  ///< attach: who may use the memory from then on
  std::vector<unsigned char> snapshot;         ///< copies: the source as it was read
  bool has_snapshot = false;                   ///< the source was read at the call already
  /// Fills `snapshot` with the bytes of `source` as they are now.
  void read_source();
  std::unique_ptr<kernel_launch> launch;           ///< kernels, until they start
  std::unique_ptr<kernel_run> kernel;              ///< kernels that have started
  pending_writes writes;                           ///< kernels that have run
  std::vector<std::string> printed;                ///< kernels that have run: what they printed
  stream_function function;                        ///< host functions
  std::shared_ptr<const prepared_operation> node;  ///< graph nodes: keeps what the node was made of
  /// What one launch of that node needs.
  payload for_launch_of(std::shared_ptr<const prepared_operation> owner) const;
};

/// An operation that has been checked and can be issued: once, or as a node of a graph by each launch.
struct prepared_operation {
  device::request what{};        ///< stream, time and edges apart
  trace::operation described{};  ///< what the recording will say of it, times apart
  payload needs{};               ///< its memory, its function, and its arguments
};

}  // namespace cuda_runtime
