// error_texts.h: the names and sentences of error codes.
#pragma once

#include "include/driver_types.h"

namespace cuda_runtime {

/// What is known of one error code.
struct error_text {
  cudaError_t error;     ///< its number
  const char* name;      ///< what cudaGetErrorName gives
  const char* sentence;  ///< what cudaGetErrorString gives
};

/// nullptr for a number that is no error code.
const error_text* find_error_text(cudaError_t error);

}  // namespace cuda_runtime
