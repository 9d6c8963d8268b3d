// graph_branches.h: the branches of a graph, which use different hardware queues.
//
//     device::graph_branches branches;
//     request.branch = branches.add({0, 2});   // it depends on the first and the third node
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace device {

/// Divides the nodes of one graph into branches, in their order of issue.
class graph_branches {
 public:
  /// The branch of the next node in order of issue: that of a node it depends on, unless another node
  /// continues that branch; else a new one. `after` are numbers of earlier nodes, from 0.
  std::uint32_t add(const std::vector<std::size_t>& after);
  std::uint32_t count() const { return static_cast<std::uint32_t>(ends_.size()); }

 private:
  std::vector<std::size_t> ends_;  // by branch: its last node
  std::size_t nodes_ = 0;
};

}  // namespace device
