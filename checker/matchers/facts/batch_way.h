// batch_way.h: where the result of a batch went whose input the driver wrote into memory that it named.
//
// Not here: how an element came to be what it is (element_history.h).
//
//     const auto way = way_of_batch(run, 0);   // way->memory: "lanes[0].output"
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "matchers/facts/given_calls.h"
#include "matchers/facts/run_facts.h"

namespace matchers {

/// The memory to which the result of a batch was brought, and by what.
struct batch_way {
  trace::allocation_id memory = 0;
  trace::operation_id copy = 0;
};

/// Follows the batch from the memory that the driver filled with it, through the operations in the order of their issue: the next
/// that touches the memory has to read it. Nothing when the recording does not say where it was filled, when it was filled twice, or
/// when something else was written there before it was read.
std::optional<batch_way> way_of_batch(const run_facts& run, std::int64_t batch);

/// Why the result of the batch was not in the memory that the driver took it out of.
struct batch_elsewhere {
  std::string sentence;
  trace::location place;  ///< to look at first: the call that took it out, or what wrote over it
  bool is_in_other_element = false;  ///< of the array in which it was looked for
};

/// Nothing when way_of_batch() knows nothing, or the result was there.
std::optional<batch_elsewhere> why_not_there(const run_facts& run, const std::string& item_name,
                                             std::int64_t batch, const element_source& source);

}  // namespace matchers
