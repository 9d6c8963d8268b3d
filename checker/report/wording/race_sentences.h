// race_sentences.h: races in words.
//
//     report::race_sentences(recording, diagnosis);
//     // "The kernel scale 1 in stream 2 (program.cu:41) writes bytes 0 to 4095 of the device allocation of
//     //  program.cu:20, and the copy D2H 1 of 4.1 KB to the host in stream 3 (program.cu:44) reads them. ..."
#pragma once

#include <string>
#include <string_view>

#include "analysis/race_diagnosis.h"
#include "trace/recording.h"

namespace report {

/// "A result is read before it is ready".
std::string_view title_of(analysis::race_kind kind);

/// Both accesses, and no more: who reads or writes which bytes, and who else does. Ends with a blank.
std::string race_sides(const trace::recording& recording, const analysis::race_diagnosis& race);

/// Both accesses; the missing edge, and the wait that was probably meant to be it; the cures in order of cost; and what
/// to look at when the two were not meant to share bytes.
std::string race_sentences(const trace::recording& recording, const analysis::race_diagnosis& race);

}  // namespace report
