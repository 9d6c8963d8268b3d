// useless_wait_sentences.h: why the wait that was probably meant to order the two sides of a race does not.
#pragma once

#include <string>

#include "report/wording/race_words.h"

namespace report {

/// The wait, and why it does not help. Ends with a blank unless it is the last sentence about the race. "" where there is no wait.
std::string useless_wait_sentences(const race_words& race);

}  // namespace report
