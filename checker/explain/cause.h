// cause.h: the causes of missing overlap. Not here: their costs (explain.h), their names and sentences
// (report/wording/cause_sentences.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recording.h"

namespace explain {

/// In the order in which causes of the same cost are named.
enum class cause {
  default_stream,     ///< work in the legacy default stream waits for all blocking streams, and they for it
  one_stream,         ///< independent work is in the same stream
  synchronization,    ///< the host waits (synchronize, query) although nothing on the host needs it yet
  synchronous_copy,   ///< the host waits in a copy although nothing on the host needs it yet
  pageable_memory,    ///< copies of pageable memory are staged by the host
  memory_management,  ///< memory is allocated or freed between the work; a free waits for the whole device
  host_function,      ///< a host function blocks what does not need it
  event_recorded_again,  ///< a wait takes a later record of its event than it needs
  event_recorded_late,   ///< an event is recorded behind work that the waiting stream does not need
  needless_wait,         ///< a stream waits for an event of which it needs nothing
  shared_buffer,         ///< work waits to overwrite a buffer that other work uses
  issue_order,           ///< in the order of issue, the GPU's queues hold independent work back
  shared_queue,          ///< more streams than work queues: independent work shares one
  no_room,       ///< a kernel takes the places for blocks, or the shared memory, of all multiprocessors
  small_chunks,  ///< the fixed costs of many small operations add up
  one_piece,     ///< the work is not cut into pieces that could overlap each other
  host_busy,     ///< the host does something else before it issues
};
inline constexpr int cause_count = static_cast<int>(cause::host_busy) + 1;

/// In which order chunks are issued: as they were, or one of the two usual ways.
enum class issue_order { as_recorded, chunk_by_chunk, step_by_step };

/// The choices of a cure.
struct way_to_cure {
  std::size_t joined = 1;                        ///< small_chunks: so many became one
  std::uint32_t pieces = 1;                      ///< one_piece: each chunk became so many
  issue_order order = issue_order::as_recorded;  ///< issue_order
};

/// A cause, what it cost, and its clearest case.
struct cause_cost {
  explain::cause cause = explain::cause::default_stream;
  trace::nanoseconds cost{0};      ///< its share of the gap; 0 or more
  trace::nanoseconds alone{0};     ///< what curing it alone saves
  trace::operation_id late = 0;    ///< an operation that it delayed most; 0: none in particular
  trace::operation_id behind = 0;  ///< the operation that `late` had to wait for; 0: none
  trace::call_id call = 0;         ///< the host call that did it; 0: none
  /// The user's line that did it. Of what other code did in `call`: that of the user's call before it.
  trace::location where;
  /// synchronization, synchronous_copy: the first statement of the host that needs what `call` waits for, when that comes behind work
  /// that was issued later.
  trace::location needed_at{};
  /// The same: the operation that the host needs at once, when `call` waits for more; 0: it needs all, or nothing.
  trace::operation_id needed_only = 0;
  /// The same: a copy to the host that `call` waits for, and whose data nothing in the recording reads; 0: none.
  trace::operation_id unread = 0;
  std::size_t times = 0;    ///< operations that it delayed, or that it concerns
  bool is_needless = true;  ///< false: the touched bytes are not known
  way_to_cure how;          ///< the best way, where the cure leaves a choice
};

}  // namespace explain
