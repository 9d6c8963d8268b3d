#include "analysis/dependencies.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "analysis/byte_segments.h"

namespace analysis {
namespace {

using trace::access_mode;
using trace::operation_id;

constexpr std::size_t max_readers = 64;

bool is_contiguous(const trace::byte_set& bytes) {
  return bytes.size_bytes() == bytes.bounds().end - bytes.bounds().begin;
}

/// The operations that a later access to one allocation may depend on, divided where accesses begin and end.
class live_operations {
 public:
  using found_operation = std::function<void(operation_id earlier, bool earlier_wrote)>;

  void find(const trace::access& newer, const found_operation& found) const {
    const trace::byte_range bounds = newer.bytes.bounds();
    for (auto segment_at = first_behind(segments_, bounds.begin);
         segment_at != segments_.end() && segment_at->first < bounds.end; ++segment_at) {
      for (const member& member : segment_at->second.members) {
        const bool conflicts = member.access->mode != newer.mode || newer.mode == access_mode::write;
        if (conflicts && member.access->bytes.overlaps(newer.bytes))
          found(member.operation, member.access->mode != access_mode::read);
      }
    }
  }

  void find_all(const found_operation& found) const {
    for (const auto& [begin, segment] : segments_) {
      for (const member& member : segment.members)
        found(member.operation, member.access->mode != access_mode::read);
    }
  }

  void add(const trace::access& newer, operation_id operation, trace::stream_id stream) {
    for_each_segment(newer, [&](segment& segment) {
      if (newer.mode == access_mode::write && is_contiguous(newer.bytes)) segment.members.clear();
      if (segment.members.size() >= max_readers) {
        std::erase_if(segment.members, [&](const member& member) {
          return member.stream == stream && member.access->mode == access_mode::read;
        });
      }
      segment.members.push_back({operation, stream, &newer});
    });
  }

  /// The host overwrites the bytes: who comes later depends on the host.
  void forget(const trace::access& overwritten) {
    if (!is_contiguous(overwritten.bytes)) return;
    for_each_segment(overwritten, [](segment& segment) { segment.members.clear(); });
  }

 private:
  struct member {
    operation_id operation = 0;
    trace::stream_id stream = 0;
    const trace::access* access = nullptr;
  };
  struct segment {
    std::uint64_t end = 0;
    std::vector<member> members;
  };

  template <typename Visit>
  void for_each_segment(const trace::access& newer, Visit&& visit) {
    const trace::byte_range bounds = newer.bytes.bounds();
    for (auto segment_at = divide(segments_, bounds);
         segment_at != segments_.end() && segment_at->first < bounds.end; ++segment_at)
      visit(segment_at->second);
  }

  byte_segments<segment> segments_;
};

class dependency_finder {
 public:
  explicit dependency_finder(const part& part) : part_(part), recording_(*part.recording) {}

  dependencies find() {
    result_.are_known = std::all_of(part_.operations.begin(), part_.operations.end(), [&](operation_id id) {
      return has_known_accesses(recording_.operation_at(id));
    });
    result_.of_operation.resize(part_.operations.size());
    result_.is_read.resize(part_.operations.size());
    if (!result_.are_known) return std::move(result_);
    const std::vector<placed_access> accesses = accesses_in_order();
    auto access = accesses.begin();
    const trace::call_id first = part_.calls.empty() ? 1 : part_.calls.front();
    while (access != accesses.end() && access->after < first) ++access;
    std::size_t next = 0;
    for (trace::call_id call = first; call <= recording_.calls.size(); ++call) {
      before_call(recording_.call_at(call));
      while (next < part_.operations.size() &&
             recording_.operation_at(part_.operations[next]).issued_by <= call) {
        add_operation(next++);
      }
      for (; access != accesses.end() && access->after <= call; ++access)
        add_host_access(access->after, *access->access);
    }
    while (next < part_.operations.size()) add_operation(next++);
    std::stable_sort(result_.of_host.begin(), result_.of_host.end(),
                     [](const host_need& one, const host_need& two) { return one.after < two.after; });
    return std::move(result_);
  }

