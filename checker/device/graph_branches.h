// graph_branches.h: which branch of its graph each node belongs to. Branches go through different hardware
// queues.
//
//     device::graph_branches branches;
//     request.branch = branches.add({0, 2});   // it depends on the first and the third node
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace device {

/// Deals the nodes of one graph into branches, in their order of issue.
class graph_branches {
 public:
  /// The branch of the next node in order of issue. It goes on in the branch of a node that it depends on,
  /// unless another node did so before; else it begins a branch. `after` are numbers of earlier nodes, from 0.
  std::uint32_t add(const std::vector<std::size_t>& after);
  /// How many branches there are so far.
  std::uint32_t count() const { return static_cast<std::uint32_t>(ends_.size()); }

 private:
  std::vector<std::size_t> ends_;  // by branch: its last node
  std::size_t nodes_ = 0;
};

}  // namespace device
