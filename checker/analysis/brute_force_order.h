// brute_force_order.h: happens-before by its definition, as reachability in a graph. For tests only.
//
// Every operation has a node for its start and one for its end, every call one for its begin and one for its
// return, and what a host thread does between two calls one for each of its steps; every rule of ordering.h
// that the recording gives reason for is an edge, and nothing is merged, shared or left out. Slow, and simple
// enough to be believed.
//
//     const brute_force_order order(recording);
//     EXPECT_EQ(order.is_before(first, second), fast.is_before(first, second));
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/ordering.h"

namespace analysis {

class brute_force_order {
 public:
  explicit brute_force_order(const trace::recording& recording);

  bool is_before(trace::operation_id first, trace::operation_id second) const;
  bool is_before(trace::operation_id operation, host_point host) const;
  bool is_before(host_point host, trace::operation_id operation) const;
  bool is_before(host_point first, host_point second) const;
  bool is_before(operation_point first, operation_point second) const;
  bool is_before(operation_point first, host_point second) const;
  bool is_before(host_point first, operation_point second) const;
  /// Of a copy: whether its call, which has read the source when it returns, has returned.
  bool has_returned(trace::call_id call, host_point host) const;
  bool has_returned(trace::call_id call, trace::operation_id operation) const;

 private:
  using node = std::uint32_t;

  node start_of(trace::operation_id id) const { return 2 * (id - 1); }
  node end_of(trace::operation_id id) const { return 2 * (id - 1) + 1; }
  node begin_of(trace::call_id id) const {
    return static_cast<node>(2 * recording_.operations.size() + 2 * (id - 1));
  }
  node return_of(trace::call_id id) const { return begin_of(id) + 1; }
  /// The point of that step, or the nearest at or before it.
  node point(host_point host) const;
  /// The part of an operation in which that step is. The first one is its start, and the last ends with it.
  node part(operation_point point) const;
  /// What comes after it comes after that step, or after the first one.
  node over(operation_point point) const {
    return is_divided(point.operation) ? part(point) : end_of(point.operation);
  }
  node over(trace::operation_id id) const { return is_divided(id) ? start_of(id) : end_of(id); }
  bool is_divided(trace::operation_id id) const { return parts_.contains(id); }

  void add_edge(node from, node to) { next_[from].push_back(to); }
  void add_parts();
  void add_threads();
  void add_operations();
  void add_waits();
  void add_wait(const trace::host_call& call);
  std::vector<bool> reachable_from(node from) const;
  bool reaches(node from, node to) const;
  bool knows_issue(const trace::host_call& call, trace::operation_id operation) const;
  bool is_blocking(const trace::stream& stream) const;

  const trace::recording& recording_;
  std::vector<std::vector<node>> next_;
  std::map<std::pair<trace::thread_id, std::pair<trace::call_id, std::uint32_t>>, node> points_;
  std::map<trace::operation_id, std::map<std::uint32_t, node>>
      parts_;                                            // by first step; of host functions with edges
  mutable std::map<node, std::vector<bool>> reachable_;  // answers given already
};

}  // namespace analysis
