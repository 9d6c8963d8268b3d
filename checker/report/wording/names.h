// names.h: the name of each stream, operation, call and allocation in all sentences.
//
// A name that the program gave is used. Not here: the short names of operations in pictures
// (operation_names.h), sentences (race_sentences.h, misuse_sentences.h, ...).
//
//     report::in_words(recording, operation)  // "the copy H2D 3 of 1.0 MB to the device in stream 2"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/reasons.h"
#include "report/wording/operation_names.h"
#include "trace/recording.h"

namespace report {

/// The host thread whose default stream that is, the first that used it; 0: nobody did. For per-thread default streams.
trace::thread_id thread_of(const trace::recording& recording, const trace::stream& stream);

/// The number of a stream without a name in sentences and pictures: from 1 in the outermost part of the run in which it was created,
/// so that each call of a function has the same; of a run without parts its id.
std::size_t number_of(const trace::recording& recording, trace::stream_id id);

/// "the default stream", "stream 2", "`upload`" for one with a name, "the per-thread default stream of host thread 2".
std::string stream_in_words(const trace::recording& recording, trace::stream_id id);

/// "the host", "host thread 2".
std::string thread_in_words(trace::thread_id thread);

/// "the copy H2D 3 of 1.0 MB to the device in stream 2", with the name from the pictures. Operations that code of
/// others issued are marked.
std::string in_words(const trace::recording& recording, const trace::operation& operation);
/// Faster for many operations.
std::string in_words(const operation_names& names, trace::operation_id id);
/// "the copy H2D 3 of 1.0 MB to the device".
std::string without_stream_in_words(const trace::recording& recording, const trace::operation& operation);
/// "node 2 of the graph": counted from 1 in the order in which the nodes were added.
std::string node_in_words(const trace::operation& node);

/// Of a blocking copy of pageable memory to the device, why the return of the call does not mean that it is over, and the cure: a
/// sentence with a space behind it; "" of others. @see CUDA Runtime API, "API synchronization behavior"
std::string end_of_staged_copy_in_words(const trace::recording& recording, const trace::operation& operation);

/// "cudaMemcpyAsync", and "the launch" for a kernel launch.
std::string call_in_words(const trace::host_call& call);
/// "cudaMemcpy (async_copy.cu:18)", without the place when it is not known. In a file that the user did not write:
/// "host_work in a function that yours calls".
std::string in_words(const trace::recording& recording, const trace::host_call& call);

/// "the device allocation of program.cu:20", "`input` (pinned memory)". Allocated in a file that the user did not
/// write: "the 4096 bytes of device memory of the caller".
std::string allocation_in_words(const trace::recording& recording, trace::allocation_id id);
/// "1.0 MB", in units of 1000.
std::string size_in_words(std::size_t bytes);
/// "bytes 8 to 11", "byte 8".
std::string range_in_words(trace::byte_range bytes);

/// "copies to the device".
std::string_view engine_in_words(analysis::engine engine);

/// " (program.cu:41)"; "" when the place is not known or in a file that the user did not write.
std::string in_parentheses(const trace::recording& recording, const trace::location& place);
/// "async_copy.cu:18" of the call that issued the operation; "" as above.
std::string place_of(const trace::recording& recording, const trace::operation& operation);

/// The text with a capital first letter, unless it begins with an identifier ("cudaMemcpyAsync waits", "host_task()
/// runs").
std::string capitalized(std::string text);
/// The same, with a full stop at its end.
std::string as_sentence(const std::string& text);

}  // namespace report
