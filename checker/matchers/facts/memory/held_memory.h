// held_memory.h: the memory that a function holds at a time, and where it is released.
//
//     const std::vector<trace::allocation> made = made_by(run, run.part().calls, trace::memory_kind::pinned);
//     tell_of_later_frees(run, made, too_much.allocated_by, why);   // "2 allocations of ... were not yet released"
#pragma once

#include <cstddef>
#include <vector>

#include "matchers/facts/run_facts.h"
#include "report/result.h"
#include "trace/recording.h"

namespace matchers {

/// The memory of a kind that these calls allocated or registered, in the order of the calls.
std::vector<trace::allocation> made_by(const run_facts& run, const std::vector<trace::call_id>& calls,
                                       trace::memory_kind kind);

/// Whether the operation is known to access that memory.
bool uses(const trace::operation& operation, const trace::allocation& memory);

/// The memory of a kind that this call of the function made, or that an earlier one kept for it. What an earlier call merely forgot is
/// another mistake.
std::vector<trace::allocation> made_for_this_call(const run_facts& run, trace::memory_kind kind);

/// A call that pinned memory, and how much.
struct pinning_call {
  trace::call_id call = 0;
  std::size_t bytes = 0;
};
/// The calls of the part that pinned, in their order. Memory that is registered again is one allocation with several calls.
std::vector<pinning_call> calls_that_pin(const run_facts& run);

/// What is held when that call has returned: later calls have made nothing yet, earlier ones released.
std::size_t bytes_held_after(const std::vector<trace::allocation>& made, trace::call_id call);

/// How many bytes of that memory, from its begin, operations or host code used at any time; all where the recording does not say, or none
/// used any.
std::size_t bytes_used_of(const run_facts& run, const trace::allocation& memory);

/// Says how much of the memory that was allocated before that call one line frees, and leads there as well.
void tell_of_frees(const run_facts& run, const std::vector<trace::allocation>& made, trace::call_id before,
                   report::evidence& why);

/// Says how much of the memory that was allocated before that call is released after it only, by the lines of both, and leads to
/// these lines as well.
void tell_of_later_frees(const run_facts& run, const std::vector<trace::allocation>& made,
                         trace::call_id before, report::evidence& why);

}  // namespace matchers
