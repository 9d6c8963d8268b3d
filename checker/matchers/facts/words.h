// words.h: shares and reasons in a sentence, beside the words of report/wording/names.h.
//
//     reason_to_wait(run, operation);   // "Its copy engine was busy with ..."
#pragma once

#include <cstddef>
#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/facts/run_facts.h"
#include "report/result.h"
#include "report/text_layout.h"
#include "report/wording/names.h"
#include "report/wording/place_text.h"
#include "trace/recording.h"

namespace matchers {

using report::duration_words;
using report::in_words;
using report::place_of;

/// "62 %", rounded down, so that "60 %" is never said of less.
std::string percent(double fraction);

/// "1.5 MB"
std::string megabytes(std::size_t bytes);

/// "`first` = 0": the integer argument of the kernel; "0" where the recording does not know its name.
std::string integer_in_words(const trace::recording& recording, const trace::operation& kernel,
                             std::size_t index);
/// All of them, with a comma between.
std::string integers_in_words(const trace::recording& recording, const trace::operation& kernel);
/// "1 block", "12 blocks": of a kernel.
std::string blocks_in_words(const trace::operation& kernel);

/// What held the operation of the part back until it started, followed along its stream to the root, as far
/// as that is in the part; "" when it is not known, or the part begins with the operation. Where that is an event, also the host that issued what it stands for late.
std::string reason_to_wait(const run_facts& run, const trace::operation& operation);

/// The learner's line in which the host was when it should have issued that, or what holds it up along its
/// stream and, by events, other streams; not known when the host did not hold it back there.
trace::location line_that_held_back(const run_facts& run, const trace::operation& operation);

/// Whether the call hands on an error that belongs to another.
bool only_reports_errors(const trace::host_call& call);

/// The calls of the part that failed, without those that hand on the error of another.
std::vector<trace::call_id> failed_calls(const run_facts& run);

/// "cudaMemcpyAsync (a.cu:12) failed with cudaErrorInvalidValue. 3 calls failed in all.": of failed_calls(); "" without any.
std::string failures_in_words(const run_facts& run);

/// Whether no line of the user's file called CUDA in the part.
bool calls_nothing(const run_facts& run);

/// Says that the part has nothing of the set: with the first call that failed and its line, or else the first other operation.
void say_there_is_none(const run_facts& run, const operation_set& set, report::evidence& why);

/// The first call of the part that has that effect and failed: "cudaMemcpyAsync (a.cu:12) failed with cudaErrorInvalidValue". ""
/// when none failed.
std::string failure_of_call(const run_facts& run, trace::call_effect effect);
/// The same of a copy or a kernel that was refused.
std::string refused_work(const run_facts& run);

/// Of work in a default stream, where each stream that the part made is without work, or each has other work: says so, and leads to
/// where the first of them was made as well.
void tell_of_created_streams(const run_facts& run, const trace::operation& in_default_stream,
                             report::evidence& why);

/// A cause of lost time in a sentence, with its line and its word.
struct cause_words {
  std::string sentence;
  trace::location where;
  std::string_view mistake;
  trace::operation_id late = 0;  ///< the operation that the sentence names as delayed; 0: none
  /// Of a wait for an event by which the operations that were asked about wait for what they do not need; "" of other causes.
  std::string cure_of_wait{};
};

/// The first cause by cost of what the part lacks in overlap, one that only another division of the work would cure after
/// all others; empty when nothing holds the work up for a twentieth of its time.
cause_words costliest_cause(const run_facts& run);

/// The first cause by cost of those that delayed one of the operations themselves, as far as it costs something; else
/// costliest_cause().
cause_words costliest_cause(const run_facts& run, const operation_ids& operations);

/// " (async_copy.cu:18)"; "" for no line.
std::string in_brackets(const std::string& line);

/// "once", "4 times".
std::string times_in_words(std::size_t count);

}  // namespace matchers
