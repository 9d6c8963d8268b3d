// host_work_places.h: where the work of the host is called from, in words.
//
//     why.observation += " The work began " + place_of_work(run, calls.front(), why);   // "at a.cu:12"
#pragma once

#include <string>

#include "matchers/facts/run_facts.h"
#include "report/result.h"
#include "trace/recording.h"

namespace matchers {

/// Whether the call is one of CUDA in a line of the learner's.
bool is_own_call(const run_facts& run, trace::call_id id);

/// The host function that did that work; nullptr when a thread did.
const trace::operation* host_function_around(const run_facts& run, const trace::host_call& work);

/// Where that work is called or started in the learner's file; where no line is known, which of the learner's calls came before it,
/// or, where none did, after it. Sets the line, if there is none yet.
std::string place_of_work(const run_facts& run, trace::call_id work, report::evidence& why);

}  // namespace matchers
