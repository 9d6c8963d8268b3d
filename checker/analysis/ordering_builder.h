// ordering_builder.h: walks a recording once, in the order of its calls, and fills the clocks of an
// `ordering`.
//
// Rules in comments carry the names they have in the documentation: streams S, default streams D, copies M,
// events E. Only for ordering.cpp.
//
//     ordering_builder(recording, result, max_clock_bytes).run();
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/knowledge.h"
#include "analysis/ordering.h"

namespace analysis {

/// Takes in the edges of an ordering, and finds what they imply.
class ordering_builder {
 public:
  ordering_builder(const trace::recording& recording, ordering& result, std::size_t limit_bytes);

  /// Fills every clock of the result.
  void run();

 private:
  using clock = ordering::clock;

  using by_issuer =
      std::map<std::uint32_t, std::vector<trace::operation_id>>;  // by timeline of the issuing thread

  /// What one thread issues into one stream. Only what orders their calls orders what two threads issue.
  struct stream_timeline {
    trace::thread_id issuer = 0;  // 0: not known
    std::uint32_t timeline = 0;
  };
  enum class work_kind { any, synchronous };  // synchronous: with the legacy default stream

  /// The part of the log of a device that a thread has not waited for.
  struct work_to_learn {
    std::size_t next = 0;  // all from here on
    by_issuer unknown{};   // before that, as their issue was not known to the thread
  };
  struct thread_state {
    std::uint32_t timeline = 0;
    trace::thread_id id = 0;
    std::vector<trace::call_id> calls{};           // all of the run
    trace::call_id current = 0;                    // the last one begun
    bool is_returned = true;                       // whether the effect of `current` is known to the thread
    std::map<std::uint32_t, work_to_learn> all{};  // by device
    std::map<std::uint32_t, work_to_learn> synchronous{};  // by device
  };
  struct device_state {
    std::vector<std::uint32_t> legacy{};  // timelines of the legacy default stream
    std::vector<std::uint32_t>
        blocking_news{};  // timelines of blocking streams with work after the last legacy work
    std::vector<trace::operation_id> log{};  // all but the nodes of graphs
  };
  /// The nodes of one graph launch.
  struct launch_nodes {
    std::vector<trace::operation_id> last{};  // of each branch
    trace::operation_id last_issued = 0;
  };

  void collect_streams();
  void collect_branches();
  void collect_threads();
  void collect_edge_deadlines();
  void collect_releases();
  void collect_parts();

  void walk();
  void begin(const trace::host_call& call);
  void issue_until(trace::call_id last_begun);
  void issue(const trace::operation& operation);
  void issue_node(const trace::operation& node);
  void finish_call(thread_state& thread);
  void apply_edges_until(trace::call_id begins);
  void apply(const trace::host_edge& edge);
  void keep_acquired(const trace::host_edge& edge, timeline_point source);

  void learn_from(const trace::host_call& call, thread_state& thread);
  void learn_stream(trace::stream_id stream, thread_state& thread);
  void learn_issued(const std::vector<trace::operation_id>& issued, const thread_state& thread);
  void learn_of_other_issuers(const trace::operation& operation, std::uint32_t timeline);
  void learn_work(const device_state& device, work_to_learn& work, work_kind kind,
                  const thread_state& thread);
  void learn_what_is_before(trace::operation_id operation);
  void learn_completion(trace::operation_id operation);
  void learn_acquired(trace::operation_id operation, std::size_t part);
  void issue_parts(const trace::operation& operation, ordering::placed& placed);
  void learn_issuer(trace::call_id issued_by);
  void complete_launch(trace::operation_id launch);
  trace::thread_id issuer_of(const trace::operation& operation) const;
  std::uint32_t timeline_of(const trace::operation& operation) const;
  std::uint32_t timeline_of_issuer(trace::operation_id operation) const;
  bool knows_issue(const thread_state& thread, trace::operation_id operation) const;
  bool knows_record(const trace::operation& wait) const;

  const trace::recording& recording_;
  ordering& result_;
  std::size_t limit_bytes_;
  std::optional<knowledge_graph> graph_;
  std::vector<std::vector<stream_timeline>> timelines_of_stream_;  // by id - 1
  std::vector<std::vector<trace::operation_id>> issued_;  // by timeline of a stream: its operations so far
  std::uint32_t timelines_ = 0;
  std::vector<bool> has_blocking_news_;   // by timeline of a stream: whether in device_state::blocking_news
  std::vector<std::uint32_t> branch_of_;  // by operation id - 1: timeline of a graph's node; else none
  std::unordered_map<trace::operation_id, launch_nodes> nodes_;  // by launch
  std::map<trace::thread_id, thread_state> threads_;
  std::map<std::uint32_t, device_state> devices_;
  // By host function, its part, and timeline: what the threads and host functions knew that let it go on, as far as that is known.
  std::map<std::pair<trace::operation_id, std::size_t>, std::map<std::uint32_t, std::uint32_t>> acquired_;
  bool has_learned_more_ = false;
  std::vector<trace::call_id> edge_deadlines_;  // an edge is applied before that call begins
  std::size_t next_edge_ = 0;
  std::size_t next_operation_ = 0;
};

}  // namespace analysis
