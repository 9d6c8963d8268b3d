// calls_no_cuda_in_host_functions.h: the matcher CallsNoCudaInHostFunctions().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part in which no host function called CUDA: the virtual GPU notes each such call, and elsewhere
/// the calls that answered cudaErrorNotPermitted count. Fails with requirement_missed, naming the first.
/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html cudaLaunchHostFunc
class CallsNoCudaInHostFunctions {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers
