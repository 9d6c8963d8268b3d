// operation_words.h: how operations and calls of a recording read in a sentence.
//
//     report::in_words(seen, seen.operation_at(3));   // "the copy H2D 3 of 1.0 MB to the device in stream 2"
#pragma once

#include <string>

#include "report/wording/operation_names.h"
#include "trace/recording.h"

namespace report {

/// "stream 2", "`upload`" for one with a name; "the default stream" for the legacy one.
std::string stream_in_words(const trace::recording& seen, trace::stream_id id);

/// "1.0 MB", in units of 1000.
std::string bytes_in_words(std::size_t bytes);

/// "the kernel transform 3 in stream 2", with the name that the operation has in pictures; the legacy default
/// stream is called "the default stream". Of what given code issued that is said.
std::string in_words(const trace::recording& seen, const trace::operation& what);
/// The same, for many operations.
std::string in_words(const operation_names& names, trace::operation_id id);

/// "cudaMemcpy (async_copy.cu:18)"; launches read "the launch". The place is left out when not known. What is
/// called in a file that the reader was given reads "host_work in a function that yours calls".
std::string in_words(const trace::recording& seen, const trace::host_call& what);

/// "async_copy.cu:18" of the call that issued the operation, or "" when not known or given.
std::string place_of(const trace::recording& seen, const trace::operation& what);

}  // namespace report
