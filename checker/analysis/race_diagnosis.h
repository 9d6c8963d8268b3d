// race_diagnosis.h: what most likely is wrong where nothing orders two accesses, and who did what.
//
// Not here: which races have one cause (race_causes.h), sentences (report/wording/race_sentences.h).
//
//     for (const analysis::race_diagnosis& race : analysis::diagnose_races(part, order, {}).value()) ...
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/ordering.h"
#include "analysis/part.h"
#include "analysis/race_causes.h"
#include "trace/recording.h"

namespace analysis {

/// What most likely is wrong; advice is chosen by it.
enum class race_mistake {
  unfinished_at_return,      ///< the caller goes on while the device still works
  default_stream_unordered,  ///< the default stream and a non-blocking stream
  recorded_too_early,        ///< there is a wait, but its event stands for less
  never_recorded,            ///< there is a wait for an event whose record for it comes later, or never
  wait_in_another_stream,    ///< another stream waits than the one that should
  wait_for_another_stream,   ///< the wait is for another stream than the one it should be for
  result_read_early,         ///< the host reads what the device has not finished
  source_overwritten,        ///< the host writes what a copy may still have to read
  source_written_late,       ///< a copy is queued before the host writes for the first time what it reads
  host_code_unordered,       ///< threads of the host and host functions share data that nothing guards
  host_not_awaited,          ///< the device is given what a host thread still uses
  buffer_reused,             ///< an operation overwrites what one in another stream uses
  result_not_awaited,        ///< an operation reads what one in another stream makes
  queued_unordered  ///< two threads of the host queue into one stream, and nothing orders their calls
};
inline constexpr std::size_t race_mistake_count = 14;

/// The stable words of the mistakes, in the order of the enumeration: "unfinished_at_return".
extern const std::array<std::string_view, race_mistake_count> race_mistake_words;
/// Its word among them.
std::string_view word_of(race_mistake mistake);

/// Who did one side of a race, as seen by the reader: the reader's function, a function that it calls and that
/// somebody else wrote, or what runs after it has returned.
enum class race_actor { own_function, callee, caller };

/// Two operations of one line, issued for different pieces of the work, of which each writes bytes that the other writes, from
/// another byte on: most likely an offset or a length is wrong.
struct overlapping_pieces {
  trace::operation_id one = 0;  ///< issued first
  trace::operation_id other = 0;
};

/// A cause of races, and what is known about it.
struct race_diagnosis {
  race_cause cause;
  race_mistake mistake = race_mistake::result_not_awaited;
  race_actor first = race_actor::own_function;   ///< of cause.example.first
  race_actor second = race_actor::own_function;  ///< of cause.example.second
  race_actor to = race_actor::own_function;      ///< of cause.to
  std::optional<useless_wait> useless;           ///< the wait that was perhaps meant to be the missing edge
  /// Of two streams that one line made: the call that made the second side's, after the first side had been queued; else 0.
  trace::call_id later_stream_made_by = 0;
  bool is_inside_one_graph = false;
  /// One stream is the default stream, and the other does not wait for it.
  bool is_exempt_from_barrier = false;
  /// The host reads before any operation of the function has written a result.
  bool is_read_before_result = false;
  /// A side that writes, and the other side or what that reads.
  std::optional<overlapping_pieces> pieces{};
  /// The lines to look at, the most telling first, each once: those of the two sides and of the useless wait.
  /// Without lines of the caller and of files that the user did not write.
  std::vector<trace::location> places;
};

/// The causes of the races of the part, in order of their first race; nullopt when the backend did not record
/// accesses. `function`: the part in which the user's own function ran; without it the whole program is the
/// user's. `order` is that of the recording.
std::optional<std::vector<race_diagnosis>> diagnose_races(const part& part, const ordering& order,
                                                          const std::optional<analysis::part>& function);

}  // namespace analysis
