// overwritten_unread.h: copies and kernels of whose data nothing was read before others were written over them.
//
//     for (const auto& [first, over_it, written] : overwritten_unread(run, trace::operation_kind::copy)) ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matchers/facts/run_facts.h"

namespace matchers {

/// An operation, and the first that wrote over all that it had written there, in an order that the program makes.
struct overwritten_write {
  const trace::operation* first;
  const trace::operation* over_it;
  const trace::access* written;  ///< by the first
};

/// Those of the part by operations of that kind, in the order of their issue. None where the accesses are not known.
std::vector<overwritten_write> overwritten_unread(const run_facts& run, trace::operation_kind kind);

/// What was written too early over what a kernel needed, or had made.
struct early_overwrite {
  std::string sentence;
  std::vector<trace::location> places;  ///< of what was written over the other, and of what then read it
};

/// Of the kernel, whose result is at the wrong place: the copies that wrote over what others of the same direction had brought for
/// kernels of its name, or such kernels that wrote over what others had made. Nothing when there are none.
std::optional<early_overwrite> overwritten_around(const run_facts& run, trace::operation_id kernel);

}  // namespace matchers
