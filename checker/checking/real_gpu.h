// real_gpu.h: whether this machine can check lessons on a GPU of its own.
//
//     if (const std::string reason = checking::why_no_gpu(2); !reason.empty()) skip(reason);
#pragma once

#include <cstdint>
#include <string>

namespace checking {

/// "" when it can, else why not and what to do: this checkout was built without the CUDA toolkit, or
/// streamlings-probe-gpu, beside this program, found fewer usable GPUs than the lesson needs.
std::string why_no_gpu(std::uint32_t devices);

}  // namespace checking
