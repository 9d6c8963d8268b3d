// races_of_locks.h: locks in the learner's file that do not put a race in order, and why.
#pragma once

#include "analysis/race_diagnosis.h"
#include "matchers/facts/run_facts.h"
#include "report/result.h"

namespace matchers {

/// Names the mutexes that threads do not share; one that a side holds, in place of advice for data without a lock. True for such a one.
bool tell_of_private_mutexes(const run_facts& run, const analysis::race_diagnosis& race,
                             report::evidence& why);

/// Of sides that each hold a mutex of one name, and are not in order: says that these are two, in place of advice for data without a
/// lock. False when there is none, and where threads may share a lock.
bool tell_of_mutexes_of_one_name(const run_facts& run, const analysis::race_diagnosis& race,
                                 report::evidence& why);

/// Of locks that lock nothing for the lines below them: says so in place of advice for what is shared. False when there is none.
bool tell_of_unnamed_locks(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why);

/// Of what a thread writes under a lock, and an operation reads: says where that lock is not held.
void tell_of_short_lock(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why);

/// Of an operation that is issued under a lock, and outlasts it until another thread writes under the same one: says so in place of
/// advice to wait. Names the wait that its thread makes for it, where it comes behind the lock.
void tell_of_outlasted_lock(const run_facts& run, const analysis::race_diagnosis& race,
                            report::evidence& why);

}  // namespace matchers