 private:
  /// An access of the host, and the last call of any thread that comes before it.
  struct placed_access {
    trace::call_id after = 0;
    const trace::host_access* access = nullptr;
  };
  std::vector<placed_access> accesses_in_order() {
    for (const trace::host_edge& edge : recording_.host_edges) {
      if (edge.from == 0 || edge.to == 0) continue;
      std::vector<known_calls>& known = known_[edge.to];
      const trace::call_id call = last_call_before(edge.from, edge.from_after, edge.from_step);
      known.push_back({edge.to_step, edge.to_after, std::max(call, known.empty() ? 0 : known.back().until)});
    }
    std::vector<placed_access> result;
    if (!recording_.host_accesses) return result;
    result.reserve(recording_.host_accesses->size());
    for (const trace::host_access& access : *recording_.host_accesses)
      result.push_back({last_call_before(access.thread, access.after, access.step), &access});
    std::stable_sort(result.begin(), result.end(), [](const placed_access& one, const placed_access& two) {
      return one.after < two.after;
    });
    return result;
  }

  /// What a thread knows from others, from a step of its own and a call on: all calls until that one.
  struct known_calls {
    std::uint32_t step = 0;
    trace::call_id after = 0;
    trace::call_id until = 0;
  };
  /// The last call, of any thread, that comes before what the thread does in that step behind its own call `after`.
  trace::call_id last_call_before(trace::thread_id thread, trace::call_id after, std::uint32_t step) const {
    const auto known = known_.find(thread);
    if (known == known_.end()) return after;
    const auto later = std::partition_point(
        known->second.begin(), known->second.end(),
        [&](const known_calls& calls) { return calls.step <= step && calls.after <= after; });
    return later == known->second.begin() ? after : std::max(after, std::prev(later)->until);
  }

  static bool has_known_accesses(const trace::operation& operation) {
    return operation.accesses || !trace::has_ended(operation) ||
           (operation.kind != trace::operation_kind::kernel &&
            operation.kind != trace::operation_kind::copy &&
            operation.kind != trace::operation_kind::memset &&
            operation.kind != trace::operation_kind::host_function);
  }

  void add_operation(std::size_t number) {
    const operation_id id = part_.operations[number];
    const trace::operation& operation = recording_.operation_at(id);
    if (operation.kind == trace::operation_kind::event_record) last_record_[operation.event] = id;
    if (places_memory(operation)) return add_accesses(number, placed_by(operation));
    if (operation.accesses) add_accesses(number, *operation.accesses);
    if (is_marker(operation.kind)) return;
    const operation_id before = std::exchange(last_in_[operation.stream], id);
    if (operation.kind == trace::operation_kind::host_function && before != 0)
      need_from(number, before, true);
  }

  void need_from(std::size_t number, operation_id earlier, bool is_flow) {
    std::vector<dependency>& needs = result_.of_operation[number];
    const auto known =
        std::lower_bound(needs.begin(), needs.end(), earlier,
                         [](const dependency& need, operation_id id) { return need.earlier < id; });
    if (known != needs.end() && known->earlier == earlier) {
      known->is_flow |= is_flow;
    } else {
      needs.insert(known, {earlier, is_flow});
    }
  }

  /// Memory of a pool comes and goes, and managed memory moves, as if all of it were updated: whatever uses
  /// it lies in between.
  static bool places_memory(const trace::operation& operation) {
    return operation.kind == trace::operation_kind::allocate ||
           operation.kind == trace::operation_kind::release ||
           operation.kind == trace::operation_kind::prefetch;
  }
  const std::vector<trace::access>& placed_by(const trace::operation& operation) {
    std::vector<trace::access>& placed = placed_.emplace_back();
    if (operation.kind == trace::operation_kind::prefetch) {
      placed = operation.accesses.value_or(std::vector<trace::access>());
      for (trace::access& access : placed) access.mode = access_mode::write;
      return placed;
    }
    const trace::allocation_id id =
        operation.issued_by == 0 ? 0 : recording_.call_at(operation.issued_by).allocation;
    if (id != 0)
      placed.push_back(
          {id, access_mode::write, trace::byte_set::range(0, recording_.allocation_at(id).bytes)});
    return placed;
  }

