#include "analysis/clock_store.h"

#include <algorithm>
#include <limits>
#include <string>

#include "analysis/limits.h"

namespace analysis {

clock_store::clock_store(std::size_t entries, std::size_t limit_bytes)
    : nodes_(1),
      max_nodes_(std::min<std::size_t>(limit_bytes / sizeof(node), std::numeric_limits<clock>::max())) {
  while (entries > 0 && ((entries - 1) >> shift_of_root_) > mask) shift_of_root_ += bits;
}

clock_store::clock clock_store::changed(clock version, std::uint32_t entry, std::uint32_t value) {
  const clock root = own(version);
  clock current = root;
  for (unsigned shift = shift_of_root_; shift > 0; shift -= bits) {
    const std::uint32_t slot = (entry >> shift) & mask;
    const clock child = own(nodes_[current][slot]);
    nodes_[current][slot] = child;
    current = child;
  }
  nodes_[current][entry & mask] = value;
  return root;
}

/// A node that may be changed: itself, or a copy.
clock_store::clock clock_store::own(clock index) {
  if (index >= sealed_) return index;
  if (nodes_.size() >= max_nodes_) {
    throw too_large(
        "The run is too large to be judged: many streams wait for each other crosswise, and what each of "
        "them knows of the others would take more than " +
        std::to_string(max_nodes_ * sizeof(node) >> 20) + " MB.");
  }
  const node copy = nodes_[index];
  nodes_.push_back(copy);
  return static_cast<clock>(nodes_.size() - 1);
}

}  // namespace analysis
