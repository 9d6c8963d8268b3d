// races_of_variables.h: which variable of the learner's file a race of host code is about, and what is wrong with how it is shared.
#pragma once

#include "analysis/race_diagnosis.h"
#include "matchers/facts/run_facts.h"
#include "report/result.h"

namespace matchers {

/// The side of a race of host code that a loop of the learner's reads, to wait for what the other side writes; nullptr: neither.
const analysis::race_side* waiting_loop(const run_facts& run, const analysis::race_diagnosis& race);

/// Of what a thread still uses when a line above has handed it on, and the other thread has gone on by that: says so in place of
/// advice for what is shared. False when there is none.
bool tell_of_early_hand_over(const run_facts& run, const analysis::race_diagnosis& race,
                             report::evidence& why);

/// Says which variable the threads share, where the learner's file shows it.
void tell_of_variable(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why);

}  // namespace matchers
