// skipped_calls.h: CUDA calls that stand in the learner's file, would have kept a failure away, and were never made.
//
// The file is read as tokens, not compiled: what macros hide is not found. Calls that another way out of a function makes, or the
// other branch of an if, are left out.
//
//     name_skipped_calls(run, found.mistake, found.why);   // "cudaFree (a.cu:17) was never called."
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matchers/facts/run_facts.h"
#include "report/result.h"
#include "trace/call_promise.h"

namespace matchers {

/// Says which calls of the kind that the mistake of that word lacks no run has made, what is known to skip them, and puts their lines first. Nothing
/// when there are none, or when a recording does not have all calls with their lines.
void name_skipped_calls(const run_facts& run, std::string_view word, report::evidence& why);

/// Of a call that was made too seldom, at the first place: says which condition or return is before it in its function, and adds that
/// line; or, where the function always reaches it, before the nearest of the lines that called it (`callers`, the nearest first).
/// Nothing where the line itself has the condition, and where there is none.
void name_condition_before(const learner_source& source, report::evidence& why,
                           const std::vector<std::string>& callers = {});

/// Of a call that was made too often: says under which condition it was made, in its function or that of the nearest of the lines that called it, and
/// where what the condition calls is defined; adds those lines, and as values what gives theirs to them. Nothing where it has none.
void name_condition_around(const run_facts& run, const trace::host_call& call, report::evidence& why);

/// Of operations that stop short, the last at that place: the line of the outermost loop around it, or around the nearest of the lines that
/// called it; the inner one of two where the outer repeats all of them. And what leaves that loop ahead of the place: "the loop (a.cu:7)",
/// "the loop (a.cu:7), which is left at a.cu:9,". Leads to the latter, else to the loop. "" where there is none.
std::string name_loop_around(const run_facts& run, const trace::location& place, report::evidence& why);

/// A call with that effect at a line that the part has not reached, in another call of the same function, which begins at the same
/// line; nullptr when there is none.
const trace::host_call* call_of_other_calls(const run_facts& run, trace::call_effect effect);

/// Says of such a call that the part has not reached it, and at which return it left before; leads to these. Nothing when there is none.
void name_unreached_call(const run_facts& run, trace::call_effect effect, report::evidence& why);

}  // namespace matchers
