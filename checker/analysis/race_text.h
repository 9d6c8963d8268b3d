// race_text.h: races in the words of streams.
//
//     analysis::describe(seen, order, cause, {});
//     // "Kernel scale in stream 2 (program.cu:41) writes bytes 0 to 4095 of the device allocation of
//     //  program.cu:20, and the device-to-host copy in stream 3 (program.cu:44) reads them. Nothing makes
//     ..."
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ordering.h"
#include "analysis/part.h"
#include "analysis/race_causes.h"
#include "trace/recording.h"

namespace analysis {

/// Whom the text is for.
struct race_reader {
  /// The part in which the reader's own function ran; what happens after it is told as the caller's doing.
  /// Without it the whole program is the reader's.
  std::optional<part> function;
};

/// "kernel scale in stream 2 (async_copy.cu:41) writes bytes 0 to 4095 of the device allocation of
/// async_copy.cu:20".
std::string describe(const trace::recording& seen, const race_side& side, const race& found);

/// Both sides; the edge that is missing, and the wait that was perhaps meant to be it; the usual cures in
/// order of cost; and what to look at when the two were not meant to share bytes.
std::string describe(const trace::recording& seen, const ordering& order, const race_cause& cause,
                     const race_reader& reader);

/// The lines to look at, the most telling first, each once: those of the two sides and of a wait that does
/// not help. Lines of the caller, and of files that the reader was
/// given, are left out.
std::vector<trace::location> places_of(const trace::recording& seen, const ordering& order,
                                       const race_cause& cause, const race_reader& reader);

}  // namespace analysis
