// named_ranges.h: what the program names with NVTX: ranges of host code and marks.
//
// Not here: the functions of NVTX (api/annotation.cpp).
//
//     ranges.push({.name = "load", .thread = 1, .start = now});
//     ranges.pop(1, "", now);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/recording.h"

namespace cuda_runtime {

/// The ranges of a run in the order of their begin. Those that are open at its end last until then.
class named_ranges {
 public:
  /// How many of its thread and domain were open before.
  int push(trace::named_range range);
  /// How many of the thread's are still open; -1: none was.
  int pop(trace::thread_id thread, const std::string& domain, trace::nanoseconds now);
  /// A range that any thread may end. Its id, from 1.
  std::uint64_t begin(trace::named_range range);
  /// An id of no open range does nothing.
  void end(std::uint64_t id, trace::nanoseconds now);
  /// A point in time.
  void mark(trace::named_range point);

  std::vector<trace::named_range> take(trace::nanoseconds end_of_run);

 private:
  std::vector<trace::named_range> ranges_;
  std::vector<bool> is_open_;  // by range
  std::map<std::pair<trace::thread_id, std::string>, std::vector<std::size_t>> pushed_;
};

}  // namespace cuda_runtime
