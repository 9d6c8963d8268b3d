// misuse.h: mistakes in the use of CUDA that a recording shows, other than races (races.h).
//
// Each is a fact with its call and the object that it is about. Not here: sentences (report/wording/misuse_sentences.h).
//
//     for (const analysis::misuse& each : analysis::find_misuse(part, order)) ...
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/ordering.h"
#include "analysis/part.h"
#include "trace/recording.h"

namespace analysis {

/// Sorts of misuse.
enum class misuse_kind {
  reported_by_backend,  ///< a kernel or the host did what it may not; `diagnostic` says what
  freed_while_in_use,  ///< `operation` uses `allocation` and is not known to be complete when `call` frees it
  used_after_destruction,  ///< `call` names a stream or an event that no longer exists
  unrecorded_event,        ///< `call` waits for an event that the program never records: it waits for nothing
  no_time_between_events,  ///< cudaEventElapsedTime gave no time: an event is not recorded, or not complete
  failed_release,          ///< `call` could not free memory: it had been freed, or another function frees it
  unchecked_error,  ///< `call` failed, nothing takes what it returns, and nothing asks for the error; see `went_on`
  stream_leak,  ///< created by `call` and never destroyed
  event_leak,
  graph_leak,         ///< `diagnostic` says what kind of graph
  registration_leak,  ///< memory, registered by `call` and never unregistered
  memory_leak,        ///< allocated by `call` and never freed
};

/// One thing that CUDA does not allow, or that is useless; what does not apply is 0.
struct misuse {
  misuse_kind kind = misuse_kind::reported_by_backend;  ///< which
  trace::call_id call = 0;                              ///< the call to look at; 0: see `diagnostic`
  trace::operation_id operation = 0;                    ///< the operation that it is about
  trace::stream_id stream = 0;                          ///< the stream
  trace::event_id event = 0;                            ///< the event
  trace::allocation_id allocation = 0;                  ///< the memory
  trace::call_id went_on =
      0;  ///< unchecked_error: the next call that does something or failed too; 0: none does
  std::size_t diagnostic = 0;  ///< reported_by_backend, graph_leak: index into recording::diagnostics
  std::size_t times = 1;       ///< how often this happened on this line
  /// freed_while_in_use: of all the work that may still use the memory, each once.
  std::vector<trace::stream_id> streams{};
};

/// The misuse in the part, in the order of the calls; one entry a kind, line and function that is called
/// there. What was created in the part has to be destroyed by the end of the run at the latest. `order` is that of the recording. Where the
/// recording does not say which bytes operations used, nothing is said about freeing them.
std::vector<misuse> find_misuse(const part& part, const ordering& order);

/// Whether something was never released.
constexpr bool is_leak(misuse_kind kind) { return kind >= misuse_kind::stream_leak; }

/// The stable word of the kind: "freed_while_in_use"; for what the backend reported, its own word.
std::string_view rule_of(const trace::recording& recording, const misuse& misuse);

/// The call that had destroyed the stream or the event that this one names; nullptr when they still existed.
const trace::host_call* destruction_before(const trace::recording& recording, const trace::host_call& use);

/// The lines to look at, the most telling first.
std::vector<trace::location> places_of(const trace::recording& recording, const misuse& misuse);

}  // namespace analysis
