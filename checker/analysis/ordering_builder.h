// ordering_builder.h: walks a recording once, in the order of its calls, and fills the clocks of an
// `ordering`.
//
// Rules in comments carry the names they have in the documentation: streams S, default streams D, copies M,
// events E. Only for ordering.cpp.
//
//     ordering_builder(recording, result).run();
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include "analysis/ordering.h"

namespace analysis {

/// Takes in the edges of an ordering, and finds what they imply.
class ordering_builder {
 public:
  ordering_builder(const trace::recording& recording, ordering& result);

  /// Fills every clock of the result.
  void run();

 private:
  using clock = std::vector<std::uint32_t>;
  using clock_index = ordering::clock_index;

  struct thread_state {
    std::uint32_t timeline = 0;
    trace::thread_id id = 0;
    std::vector<trace::call_id> calls{};  // all of the run
    trace::call_id current = 0;           // the last one begun
    bool is_returned = true;              // whether the effect of `current` is in `knows`
    clock_index knows = 0;
  };
  struct device_state {
    clock blocking{};                               // of all work of blocking streams
    clock legacy{};                                 // of all work of the legacy default stream
    std::vector<std::uint32_t> blocking_streams{};  // timelines
    std::vector<std::uint32_t> streams{};           // timelines, these and all others
  };

  void collect_streams();
  void collect_branches();
  void collect_threads();
  void collect_edge_deadlines();
  void collect_releases();

  void walk();
  void begin(const trace::host_call& call);
  void issue_until(trace::call_id last_begun);
  void issue(const trace::operation& operation);
  void issue_node(const trace::operation& node);
  void finish_call(thread_state& thread);
  void apply_edges_until(trace::call_id begins);
  void apply(const trace::host_edge& edge);

  void learn_from(const trace::host_edge& edge, clock& known);
  void learn_from(const trace::host_call& call, const thread_state& thread, clock& known) const;
  void learn_stream(trace::stream_id stream, const thread_state& thread, clock& known) const;
  void learn_issued(std::uint32_t timeline, const thread_state& thread, clock& known) const;
  void learn_what_is_before(trace::operation_id operation, clock& known) const;
  void learn_completion(trace::operation_id operation, clock& known) const;
  bool knows_issue(const thread_state& thread, trace::operation_id operation) const;

  clock copy_of(clock_index index) const;
  void join(clock& into, clock_index index) const;
  clock_index store(const clock& value);
  clock_index share(const clock& known, const ordering::placed& placed, trace::call_id issued_by,
                    std::uint32_t issuer, std::initializer_list<clock_index> candidates);
  void set_knows(thread_state& thread, const clock& known);

  const trace::recording& recording_;
  ordering& result_;
  std::vector<std::uint32_t> timeline_of_stream_;         // by id - 1
  std::vector<std::vector<trace::operation_id>> issued_;  // by timeline of a stream: its operations so far
  std::vector<std::uint32_t> branch_of_;  // by operation id - 1: timeline of a graph's node; else none
  std::map<trace::operation_id, std::vector<trace::operation_id>> last_nodes_;  // by launch: of each branch
  std::map<std::uint32_t, std::uint32_t> nodes_in_branch_;                      // by timeline: issued so far
  std::map<trace::thread_id, thread_state> threads_;
  std::map<std::uint32_t, device_state> devices_;
  std::vector<trace::call_id> edge_deadlines_;  // an edge is applied before that call begins
  // By host function: what the threads and host functions knew that let it go on, as far as it is known.
  std::map<trace::operation_id, clock> acquired_;
  bool has_learned_more_ = false;
  std::size_t next_edge_ = 0;
  std::size_t next_operation_ = 0;
};

}  // namespace analysis
