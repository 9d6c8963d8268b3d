#include "matchers/facts/own_element.h"

#include <algorithm>

#include "analysis/places.h"

namespace matchers {

std::string element_of(const std::string& name) {
  const std::size_t end = name.find("].");
  return end == std::string::npos ? "" : name.substr(0, end + 1);
}

bool are_of_one_array(const std::string& one, const std::string& other) {
  const std::size_t begin = one.find('[');
  const auto rest = [](const std::string& name) {
    return name.substr(std::min(name.find(']'), name.size()));
  };
  return begin != std::string::npos && one.compare(0, begin + 1, other, 0, begin + 1) == 0 &&
         rest(one) == rest(other);
}

namespace {

bool uses_memory_of(const trace::recording& recording, trace::operation_id id, const std::string& element) {
  const auto& accesses = recording.operation_at(id).accesses;
  return std::any_of(accesses->begin(), accesses->end(), [&](const trace::access& one) {
    return element_of(recording.allocation_at(one.allocation).name) == element;
  });
}

}  // namespace

std::optional<mixed_elements> mixed_elements_of(const run_facts& run, const analysis::race& race) {
  const trace::recording& recording = run.recording();
  const std::string memory = element_of(recording.allocation_at(race.allocation).name);
  for (const analysis::race_side* const side : {&race.second, &race.first}) {
    if (side->operation == 0) continue;
    const trace::stream_id stream = recording.operation_at(side->operation).stream;
    const std::string own = element_of(recording.stream_at(stream).name);
    if (own == memory || !are_of_one_array(own, memory) || uses_memory_of(recording, side->operation, own))
      continue;
    const trace::location line = analysis::place_of_operation(recording, side->operation);
    const bool takes_turns =
        std::any_of(run.part().operations.begin(), run.part().operations.end(), [&](trace::operation_id id) {
          return recording.operation_at(id).stream != stream &&
                 analysis::place_of_operation(recording, id).is_same_line(line);
        });
    if (takes_turns) return mixed_elements{side->operation, own, memory};
  }
  return std::nullopt;
}

}  // namespace matchers
