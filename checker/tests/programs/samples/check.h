// check.h: what the sample programs share: a failed CUDA call ends the program, a claim that does not hold
// fails it.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CUDA(call) check((call), #call, __LINE__)

inline void check(cudaError_t status, const char* call, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(status));
  std::exit(1);
}

/// Says whether what the program set out to show is so; the sum is the program's exit status.
inline int claim(bool holds, const char* sentence) {
  std::printf("%s: %s\n", holds ? "so" : "NOT SO", sentence);
  return holds ? 0 : 1;
}
