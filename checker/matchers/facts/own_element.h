// own_element.h: arrays whose elements have a stream and memory each, such as `lanes[0].stream` and `lanes[0].device_input`.
#pragma once

#include <optional>
#include <string>

#include "analysis/races.h"
#include "matchers/facts/run_facts.h"

namespace matchers {

/// "lanes[1]" of "lanes[1].stream"; "" of other names.
std::string element_of(const std::string& name);

/// Whether these differ in the number of an element only: "slots[0].output" and "slots[1].output".
bool are_of_one_array(const std::string& one, const std::string& other);

/// An operation that works in the stream of one element with the memory of another, and with none of its own.
struct mixed_elements {
  trace::operation_id operation = 0;
  std::string stream{};  ///< "lanes[1]"
  std::string memory{};  ///< "lanes[0]"
};

/// That of a side of the race, where its line works in several of these streams in turn. Nothing where a line has one stream, as
/// where each kind of work has its own: there the memory of all elements is used in each.
std::optional<mixed_elements> mixed_elements_of(const run_facts& run, const analysis::race& race);

}  // namespace matchers
