// graph_memory.h: memory that the launches of a graph give out and take back, always at the same place.
//
//     kernels::memory_block* block = allocate_for_graph(call, bytes, device);
//     node.work = std::make_shared<const prepared_operation>(memory_operation(operation_kind::allocate, *block, call.id()));
#pragma once

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/prepared_operation.h"

namespace cuda_runtime {

/// Memory that no launch has given out yet, allocated by the open call; nullptr when the device has no more.
kernels::memory_block* allocate_for_graph(api_call& call, std::size_t bytes, std::uint32_t device);

/// The memory of a graph that begins there; else nullptr.
const kernels::memory_block* find_memory_of_graph(api_call& call, const void* begin);

/// What gives that memory out, or takes it back. To the race analysis, beginning and end of the memory's life write all
/// of it.
prepared_operation memory_operation(trace::operation_kind kind, const kernels::memory_block& block,
                                    trace::call_id defined_by);

}  // namespace cuda_runtime
