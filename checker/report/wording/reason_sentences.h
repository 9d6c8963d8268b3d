// reason_sentences.h: why an operation did not start earlier.
//
//     report::root_sentence_of(names, reasons, operation)
//     // "It had to wait for the copy H2D 2 of 1.0 MB to the device in stream 2, which is before it in the same stream."
#pragma once

#include <string>

#include "analysis/reasons.h"
#include "report/wording/operation_names.h"
#include "trace/recording.h"

namespace report {

/// One sentence; "" when it is not known. What is only inferred is said to be "probably" so.
std::string sentence_of(const operation_names& names, const analysis::link& link);

/// For an operation, followed along its stream to the first one that was held up by something else.
std::string root_sentence_of(const operation_names& names, const analysis::reasons& reasons,
                             trace::operation_id operation);

/// A few words, where the operation before it on the critical path is named anyway: "next in its stream".
std::string short_reason_of(const trace::recording& recording, const analysis::link& link);

}  // namespace report
