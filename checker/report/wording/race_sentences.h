// race_sentences.h: races in the words of streams.
//
//     report::describe(seen, order, cause, {});
//     // "Kernel scale 1 in stream 2 (program.cu:41) writes bytes 0 to 4095 of the device allocation of
//     //  program.cu:20, and the copy D2H 1 in stream 3 (program.cu:44) reads them. Nothing makes
//     ..."
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ordering.h"
#include "analysis/part.h"
#include "analysis/race_causes.h"
#include "trace/recording.h"

namespace report {

/// Whom the text is for.
struct race_reader {
  /// The part in which the reader's own function ran; what happens after it is told as the caller's doing.
  /// Without it the whole program is the reader's.
  std::optional<analysis::part> function;
};

/// What most likely is wrong, in a word for tables of advice.
inline constexpr std::array<std::string_view, 11> race_mistakes{
    "unfinished_at_return",      // the caller goes on while the device still works
    "default_stream_unordered",  // the legacy default stream and a non-blocking stream
    "recorded_too_early",        // there is a wait, but its event stands for less
    "never_recorded",            // there is a wait for an event that had not been recorded
    "wait_in_another_stream",    // another stream waits than the one that should
    "wait_for_another_stream",   // the wait is for another stream than the one it should be for
    "result_read_early",         // the host reads what the device has not finished
    "source_overwritten",        // the host writes what a copy may still have to read
    "host_not_awaited",          // the device is given what a host thread still uses
    "buffer_reused",             // an operation overwrites what one in another stream uses
    "result_not_awaited"};       // an operation reads what one in another stream makes

/// The one of these words that fits the cause.
std::string_view mistake_in(const trace::recording& seen, const analysis::ordering& order, const analysis::race_cause& cause,
                            const race_reader& reader);

/// "kernel scale 1 in stream 2 (async_copy.cu:41) writes bytes 0 to 4095 of the device allocation of
/// async_copy.cu:20".
std::string describe(const trace::recording& seen, const analysis::race_side& side, const analysis::race& found);

/// Both sides; the edge that is missing, and the wait that was perhaps meant to be it; the usual cures in
/// order of cost; and what to look at when the two were not meant to share bytes.
std::string describe(const trace::recording& seen, const analysis::ordering& order, const analysis::race_cause& cause,
                     const race_reader& reader);

/// The lines to look at, the most telling first, each once: those of the two sides and of a wait that does
/// not help. Lines of the caller, and of files that the reader was
/// given, are left out.
std::vector<trace::location> places_of(const trace::recording& seen, const analysis::ordering& order,
                                       const analysis::race_cause& cause, const race_reader& reader);

}  // namespace report
