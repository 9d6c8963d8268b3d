// given_calls.h: what drivers note outside of CUDA: calls of functions that the contract gives, and where results are taken from.
//
// Both are marks of the recording: "call:load:3:slots[0].input" (exercise::noted_calls; the memory is left out where the call has none), "source:results:4000:0:slots[1].output"
// (exercise::note_source).
//
//     for (const given_call& call : calls_of_given(run, "load")) call.where;   // "ring.cu:16"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matchers/facts/run_facts.h"

namespace matchers {

/// A call of a function that the contract gives.
struct given_call {
  std::int64_t item = 0;
  std::string where{};  ///< the learner's line; "" when not known
  trace::location place{};
  trace::call_id after = 0;  ///< the last call of CUDA, or work of the host, before it
  trace::nanoseconds time{0};
};

/// Those in the part, in their order.
std::vector<given_call> calls_of_given(const run_facts& run, const std::string& function);

/// Memory that a call of a function that the contract gives filled.
struct filled_memory {
  std::int64_t item = 0;
  std::string memory;
  const trace::mark* taken = nullptr;  ///< of the call
};

/// Those in the part whose memory the driver named, in their order.
std::vector<filled_memory> memory_filled(const run_facts& run);

/// The learner's line of the first call in the part that was given other memory than the contract says; "" when not known.
std::string line_of_misplaced(const run_facts& run, const std::string& function);

/// Where the driver took an element of an answer from.
struct element_source {
  std::string memory;  ///< its name; "": it has none, as what the learner's function makes
  std::uint64_t byte = 0;
  trace::allocation_id allocation = 0;  ///< memory without a name; 0: not known
  const trace::mark* taken = nullptr;
};

/// Nothing when the driver did not say so.
std::optional<element_source> source_of_element(const run_facts& run, const std::string& answer,
                                                std::size_t index);

}  // namespace matchers
