// per_thread_default_stream.h: which default stream a source file means by the handle 0.
//
// A file compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM calls each function that takes a stream, or uses
// the default stream, under another name (cuda_runtime_api.h): NAME_ptds. That notes what the file means and
// goes on in NAME, with all arguments and the return address as they were. @see CUDA Programming Guide,
// "Default Stream"
#pragma once

#include "cuda_runtime/runtime.h"

namespace cuda_runtime {

/// What the caller of the running API function means by the handle 0. Asking forgets it: the next call is
/// another one.
null_stream take_null_stream_of_caller();

}  // namespace cuda_runtime
