// program.h: a part of a recording as a program that can be changed and run again.
//
// It holds the host calls with their cost, issued work and waits, and the operations with all that determines their
// duration. Not here: changes (cures.h), running it (replay.h).
//
//     const explain::program program = explain::program_of(part, h200);
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/part.h"
#include "device/profile.h"
#include "device/schedule.h"
#include "trace/recording.h"

namespace explain {

/// Index of an operation of a program.
using operation_number = std::uint32_t;
inline constexpr operation_number no_operation = ~operation_number{0};

/// A wait of a host thread between two of its calls for another thread's call or for a host function.
struct hand_over {
  operation_number function = no_operation;  ///< the host function
  std::uint32_t step = 0;                    ///< when no function
};

/// One call of the host, or several that ask the same one after another.
struct program_step {
  trace::call_id call = 0;  ///< the last of them
  trace::thread_id thread = 0;
  std::uint32_t device = 0;
  trace::nanoseconds pause{0};  ///< host time between the call before it, or the hand-over, and this one
  std::vector<hand_over> hand_overs;     ///< that the thread waited for in that pause
  trace::nanoseconds cost{0};            ///< from its begin until it issues, or waits
  std::vector<operation_number> needs;   ///< complete before it goes on to stage and to issue
  trace::nanoseconds staging{0};         ///< host time between that and the issue
  std::vector<operation_number> issues;  ///< in this order
  bool waits_until_staged = false;       ///< it returns when its pageable source has been read
  std::vector<operation_number> waits;   ///< complete before it returns
  trace::nanoseconds return_waited{0};   ///< from then to its end
  trace::nanoseconds return_at_once{0};  ///< from the issue to its end, when it need not wait
  bool holds_back_old_gpus = false;      ///< allocations; see device::schedule::implicit_sync
};

/// One operation of a program.
struct program_operation {
  trace::operation_id recorded = 0;          ///< the operation in the recording
  device::request request;                   ///< without ids of operations: those are below
  operation_number launch = no_operation;    ///< graph nodes: their launch
  std::vector<operation_number> edges;       ///< see trace::operation::after
  std::vector<operation_number> after;       ///< of other streams: it waits for them
  operation_number captured = no_operation;  ///< event_wait
  bool is_dropped = false;                   ///< markers that a cure made needless: not issued
  std::vector<trace::block_time> blocks;     ///< kernels
  bool is_loop = false;                      ///< kernels: each thread works on many elements
  trace::nanoseconds length{0};              ///< host functions
};

/// Host calls and operations without device times, which a replay finds.
struct program {
  std::vector<trace::stream> streams;         ///< by id
  std::vector<program_step> steps;            ///< each thread's in order
  std::vector<program_operation> operations;  ///< by number
  std::uint32_t connections = 0;              ///< see device::schedule
  double slower_copies = 1;                   ///< of the schedule under which it was recorded
};

/// The part from the first call that issued an operation on. Empty when it has no operation. `gpu` is the
/// profile on which it was recorded.
program program_of(const analysis::part& part, const device::profile& gpu);

}  // namespace explain
