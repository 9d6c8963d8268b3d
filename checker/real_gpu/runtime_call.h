// runtime_call.h: what the parameters of a CUDA runtime call say about streams, events and memory.
//
// CUPTI hands them over as one struct a function. Functions that a recording does not tell apart have no
// entry: they are recorded by name only.
//
//     if (const auto describe = real_gpu::describer_of("cudaMemcpyAsync")) describe(parameters, call);
#pragma once

#include <string>
#include <string_view>

#include "real_gpu/raw_run.h"

namespace real_gpu {

/// The name of a function without the suffixes of versions ("_v2") and default streams ("_ptsz").
std::string plain_function_name(std::string_view name);

/// Fills in what the call did, from the parameters as they are when the call has returned.
using describer = void (*)(const void* parameters, raw_call& into);

/// The describer of a function, or nullptr.
describer describer_of(std::string_view plain_name);

/// Whether the function is the variant for which the default stream is that of the thread.
bool uses_per_thread_stream(std::string_view name);

}  // namespace real_gpu
