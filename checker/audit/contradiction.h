// contradiction.h: something in a recording that cannot have been so; thrown where it is found.
#pragma once

#include <string>

#include "trace/recording.h"

namespace audit {

/// In a sentence.
struct contradiction {
  std::string sentence;
};

/// "Operation 12 (copy, stream 3)", to begin a sentence with.
std::string in_words(const trace::operation& operation);
/// "Call 17 (cudaMemcpyAsync)".
std::string in_words(const trace::host_call& call);

/// `event` is a verb: "ended".
contradiction different_times(const std::string& subject, const char* event, trace::nanoseconds recorded,
                              trace::nanoseconds again);

/// Throws `subject` with the rest of the sentence unless it holds.
template <typename Entry>
void require(bool holds, const Entry& subject, const char* otherwise) {
  if (!holds) throw contradiction{in_words(subject) + ' ' + otherwise + '.'};
}

/// Throws unless both times are the same.
template <typename Entry>
void require_same(const Entry& subject, const char* event, trace::nanoseconds recorded,
                  trace::nanoseconds again) {
  if (recorded != again) throw different_times(in_words(subject), event, recorded, again);
}

}  // namespace audit
