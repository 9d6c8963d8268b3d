// region_sentences.h: races between two threads of one parallel region of OpenMP, in OpenMP's words.
//
// Not here: what says who a side is (race_sentences.h).
//
//     if (is_within_region(recording, example)) text += region_sentences(recording, example);
#pragma once

#include <string>

#include "analysis/races.h"
#include "trace/recording.h"

namespace report {

/// The part of a thread in a parallel region to which the side belongs; of an operation, that of the thread that issues it. nullptr
/// where there is none.
const trace::region_thread* region_thread_of(const trace::recording& recording,
                                             const analysis::race_side& side);

/// Whether the two sides belong to different threads of one region.
bool is_within_region(const trace::recording& recording, const analysis::race& race);

/// "OpenMP thread 1"; "the host" and "host thread 2" outside of regions.
std::string thread_in_words(const trace::recording& recording, const analysis::race_side& side);

/// Of a race within a region: which region, why nothing orders the two, and the cures.
std::string region_sentences(const trace::recording& recording, const analysis::race& race);

}  // namespace report
