// lesson_prelude.h: what stands in front of the files of a lesson: CUDA, and what the workload.h of its contract includes.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

// g++ instantiates the special functions of <cmath>, std::beta and others, in every file, which for a small one takes as long as all
// the rest. In lessons they are not there; what their header brings along is.
#define _GLIBCXX_BITS_SPECFUN_H 1
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#endif

#include <chrono>
#include <limits>

#include "cuda_runtime.h"
