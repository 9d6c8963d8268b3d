// names.h: how the parts of a recording are called in sentences for people.
//
// A stream or an allocation that was given a name is called by it; else it is told by its number or by the
// line that made it. Not here: whole reports (race_sentences.h, misuse_sentences.h).
//
//     operation_in_words(seen, operation)  // "kernel scale 3 in `upload` (async_copy.cu:41)"
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// "kernel scale 3", "the copy H2D 3": its name (operation_names.h), without its stream and its line.
std::string kind_in_words(const trace::recording& seen, const trace::operation& operation);
/// "node 2 of the graph": nodes count from 1 in the order in which they were put into their graph.
std::string node_in_words(const trace::operation& node);
/// The operation with its stream or its place in a graph and, where it is known, its line.
std::string operation_in_words(const trace::recording& seen, const trace::operation& operation);
/// "the device allocation of program.cu:20", "`input` (pinned memory)"; of one made in a given file without a
/// name "the 4096 bytes of device memory of the caller".
std::string allocation_in_words(const trace::recording& seen, trace::allocation_id id);
/// "pageable", "pinned", "device", "managed".
std::string memory_in_words(trace::memory_kind kind);
/// "bytes 8 to 11", "byte 8".
std::string bytes_in_words(trace::byte_range bytes);
/// "cudaMemcpyAsync", and "the launch" for a kernel launch.
std::string call_in_words(const trace::host_call& call);
/// " (program.cu:41)", or "" when the place is not known or given.
std::string in_parentheses(const trace::recording& seen, const trace::location& where);
/// With a capital letter at its begin, as a sentence has it; a text that begins with a name of a program
/// ("cudaMemcpyAsync waits", "host_task() runs") stays as it is.
std::string capitalized(std::string text);

}  // namespace report