  void add_accesses(std::size_t number, const std::vector<trace::access>& accesses) {
    const operation_id id = part_.operations[number];
    for (const trace::access& access : accesses) {
      if (access.bytes.is_empty()) continue;
      live_[access.allocation].find(access, [&](operation_id earlier, bool earlier_wrote) {
        if (earlier == id) return;
        const bool is_flow = (earlier_wrote && access.mode != access_mode::write) ||
                             places_memory(recording_.operation_at(id)) ||
                             places_memory(recording_.operation_at(earlier));
        need_from(number, earlier, is_flow);
        note_read(earlier, earlier_wrote, access.mode);
      });
    }
    for (const trace::access& access : accesses) {
      if (!access.bytes.is_empty())
        live_[access.allocation].add(access, id, recording_.operation_at(id).stream);
    }
  }

  void add_host_access(trace::call_id after, const trace::host_access& access) {
    if (access.access.bytes.is_empty()) return;
    live_operations& live = live_[access.access.allocation];
    live.find(access.access, [&](operation_id earlier, bool earlier_wrote) {
      need(after, earlier, access.where);
      note_read(earlier, earlier_wrote, access.access.mode);
    });
    if (access.access.mode == access_mode::write) live.forget(access.access);
  }

  void note_read(operation_id earlier, bool earlier_wrote, access_mode mode) {
    if (earlier_wrote && mode != access_mode::write)
      result_.is_read[earlier - part_.operations.front()] = true;
  }

  /// A free needs what uses the memory; the time between two events needs the record of the second.
  void before_call(const trace::host_call& call) {
    const trace::call_id previous = std::exchange(last_call_[call.thread], call.id);
    if (call.error_code != 0) return;
    const bool is_in_stream_order = call.operation != 0;
    if (!is_in_stream_order && call.allocation != 0 &&
        recording_.allocation_at(call.allocation).freed_by == call.id) {
      live_[call.allocation].find_all(
          [&](operation_id earlier, bool) { need(previous, earlier, call.where); });
      live_.erase(call.allocation);
    } else if (trace::effect_of(call) == trace::call_effect::measures_time) {
      const auto record = last_record_.find(call.event);
      if (record != last_record_.end()) need(previous, record->second, call.where);
    }
  }

  void need(trace::call_id after, operation_id operation, const trace::location& place) {
    if (!result_.of_host.empty() && result_.of_host.back().after == after &&
        result_.of_host.back().operation == operation) {
      return;
    }
    result_.of_host.push_back({after, operation, place});
  }

  const part& part_;
  const trace::recording& recording_;
  dependencies result_;
  std::unordered_map<trace::allocation_id, live_operations> live_;
  std::deque<std::vector<trace::access>> placed_;  // by operations that place memory
  std::unordered_map<trace::thread_id, trace::call_id> last_call_;
  std::unordered_map<trace::thread_id, std::vector<known_calls>> known_;
  std::unordered_map<trace::event_id, operation_id> last_record_;
  std::unordered_map<trace::stream_id, operation_id> last_in_;  // work, not events
};

}  // namespace

bool share_data(const trace::operation& one, const trace::operation& other) {
  if (!one.accesses || !other.accesses) return false;
  return std::any_of(one.accesses->begin(), one.accesses->end(), [&](const trace::access& mine) {
    return std::any_of(other.accesses->begin(), other.accesses->end(), [&](const trace::access& theirs) {
      const bool both_read = mine.mode == trace::access_mode::read && theirs.mode == trace::access_mode::read;
      return !both_read && mine.allocation == theirs.allocation && mine.bytes.overlaps(theirs.bytes);
    });
  });
}

dependencies dependencies_of(const part& part) { return dependency_finder(part).find(); }

}  // namespace analysis
