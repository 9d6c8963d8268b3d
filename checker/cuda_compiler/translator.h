// translator.h: turns a preprocessed CUDA file into C++ that runs on the virtual GPU.
//
// Kernels become closures, launches become calls, shared variables become members of the block, variables of
// the device become references to its memory; the compiler does the rest (overloads, deduction, default
// arguments) and reports mistakes on the learner's own line and column. Not here: running the compiler
// (compile.h).
//
//     translation result = translate("__global__ void k(int n) {}\nvoid f() { k<<<1, 32>>>(3); }");
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda_compiler/columns.h"
#include "cuda_compiler/constructs.h"

namespace cuda_compiler {

/// C++, or the reasons why there is none.
struct translation {
  std::string text;                       ///< preprocessed C++17; empty when there are errors
  std::vector<translation_error> errors;  ///< what cannot be translated, in the order of the source
};

/// Translates the output of `-E`. With `read`, tokens get back the columns that the preprocessor lost.
translation translate(std::string_view preprocessed, const source_reader& read = {});

}  // namespace cuda_compiler
