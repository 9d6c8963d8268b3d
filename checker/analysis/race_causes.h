// race_causes.h: races that one missing edge would put in order, as one cause.
//
// What lives here: which races belong together, the edge that is missing, and what the program has in its
// place (a wait that does not help). Not here: sentences (report/wording/race_sentences.h).
//
//     for (const analysis::race_cause& cause : analysis::causes_of(recording, order, races)) ...
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/ordering.h"
#include "analysis/races.h"
#include "trace/recording.h"

namespace analysis {

/// Sorts of races, by what would be done about them.
enum class race_kind {
  unordered,           ///< two operations, or a host thread and the device
  result_read_early,   ///< the host reads what an operation writes, before it is known to be complete
  source_overwritten,  ///< the host writes the source of a copy that may not have been read yet
};

/// The stable word: "unordered_accesses", "result_read_early", "source_overwritten".
std::string_view word_of(race_kind kind);

/// Why a wait that the program makes does not order the two sides.
enum class useless_wait_kind {
  failed,             ///< the call returned an error
  in_another_stream,  ///< it waits for the first side, but another stream than that of the second does
  only_asked,  ///< the last query of the first side's stream, or of an event behind it: there was work left
  for_another_stream,  ///< its event was recorded in, or the host waits for, another stream than the first's
  for_another_device,  ///< it waits for the current device, and the first side is on another
  recorded_too_early,  ///< its event was recorded before the first side was issued
  recorded_unordered,  ///< its event is recorded by another thread, which nothing makes come first
  never_recorded,      ///< its event had not been recorded when it was made
  recorded_later,  ///< it takes an earlier record of its event, which is recorded behind the first side only after it
  wrong_way,     ///< it makes the first side's stream wait for that of the second
  of_other_way,  ///< the same, and what that stream does next needs what the other did: a second wait is missing
  announced_in_another_stream,  ///< the host function that let the thread go on is in another stream than the first side
  announced_too_early,  ///< that host function was queued before the first side
  only_of_a_stream,  ///< it is for the first side, but makes a stream wait, and the second side is the host's
  only_destroyed,    ///< it destroys the first side's stream, and waits for nothing
  too_early,         ///< it comes right before the first side is issued
  too_late,          ///< it comes after the second side
};

/// A wait of a stream or of the host near a race that orders nothing there.
struct useless_wait {
  useless_wait_kind kind = useless_wait_kind::failed;  ///< why it orders nothing here
  /// cudaStreamWaitEvent, cudaEventSynchronize, cudaStreamSynchronize, cudaStreamQuery; cudaLaunchHostFunc of what announced too
  /// early; cudaStreamDestroy.
  trace::call_id wait = 0;
  trace::operation_id record = 0;  ///< the event record it speaks of, or the host function; 0: none
  /// too_late: the call of the same line that makes another stream wait, the last between the two sides; 0: none.
  trace::call_id in_its_place = 0;
};

/// Races with one missing edge.
struct race_cause {
  race_kind kind = race_kind::unordered;  ///< what sort of mistake it is
  race example;                           ///< the first race of this cause
  race_side from;                         ///< the missing edge goes from the end of this one ...
  race_side to;           ///< ... to the beginning of this one; every race of the cause lies around it
  std::size_t pairs = 1;  ///< races with this cause
  /// Of the first sides that are operations, each once: that of the example first.
  std::vector<trace::stream_id> streams{};
  /// The sides of the races, one of each line, as far as they are operations.
  std::vector<race_side> firsts{}, seconds{};
};

/// The causes of the races, in order of their first race. Two races have one cause when they are between the
/// same streams, branches of graphs and threads, and one edge orders both, or when they are on the same pair
/// of lines.
std::vector<race_cause> causes_of(const trace::recording& recording, const ordering& order,
                                  const std::vector<race>& races);

/// Whether the side is code of the host: a statement of a thread, or a host function.
bool runs_on_host(const trace::recording& recording, const race_side& side);

/// Whether both are nodes of the same launch of a graph, which only its edges order.
bool are_in_one_graph(const trace::recording& recording, const race_side& first, const race_side& second);

/// Whether a line of the user's, or what it calls, reads behind the wait, before its thread waits again, what was written in the
/// stream that it waits for: then it is there for that. `end`: host accesses from that number on do not count.
bool serves_next_reads(const trace::recording& recording, const trace::host_call& wait, std::size_t end);

/// The wait that was perhaps meant to be the missing edge, the likeliest; nullopt when there is none. What
/// orders two nodes of one graph is no wait of the program, so there is none for them. `function`: only its calls are looked at.
std::optional<useless_wait> find_useless_wait(const trace::recording& recording, const ordering& order,
                                              const race_cause& cause,
                                              const std::optional<part>& function = std::nullopt);

}  // namespace analysis
