// two_passes.h: one text from the two that the preprocessor makes of a .cu file which tests __CUDA_ARCH__: functions of the
// device as the device sees them, those of the host as the host does.
//
// A `__host__ __device__` function with two bodies decides when it runs. What is no body of a function cannot be two things
// at once: that is an error with its line. Not here: running the preprocessor (compile.h), translation (translator.h).
//
//     merged_passes merged = merge_passes(device_text, host_text);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda_compiler/constructs.h"

namespace cuda_compiler {

/// The text, or the reasons why there is none.
struct merged_passes {
  std::string text;
  std::vector<translation_error> errors;
};

/// Both are outputs of `-E`, the first one with __CUDA_ARCH__ defined.
merged_passes merge_passes(std::string_view device, std::string_view host);

}  // namespace cuda_compiler
