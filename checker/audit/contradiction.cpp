#include "audit/contradiction.h"

#include <fmt/core.h>

#include <cstdlib>

#include "trace/words.h"

namespace audit {

std::string in_words(const trace::operation& operation) {
  return fmt::format("Operation {} ({}, stream {})", operation.id, trace::word_of(operation.kind),
                     operation.stream);
}

std::string in_words(const trace::host_call& call) {
  return fmt::format("Call {} ({})", call.id, trace::name_of(call));
}

contradiction different_times(const std::string& subject, const char* event, trace::nanoseconds recorded,
                              trace::nanoseconds again) {
  return {fmt::format("{} {} at {} ns in the recording and at {} ns when its work is done again: {} ns {}.",
                      subject, event, recorded.count(), again.count(), std::abs((recorded - again).count()),
                      recorded < again ? "later" : "earlier")};
}

}  // namespace audit
