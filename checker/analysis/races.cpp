#include "analysis/races.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/limits.h"
#include "analysis/live_accesses.h"
#include "analysis/ordering.h"
#include "analysis/places.h"

namespace analysis {
namespace {

/// Records and waits of events touch no memory, nor does a graph launch beside its nodes; a backend need not
/// say so.
bool may_touch_memory(const trace::operation& operation) {
  return operation.kind != trace::operation_kind::event_record &&
         operation.kind != trace::operation_kind::event_wait &&
         operation.kind != trace::operation_kind::graph_launch;
}

/// What the operation is known to have touched; nothing for one that touches no memory. A prefetch moves what
/// it reads, and others find it wherever it is.
const std::vector<trace::access>& accesses_of(const trace::operation& operation) {
  static const std::vector<trace::access> none;
  const bool is_prefetch = operation.kind == trace::operation_kind::prefetch;
  return operation.accesses && !is_prefetch ? *operation.accesses : none;
}

/// Walks the operations of a part and the host accesses in the order of issue and collects the races of each.
class race_search {
 public:
  race_search(const part& part, const ordering& order, std::size_t max_live)
      : part_(part), recording_(*part.recording), order_(order), count_{.max = max_live} {}

  std::vector<race> run() {
    collect_accesses();
    for (std::size_t first = 0; first < accesses_.size();) {
      std::size_t last = first;
      while (last < accesses_.size() && accesses_[last].side == accesses_[first].side) ++last;
      find_races_of(first, last);
      first = last;
    }
    return std::move(races_);
  }

 private:
  struct candidate {
    std::size_t older = 0;
    std::size_t newer = 0;
  };

  void collect_accesses() {
    std::vector<bool> is_of_interest(recording_.allocations.size() + 1);  // by allocation
    std::size_t of_operations = 0;
    for (const trace::operation_id id : part_.operations) {
      for (const trace::access& access : accesses_of(recording_.operation_at(id)))
        is_of_interest.at(access.allocation) = true;
      of_operations += accesses_of(recording_.operation_at(id)).size();
    }
    for (const auto& [allocation, threads] : threads_by_allocation()) {
      if (threads.size() > 1) is_of_interest.at(allocation) = true;
    }
    std::vector<std::size_t> host;
    std::set<trace::thread_id> host_threads;
    for (std::size_t i = 0; i < recording_.host_accesses->size(); ++i) {
      const trace::host_access& access = (*recording_.host_accesses)[i];
      if (!is_of_interest.at(access.access.allocation) || access.access.bytes.is_empty()) continue;
      host.push_back(i);
      host_threads.insert(access.thread);
    }
    one_host_thread_ = host_threads.size() <= 1;
    for (const trace::host_call& call : recording_.calls) {
      one_host_thread_ = one_host_thread_ && call.thread == recording_.calls.front().thread;
    }
    std::stable_sort(host.begin(), host.end(), [&](std::size_t one, std::size_t two) {
      const trace::host_access& first = (*recording_.host_accesses)[one];
      const trace::host_access& second = (*recording_.host_accesses)[two];
      return std::tie(first.after, first.thread, first.step) <
             std::tie(second.after, second.thread, second.step);
    });
    accesses_.reserve(host.size() + of_operations);
    sides_.reserve(host.size() + part_.operations.size());
    auto next = host.begin();
    for (const trace::operation_id id : part_.operations) {
      const trace::call_id issued_by = recording_.operation_at(id).issued_by;
      for (; next != host.end() && (*recording_.host_accesses)[*next].after < issued_by; ++next)
        add_host(*next);
      add_operation(id);
    }
    for (; next != host.end(); ++next) add_host(*next);
  }

  std::map<trace::allocation_id, std::set<trace::thread_id>> threads_by_allocation() const {
    std::map<trace::allocation_id, std::set<trace::thread_id>> result;
    for (const trace::host_access& access : *recording_.host_accesses)
      result[access.access.allocation].insert(access.thread);
    return result;
  }

  void add_host(std::size_t index) {
    const trace::host_access& access = (*recording_.host_accesses)[index];
    placed_access placed;
    placed.side = sides_.size();
    placed.host = {access.thread, access.after, access.step};
    placed.timeline = std::uint64_t{access.thread} << 1 | 1;
    placed.access = &access.access;
    accesses_.push_back(placed);
    sides_.push_back({.host_access = index});
  }

  void add_operation(trace::operation_id id) {
    const trace::operation& operation = recording_.operation_at(id);
    const trace::thread_id staged_by =
        order_.is_staged(id) ? recording_.call_at(operation.issued_by).thread : 0;
    for (const trace::access& access : accesses_of(operation)) {
      if (access.bytes.is_empty()) continue;
      placed_access placed;
      placed.side = sides_.size();
      placed.operation = id;
      placed.step = access.step;
      placed.timeline = std::uint64_t{order_.timeline_of(id)} << 1;
      if (access.mode == trace::access_mode::read) placed.staged_by = staged_by;
      placed.access = &access;
      accesses_.push_back(placed);
    }
    sides_.push_back({.operation = id});
  }

