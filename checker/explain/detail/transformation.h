// transformation.h: one set of causes taken out of a program. Only for cures.cpp.
//
//     return transformation(cures, {cause::default_stream, cause::pageable_memory}).variants();
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "explain/detail/cures.h"

namespace explain {

/// Takes causes out of a program: what cures does for one set of them.
class transformation {
 public:
  transformation(const cures& of, causes cured);

  /// The program without those causes, in each way in which they can be taken out; never empty.
  std::vector<variant> variants();
  /// See cures.
  variant without_waits_at(const trace::host_call& line);

 private:
  bool has(cause what) const { return cured_.count(what) != 0; }
  bool takes_order_away() const;

  // The host.
  void cure_host();
  void stop_waiting(program_step& step);
  void pin(program_step& step);

  // Streams and events.
  void move_to_other_streams();
  bool moves(const program_operation& operation) const;
  std::optional<trace::stream_id> stream_behind_input(
      operation_number number, const std::unordered_map<trace::stream_id, operation_number>& last_in) const;
  void loosen_graphs();
  trace::stream_id stream_from_pool(const trace::stream& like);
  void drop_markers();
  std::vector<operation_number> all_before(operation_number tail) const;
  void replace_moved(std::vector<operation_number>& waited_for) const;
  void wait_for_what_is_needed();

  const cures& of_;
  const causes cured_;
  program changed_;
  std::vector<trace::stream_id> stream_before_;  // by number
  struct stream_history {
    std::vector<operation_number> operations;  // issued into it, as recorded
    bool has_moved = false;                    // some of them
  };
  std::unordered_map<trace::stream_id, stream_history> streams_before_;
  /// What still holds up operations that leave a stream.
  struct kept_order {
    std::map<trace::stream_id, operation_number> events;  // by recording stream: the last record waited for
    operation_number function = no_operation;             // the last host function
    operation_number last = no_operation;                 // the last operation that left
  };
  std::unordered_map<trace::stream_id, kept_order> kept_order_;
  using pool_key = std::tuple<std::uint32_t, int, int>;  // device, blocking and priority
  std::map<pool_key, std::vector<trace::stream_id>> pools_;
  std::size_t pool_size_ = 0;
  std::map<pool_key, std::size_t> next_in_pool_;
};

}  // namespace explain
