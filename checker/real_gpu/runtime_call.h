// runtime_call.h: reads streams, events and memory from the parameters of a CUDA runtime call.
//
// CUPTI passes one struct a function. Functions without an entry are recorded by name only.
//
//     if (const auto describe = real_gpu::describer_of("cudaMemcpyAsync")) describe(parameters, call);
#pragma once

#include <string>
#include <string_view>

#include "real_gpu/raw_run.h"

namespace real_gpu {

/// The name of a function without the suffixes of versions ("_v2") and default streams ("_ptsz").
std::string plain_function_name(std::string_view name);

/// Fills in the effect of a call from its parameters after its return.
using describer = void (*)(const void* parameters, raw_call& into);

/// The describer of a function, or nullptr.
describer describer_of(std::string_view plain_name);

/// True for the variant of a function with per-thread default stream.
bool uses_per_thread_stream(std::string_view name);

}  // namespace real_gpu
