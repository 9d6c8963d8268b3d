// misuse_sentences.h: misuse of the API in words.
//
//     report::misuse_sentences(recording, misuse)
//     // "cudaStreamWaitEvent (program.cu:30) waits for an event that the program never records: ..."
#pragma once

#include <string>
#include <string_view>

#include "analysis/misuse.h"
#include "trace/recording.h"

namespace report {

/// "Memory is freed while it is in use".
std::string_view title_of(const trace::recording& recording, const analysis::misuse& misuse);

/// The misuse and its cure, in one to three sentences.
std::string misuse_sentences(const trace::recording& recording, const analysis::misuse& misuse);

/// The reason why the backend refused the call, as a sentence; of an error that a capture causes, its
/// meaning. "" when the recording has none. Ends with the line where the memory was allocated that the refusal is about, if known.
std::string reason_of_refusal(const trace::recording& recording, trace::call_id call);

/// Of a kernel that used a null pointer: which allocation before its launch had failed, the last one, as a sentence behind a blank. ""
/// of another fault, and where none had.
std::string failed_allocation_before(const trace::recording& recording, const trace::diagnostic& fault);

}  // namespace report
