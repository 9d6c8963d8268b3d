// real_gpu.h: whether this machine can check lessons on a GPU of its own.
//
//     if (const std::string reason = checking::why_no_gpu(); !reason.empty()) skip(reason);
#pragma once

#include <string>

namespace checking {

/// "" when it can, else why not and what to do: this checkout was built without the CUDA toolkit, or
/// streamlings-probe-gpu, beside this program, found no usable GPU.
std::string why_no_gpu();

}  // namespace checking
