// reason_sentences.h: why an operation did not start earlier.
//
//     report::root_sentence_of(names, reasons, operation)
//     // "It had to wait for the copy H2D 2 of 1.0 MB to the device in stream 2, which is before it in the stream."
#pragma once

#include <string>

#include "analysis/reasons.h"
#include "report/wording/operation_names.h"
#include "trace/recording.h"

namespace report {

/// One sentence; "" when the reason is not known. Inferred reasons are called "probably".
std::string sentence_of(const operation_names& names, const analysis::link& link);

/// The reason for the first operation, back along the stream, that waited for something else than its stream.
std::string root_sentence_of(const operation_names& names, const analysis::reasons& reasons,
                             trace::operation_id operation);

/// For the critical path, which names the operation before it anyway: "next in its stream".
std::string short_reason_of(const trace::recording& recording, const analysis::link& link);

}  // namespace report