  void find_races_of(std::size_t first, std::size_t last) {
    std::map<std::pair<trace::allocation_id, std::uint64_t>, candidate>
        latest;  // by allocation and older timeline
    std::set<std::size_t> older_sides;
    for (std::size_t newer = first; newer < last; ++newer) {
      live_of(newer).find_conflicts(newer, [&](std::size_t older) {
        if (!is_in_part(accesses_[older]) && !is_in_part(accesses_[newer])) return true;
        if (are_updates_in_one_stream(accesses_[older], accesses_[newer])) return true;
        const candidate found{older, newer};
        const auto [known, is_new] =
            latest.try_emplace({accesses_[newer].access->allocation, accesses_[older].timeline}, found);
        if (!is_new && tells_more(found, known->second)) known->second = found;
        older_sides.insert(accesses_[older].side);
        return older_sides.size() < max_races_of_access;
      });
    }
    std::map<std::size_t, candidate> by_older_side;
    for (const auto& [key, found] : latest) {
      const auto [known, is_new] = by_older_side.try_emplace(accesses_[found.older].side, found);
      if (!is_new && tells_more(found, known->second)) known->second = found;
    }
    for (const auto& [side, found] : by_older_side) report(found);
    for (std::size_t newer = first; newer < last; ++newer) live_of(newer).add(newer);
  }

  /// Whether two threads queued both into one stream, and each reads and writes bytes that the other does. They never run at once,
  /// and may be right in either order, as two additions to one sum.
  bool are_updates_in_one_stream(const placed_access& one, const placed_access& other) const {
    if (one.operation == 0 || other.operation == 0) return false;
    const trace::operation& first = recording_.operation_at(one.operation);
    const trace::operation& second = recording_.operation_at(other.operation);
    if (first.stream != second.stream || first.graph_launch != 0 || second.graph_launch != 0) return false;
    const auto updates = [&](const trace::operation& operation, const trace::access& conflict) {
      bool reads = false;
      bool writes = false;
      for (const trace::access& access : accesses_of(operation)) {
        if (access.allocation != conflict.allocation || !access.bytes.overlaps(conflict.bytes)) continue;
        reads |= access.mode != trace::access_mode::write;
        writes |= access.mode != trace::access_mode::read;
      }
      return reads && writes;
    };
    return updates(first, *other.access) && updates(second, *one.access);
  }

  /// The place of a thread that has made no call yet is not known.
  bool is_in_part(const placed_access& access) const {
    if (access.operation != 0 || access.host.after == 0) return true;
    return !part_.calls.empty() && access.host.after >= part_.calls.front() &&
           access.host.after <= part_.calls.back();
  }

  /// The later older side; on the same one, what is read after it was written, then what is written after it
  /// was read.
  bool tells_more(const candidate& one, const candidate& two) const {
    const auto rank = [&](const candidate& candidate) {
      if (accesses_[candidate.newer].access->mode == trace::access_mode::read) return 0;
      return accesses_[candidate.older].access->mode == trace::access_mode::read ? 1 : 2;
    };
    if (accesses_[one.older].side != accesses_[two.older].side)
      return accesses_[one.older].side > accesses_[two.older].side;
    return rank(one) < rank(two);
  }

  void report(const candidate& found) {
    // A host thread may go on after another one issued the operation, with no call of its own in between.
    const bool is_host_later =
        accesses_[found.older].operation == 0 && accesses_[found.newer].operation != 0 &&
        order_.is_issued_before(accesses_[found.newer].operation, accesses_[found.older].host);
    const placed_access& older = accesses_[is_host_later ? found.newer : found.older];
    const placed_access& newer = accesses_[is_host_later ? found.older : found.newer];
    race race;
    race.first = sides_[older.side];
    race.first.mode = older.access->mode;
    race.first.statement = older.access->where;
    race.second = sides_[newer.side];
    race.second.mode = newer.access->mode;
    race.second.statement = newer.access->where;
    race.allocation = newer.access->allocation;
    race.bytes = older.access->bytes.first_overlap(newer.access->bytes).value();
    races_.push_back(race);
  }

  live_accesses& live_of(std::size_t access) {
    return live_
        .try_emplace(accesses_[access].access->allocation, order_, accesses_, one_host_thread_, count_)
        .first->second;
  }

  const part& part_;
  const trace::recording& recording_;
  const ordering& order_;
  bool one_host_thread_ = true;
  live_access_count count_;
  std::vector<race_side> sides_;
  std::vector<placed_access> accesses_;
  std::map<trace::allocation_id, live_accesses> live_;
  std::vector<race> races_;
};

}  // namespace

std::optional<std::vector<race>> find_races(const part& part, const ordering& order, std::size_t max_live) {
  if (!part.recording->host_accesses) return std::nullopt;
  for (const trace::operation_id id : part.operations) {
    const trace::operation& operation = part.recording->operation_at(id);
    // What was still to be done when the run was ended has touched nothing that is known.
    const bool is_unknown = !operation.accesses && may_touch_memory(operation);
    if (is_unknown && trace::has_ended(operation)) return std::nullopt;
  }
  return race_search(part, order, max_live).run();
}

std::optional<std::vector<race>> find_races(const part& part) {
  return find_races(part, ordering(*part.recording));
}

trace::location place_of(const trace::recording& recording, const race_side& side) {
  if (side.operation == 0) return recording.host_accesses->at(side.host_access).where;
  return place_of_operation(recording, side.operation);
}

}  // namespace analysis
