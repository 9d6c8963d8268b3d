// host_race_sentences.h: races of which at least the first side is host code: threads and host functions.
#pragma once

#include <string>

#include "report/wording/race_words.h"

namespace report {

/// Of threads and host functions that share data: what is missing, and the cures.
std::string host_code_sentences(const race_words& race);
/// Of a thread that uses memory, and an operation that comes later: the same.
std::string host_before_device_sentences(const race_words& race);

}  // namespace report
