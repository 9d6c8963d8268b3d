// race_cures.h: how to put the two sides of a race in order.
#pragma once

#include <string>

#include "report/wording/race_words.h"

namespace report {

/// The cures in order of cost, and what to look at when the two were not meant to share bytes.
std::string race_cures(const race_words& race);
/// Of two operations of one line that write pieces of a buffer which overlap.
std::string cure_of_overlapping_pieces(const race_words& race);
/// Of a host function that took the place of a wait.
std::string cure_of_announcement(const race_words& race);

}  // namespace report
