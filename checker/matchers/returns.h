// returns.h: the matcher of the data that came back.
//
//     EXPECT_THAT(run(), Returns("output", expected, in_batches_of(elements, "request")));
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "matchers/matcher.h"
#include "report/mistake.h"

namespace matchers {

/// Of the operations that made a value and brought it, the one whose line is to be looked at.
enum class line_of { maker, last_writer };

/// What a wrong value tells in one lesson.
struct value_meaning {
  report::mistake mistake;
  std::string sentence;
  line_of leads_to = line_of::maker;
};

/// How a message speaks of the elements of a buffer.
struct batching {
  std::size_t elements = 0;  ///< of a batch; 0: there are no batches
  std::string name = "batch";
  std::vector<float> held_before =
      {};  ///< what the caller put into the buffer; empty: the fill of all outputs
  /// What that value tells that was found at that index; nothing for a value of which the lesson knows nothing.
  std::function<std::optional<value_meaning>(std::size_t index, float value)> explain = {};

  batching explained_by(std::function<std::optional<value_meaning>(std::size_t, float)> meaning) const {
    batching copy = *this;
    copy.explain = std::move(meaning);
    return copy;
  }
};

/// Batches of that many elements, under the name that the lesson gives them. The result of another batch is recognised.
batching in_batches_of(std::size_t elements, std::string name = "batch");

/// Every run answered with a buffer of floats of that name equal to `expected`, bit for bit. Fails with
/// wrong_answer, naming the schedule, the first wrong element, and what its value tells (see poison.h); with
/// infra_error when a run has no such buffer or one of another size.
matcher Returns(std::string name, std::vector<float> expected, batching batches = {});

}  // namespace matchers
