#include "explain/explain.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/overlap.h"
#include "analysis/places.h"
#include "explain/detail/cures.h"
#include "explain/detail/replay.h"

namespace explain {
namespace {

using trace::constraint_kind;
using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

/// Beyond this the replay does not know the GPU well enough.
constexpr double trusted_error = 0.05;
/// Replays of more operations than this in one explanation would take minutes: then causes are cured one
/// after another, in the order of what each saves alone, which still adds up.
constexpr std::size_t most_replayed_operations = 1'000'000;
constexpr std::size_t most_causes_in_all_orders = 4;

/// The replayed time of a part without some of its causes.
class what_if {
 public:
  what_if(const cures& possible, std::vector<cause> present)
      : possible_(possible), present_(std::move(present)) {}

  const std::vector<cause>& present() const { return present_; }
  nanoseconds time_without(std::uint32_t set) {
    const auto known = times_.find(set);
    if (known != times_.end()) return known->second;
    return times_[set] = best_without(set).first.duration;
  }
  /// The fastest of the programs without them.
  std::pair<replay_times, variant> best_without(std::uint32_t set) {
    causes cured;
    for (std::size_t i = 0; i < present_.size(); ++i) {
      if (set >> i & 1) cured.insert(present_[i]);
    }
    std::optional<std::pair<replay_times, variant>> best;
    for (variant& each : possible_.without(cured)) {
      replay_times times = replay(each.what, *each.gpu);
      if (!best || times.duration < best->first.duration) best.emplace(std::move(times), std::move(each));
    }
    return std::move(*best);
  }
  std::uint32_t all() const { return (std::uint32_t{1} << present_.size()) - 1; }

 private:
  const cures& possible_;
  std::vector<cause> present_;
  std::map<std::uint32_t, nanoseconds> times_;
};

/// Causes whose cure is another division of the work. No run tells whether that is possible, and larger
/// pieces also go round what other causes hold up: so only what nothing else cures is theirs.
bool is_about_division(cause what) { return what == cause::small_chunks || what == cause::one_piece; }

/// Orders in which the causes are taken away; every cause comes first, and last, equally often, but those
/// about division come last.
std::vector<std::vector<std::size_t>> orders_of(const std::vector<cause>& all) {
  std::vector<std::size_t> order, last;
  for (std::size_t i = 0; i < all.size(); ++i) (is_about_division(all[i]) ? last : order).push_back(i);
  const std::size_t count = order.size();
  std::vector<std::vector<std::size_t>> orders;
  if (count <= most_causes_in_all_orders) {
    do {
      orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
  } else {
    for (std::size_t turn = 0; turn < count; ++turn) {
      orders.push_back(order);
      orders.emplace_back(order.rbegin(), order.rend());
      std::rotate(order.begin(), order.begin() + 1, order.end());
    }
  }
  for (std::vector<std::size_t>& each : orders) each.insert(each.end(), last.begin(), last.end());
  return orders;
}

class explainer {
 public:
  explainer(const analysis::part& of, const device::profile* gpu)
      : part_(of), seen_(*of.seen), gpu_(gpu), why_(of), needed_(analysis::dependencies_of(of)) {}

  explanation explanation_of() {
    result_.operations = result_.explained_operations = part_.operations.size();
    result_.begin = analysis::begin_of_work(part_);
    result_.took = analysis::duration_of_work(part_);
    result_.attainable = result_.took;
    if (part_.operations.empty()) return std::move(result_);
    measure_engines();
    find_cases();
    result_.critical_path = why_.critical_path();
    result_.idle_gaps = why_.idle_gaps();
    if (gpu_ != nullptr) replay_causes();
    if (!result_.is_replayed) {
      find_host_waits();
      cost_by_constraints();
    }
    describe_causes();
    return std::move(result_);
  }

 private:
  /// The clearest case of a cause.
  struct example {
    nanoseconds held_up{0};  // in all
    int clarity = 0;         // see clarity_of()
    nanoseconds longest{-1};
    operation_id late = 0;
    operation_id behind = 0;
    trace::call_id call = 0;
    std::size_t times = 0;
  };

  std::vector<operation_id> operations_on(analysis::engine where) const {
    std::vector<operation_id> result;
    for (const operation_id id : part_.operations) {
      if (analysis::engine_of(seen_.operation_at(id)) == where) result.push_back(id);
    }
    return result;
  }

  void measure_engines() {
    std::array<std::vector<operation_id>, analysis::engine_count> on;
    for (int number = 0; number < analysis::engine_count; ++number) {
      on[number] = operations_on(static_cast<analysis::engine>(number));
      result_.busy[number] = analysis::overlap(seen_, on[number], {}).first_busy;
    }
    for (int one = 0; one < analysis::engine_count; ++one) {
      for (int two = one + 1; two < analysis::engine_count; ++two) {
        if (result_.busy[one].count() == 0 || result_.busy[two].count() == 0) continue;
        const analysis::overlap_facts facts = analysis::overlap(seen_, on[one], on[two]);
        result_.pairs.push_back({static_cast<analysis::engine>(one), static_cast<analysis::engine>(two),
                                 facts.both_busy, facts.fraction(), 0});
      }
    }
  }

  // Which operations each cause held up.

  void find_cases() {
    for (const operation_id id : part_.operations) {
      const analysis::link at = why_.link_of(id);
      if (!at.why) continue;
      result_.has_inferred_reasons |= at.why->is_inferred;
      const std::optional<cause> why = cause_of(at);
      if (!why || is_given(at)) continue;
      example& case_of = cases_[*why];
      case_of.held_up += std::max(at.why->cost, nanoseconds(0));
      ++case_of.times;
      const int clarity = clarity_of(at);
      if (std::pair(clarity, at.why->cost) > std::pair(case_of.clarity, case_of.longest)) {
        case_of = {case_of.held_up,        clarity,        at.why->cost, id,
                   at.why->what.operation, at.host_was_in, case_of.times};
      }
    }
  }

  /// How well an example tells what is wrong: best when the reader's code issued what is late, and then when
  /// the two could have run side by side, which copies in one direction cannot.
  int clarity_of(const analysis::link& at) const {
    const operation_id other = at.why->what.operation;
    const std::optional<analysis::engine> where = analysis::engine_of(seen_.operation_at(at.operation));
    const bool could_overlap = other == 0 || where == analysis::engine::kernels ||
                               where != analysis::engine_of(seen_.operation_at(other));
    return (is_issued_by_given_code(at.operation) ? 0 : 2) + (could_overlap ? 1 : 0);
  }
  bool is_issued_by_given_code(operation_id id) const {
    return seen_.is_given(analysis::place_of_operation(seen_, id));
  }
  /// Whether it is between operations that only given code could issue otherwise.
  bool is_given(const analysis::link& at) const {
    const operation_id other = at.why->what.operation;
    return is_issued_by_given_code(at.operation) && (other == 0 || is_issued_by_given_code(other));
  }

  /// The cause of one operation's wait; nothing when its bytes need it, or when it is no cause.
  std::optional<cause> cause_of(const analysis::link& at) const {
    const trace::operation& late = seen_.operation_at(at.operation);
    const trace::constraint& what = at.why->what;
    switch (what.kind) {
      case constraint_kind::host_issue:
        return host_cause_of(at);
      case constraint_kind::stream_order:
        if (what.operation == 0) return std::nullopt;
        if (is_needed(at.operation, what.operation))
          return overwrites(at.operation, what.operation) ? std::optional(cause::shared_buffer)
                                                          : std::nullopt;
        if (seen_.operation_at(what.operation).kind == operation_kind::host_function)
          return cause::host_function;
        if (seen_.stream_at(late.stream).kind == trace::stream_kind::legacy_default)
          return cause::default_stream;
        return analysis::is_marker(late.kind) || analysis::is_marker(seen_.operation_at(what.operation).kind)
                   ? std::nullopt
                   : std::optional(cause::one_stream);
      case constraint_kind::legacy_default:
        return cause::default_stream;
      case constraint_kind::event: {
        const operation_id first = part_.operations.front();
        return possible_ == nullptr || late.id < first ? std::nullopt
                                                       : possible_->wrong_wait(late.id - first);
      }
      case constraint_kind::engine_busy:
        if (what.operation != 0 && seen_.operation_at(what.operation).kind == operation_kind::host_function)
          return cause::host_function;
        return std::nullopt;
      case constraint_kind::work_queue:
        return gpu_ != nullptr && gpu_->work_queues > 1 ? cause::shared_queue : cause::issue_order;
      case constraint_kind::withheld_signal:
        return cause::issue_order;
      case constraint_kind::no_room:
        return cause::no_room;
      case constraint_kind::staging:
        return cause::pageable_memory;
      case constraint_kind::implicit_synchronization:
        return cause::memory_management;
      case constraint_kind::graph_edge: {
        const bool is_node = late.graph_launch != 0;
        return is_node && !is_needed(at.operation, what.operation) ? std::optional(cause::one_stream)
                                                                   : std::nullopt;
      }
      case constraint_kind::completion:  // of calls
        break;
    }
    return std::nullopt;
  }
  std::optional<cause> host_cause_of(const analysis::link& at) const {
    return at.host_was_in == 0 ? std::nullopt : cause_of_call(seen_.call_at(at.host_was_in));
  }
  std::optional<cause> cause_of_call(const trace::host_call& call) const {
    if (const std::optional<cause> why = cures::waits_because_of(seen_, call)) return why;
    if (call.allocation != 0) return cause::memory_management;
    const bool is_work_of_the_host = call.operation == 0 && !cures::is_given(seen_, call);
    return is_work_of_the_host ? std::optional(cause::host_busy) : std::nullopt;
  }
  /// Results come in by copies, go through kernels, and leave by copies. Where it is not known which bytes
  /// operations touch, that alone tells that an earlier step on this way reads nothing of a later one. Host
  /// functions stand beside the way.
  bool is_hardly_needed(operation_id later, operation_id earlier) const {
    if (seen_.operation_at(earlier).kind == operation_kind::host_function) return true;
    const std::optional<analysis::engine> now = analysis::engine_of(seen_.operation_at(later)),
                                          before = analysis::engine_of(seen_.operation_at(earlier));
    const auto step = [](analysis::engine where) {
      return where == analysis::engine::copies_to_device ? 0
             : where == analysis::engine::copies_to_host ? 2
                                                         : 1;
    };
    return now && before && step(*now) < step(*before);
  }
  bool is_needed(operation_id later, operation_id earlier) const {
    if (!needed_.are_known) return !is_hardly_needed(later, earlier);
    const std::vector<analysis::dependency>& all = needed_.of_operation[later - part_.operations.front()];
    return std::any_of(all.begin(), all.end(),
                       [&](const analysis::dependency& each) { return each.on == earlier; });
  }

  /// Whether it needs the earlier one only because it overwrites what that uses.
  bool overwrites(operation_id later, operation_id earlier) const {
    if (!needed_.are_known) return false;
    const std::vector<analysis::dependency>& all = needed_.of_operation[later - part_.operations.front()];
    return std::any_of(all.begin(), all.end(),
                       [&](const analysis::dependency& each) { return each.on == earlier && !each.is_flow; });
  }

  // What the causes cost.

  void replay_causes() {
    cures possible(part_, needed_, *gpu_);
    possible_ = &possible;
    cases_.clear();
    find_cases();
    const replay_times again = replay(possible.as_recorded(), *gpu_);
    const double took = static_cast<double>(std::max<std::int64_t>(1, result_.took.count()));
    result_.replay_error = std::abs(static_cast<double>((again.duration - result_.took).count())) / took;
    if (result_.replay_error > trusted_error) {
      possible_ = nullptr;
      return;
    }
    result_.is_replayed = true;
    find_host_waits();
    what_if without(possible, present_causes(possible));
    const auto [times, fastest] = without.best_without(without.all());
    result_.attainable = std::min(times.duration, result_.took);
    attainable_overlap(times, fastest);
    find_floor(fastest.what);
    share(without);
    constexpr std::size_t most_lines = 8;
    for (std::size_t i = 0; i < std::min(most_lines, result_.host_waits.size()); ++i)
      save_of(possible, result_.host_waits[i]);
    possible_ = nullptr;
  }

  /// The causes that change the time, alone or when all else is cured.
  std::vector<cause> present_causes(const cures& possible) {
    std::vector<cause> applying;
    for (int number = 0; number < cause_count; ++number) {
      if (possible.applies(static_cast<cause>(number))) applying.push_back(static_cast<cause>(number));
    }
    what_if all(possible, applying);
    const nanoseconds before = all.time_without(0), after = all.time_without(all.all());
    const nanoseconds noticeable = result_.took / 200;
    std::vector<cause> present;
    for (std::size_t i = 0; i < applying.size(); ++i) {
      const std::uint32_t one = std::uint32_t{1} << i;
      const bool saves_alone = before - all.time_without(one) > noticeable;
      if (saves_alone || all.time_without(all.all() & ~one) - after > noticeable)
        present.push_back(applying[i]);
    }
    return present;
  }

  void share(what_if& without) {
    const std::vector<cause>& present = without.present();
    std::vector<std::vector<std::size_t>> orders = orders_of(present);
    const std::size_t replays =
        std::min<std::size_t>(std::size_t{1} << present.size(), orders.size() * present.size());
    if (replays * part_.operations.size() > most_replayed_operations) {
      std::vector<std::size_t>& order = orders.front();
      const auto end = std::find_if(order.begin(), order.end(),
                                    [&](std::size_t each) { return is_about_division(present[each]); });
      std::stable_sort(order.begin(), end, [&](std::size_t one, std::size_t two) {
        return without.time_without(std::uint32_t{1} << one) < without.time_without(std::uint32_t{1} << two);
      });
      orders.resize(1);
    }
    std::vector<nanoseconds> sums(present.size());
    for (const std::vector<std::size_t>& order : orders) {
      std::uint32_t cured = 0;
      nanoseconds best = without.time_without(cured);
      for (const std::size_t each : order) {
        cured |= std::uint32_t{1} << each;
        const nanoseconds now =
            std::min(best, without.time_without(cured));  // nobody keeps a cure that hurts
        sums[each] += best - now;
        best = now;
      }
      result_.attainable = std::min(result_.attainable, best);
      result_.floor = std::min(result_.floor, best);
    }
    const nanoseconds all = without.time_without(0);
    nanoseconds explained{0};
    for (std::size_t i = 0; i < present.size(); ++i) {
      const nanoseconds cost = sums[i] / static_cast<std::int64_t>(orders.size());
      explained += cost;
      cause_cost& added = result_.causes.emplace_back();
      added.what = present[i];
      added.cost = cost;
      added.alone = all - without.time_without(std::uint32_t{1} << i);
      added.how =
          without.best_without(added.alone.count() > 0 ? std::uint32_t{1} << i : without.all()).second.how;
    }
    std::stable_sort(result_.causes.begin(), result_.causes.end(),
                     [](const cause_cost& one, const cause_cost& two) { return one.cost > two.cost; });
    result_.unexplained = result_.took - result_.floor - explained;
  }

  void attainable_overlap(const replay_times& times, const variant& fastest) {
    trace::recording cured;
    std::array<std::vector<operation_id>, analysis::engine_count> on;
    for (operation_number number = 0; number < fastest.what.operations.size(); ++number) {
      const program_operation& operation = fastest.what.operations[number];
      cured.operations.push_back({.id = number + 1, .start = times.start[number], .end = times.end[number]});
      const std::optional<analysis::engine> where =
          analysis::engine_of(seen_.operation_at(operation.recorded));
      if (where && !operation.is_dropped) on[static_cast<int>(*where)].push_back(number + 1);
    }
    for (engine_pair& each : result_.pairs)
      each.attainable_fraction =
          analysis::overlap(cured, on[static_cast<int>(each.first)], on[static_cast<int>(each.second)])
              .fraction();
  }

  /// The busiest engine of the cured program, with nothing beside it, or its longest chain of results.
  void find_floor(const program& cured) {
    std::map<std::uint32_t, std::array<double, analysis::engine_count>> work_of;  // by device
    for (const program_operation& each : cured.operations) {
      if (each.is_dropped) continue;
      const trace::operation& recorded = seen_.operation_at(each.recorded);
      const std::optional<analysis::engine> where = analysis::engine_of(recorded);
      std::array<double, analysis::engine_count>& work = work_of[recorded.device];
      if (where == analysis::engine::kernels) {
        double block_time = 0;
        for (const trace::block_time& blocks : each.blocks)
          block_time += static_cast<double>(blocks.blocks) * static_cast<double>(blocks.duration.count());
        const double threads = std::max(1.0, static_cast<double>(each.what.shape.threads_per_block));
        const double warps = std::ceil(threads / gpu_->warp_size) * gpu_->warp_size;
        work[static_cast<int>(*where)] +=
            block_time / (std::floor(gpu_->threads_per_multiprocessor / warps) * gpu_->multiprocessors);
      } else if (where) {
        const auto route =
            each.what.kind == operation_kind::memset ? device::copy_route::device_to_device : each.what.route;
        const bool is_one_engine = where == analysis::engine::copies_to_host && gpu_->copy_engines < 2;
        work[static_cast<int>(is_one_engine ? analysis::engine::copies_to_device : *where)] +=
            cured.slower_copies *
            (each.what.kind == operation_kind::memset
                 ? static_cast<double>(each.what.bytes) / gpu_->memset_bandwidth
                 : device::transfer_ns(*gpu_, route, each.what.bytes, each.what.host_bandwidth));
      }
    }
    double longest = longest_chain(cured);
    for (const auto& [device, work] : work_of)
      longest = std::max(longest, *std::max_element(work.begin(), work.end()));
    result_.floor = std::min(result_.attainable, device::from_ns(longest));
  }

  /// The longest chain of results, each operation without company. 0 when the work was cut: its pieces have
  /// no such chain.
  double longest_chain(const program& cured) const {
    if (cured.operations.size() != part_.operations.size()) return 0;
    std::vector<double> end(cured.operations.size());
    const operation_id first = part_.operations.front();
    for (std::size_t number = 0; number < end.size(); ++number) {
      const program_operation& operation = cured.operations[number];
      if (operation.is_dropped || !analysis::is_device_work(operation.what.kind)) continue;
      for (const analysis::dependency& each : needed_.of_operation[number])
        end[number] = std::max(end[number], each.is_flow ? end[each.on - first] : 0.0);
      nanoseconds longest_block{0};
      for (const trace::block_time& each : operation.blocks)
        longest_block = std::max(longest_block, each.duration);
      end[number] += static_cast<double>(longest_block.count());
      if (operation.what.kind == operation_kind::copy)
        end[number] +=
            cured.slower_copies * device::transfer_ns(*gpu_, operation.what.route, operation.what.bytes,
                                                      operation.what.host_bandwidth);
    }
    return end.empty() ? 0 : *std::max_element(end.begin(), end.end());
  }

  void find_host_waits() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, host_wait> by_line;
    std::map<trace::call_id, bool> is_needed;
    if (possible_ != nullptr) {
      const std::vector<program_step>& steps = possible_->as_recorded().steps;
      for (std::uint32_t step = 0; step < steps.size(); ++step)
        is_needed[steps[step].call] = possible_->is_needed(step);
    }
    for (const trace::call_id id : part_.calls) {
      const trace::host_call& call = seen_.call_at(id);
      const bool is_beside_work = call.start >= result_.begin && call.start < result_.begin + result_.took;
      if (!is_beside_work || !cures::waits_because_of(seen_, call)) continue;
      host_wait& wait = by_line[{call.where.file, call.where.line, std::string(name_of(call))}];
      if (wait.times == 0 || call.end - call.start > length(seen_.call_at(wait.call))) wait.call = id;
      ++wait.times;
      wait.waited += length(call);
      wait.needed += is_needed[id] ? 1 : 0;
    }
    for (const auto& [line, wait] : by_line) result_.host_waits.push_back(wait);
    std::stable_sort(result_.host_waits.begin(), result_.host_waits.end(),
                     [](const host_wait& one, const host_wait& two) { return one.waited > two.waited; });
  }
  template <typename CallOrOperation>
  static nanoseconds length(const CallOrOperation& what) {
    return what.end - what.start;
  }

  /// What the part would gain without the waits of that line that nothing on the host needs.
  void save_of(const cures& possible, host_wait& wait) {
    if (!needed_.are_known || wait.needed == wait.times) return;
    const variant changed = possible.without_waits_at(seen_.call_at(wait.call));
    wait.saves = std::max(nanoseconds(0), result_.took - replay(changed.what, *changed.gpu).duration);
  }

  void cost_by_constraints() {
    for (const auto& [what, each] : cases_) {
      if (each.held_up.count() == 0) continue;
      cause_cost& added = result_.causes.emplace_back();
      added.what = what;
      added.cost = each.held_up;
    }
    std::stable_sort(result_.causes.begin(), result_.causes.end(),
                     [](const cause_cost& one, const cause_cost& two) { return one.cost > two.cost; });
  }

  /// Adds to each cause its clearest case.
  void describe_causes() {
    for (cause_cost& each : result_.causes) {
      each.is_needless = needed_.are_known;
      const example& found = cases_[each.what];
      each.late = found.late;
      each.behind = found.behind;
      each.call = found.call;
      each.times = found.times;
      if (each.what == cause::shared_buffer) {
        find_overwriting(each);
      } else if (each.late == 0) {
        find_member(each);
      }
      // What keeps the host busy may stand in a task that somebody else wrote; what is issued late does not.
      const bool is_told_by_call = each.call != 0 && (each.what != cause::host_busy || each.late == 0);
      if (is_told_by_call) {
        each.where = own_place_at(seen_.call_at(each.call));
      } else if (each.late != 0) {
        each.where = analysis::place_of_operation(seen_, own_of(place_of(each), each.late, each.behind));
      }
      if (seen_.is_given(each.where)) each.where = {};
    }
  }
  /// The reader's line at the call: its own, or, of a call in given code, that of the reader's call before
  /// it.
  trace::location own_place_at(const trace::host_call& call) const {
    const auto is_own = [&](const trace::host_call& each) {
      return each.thread == call.thread && seen_.is_own(each.where);
    };
    const auto before =
        std::find_if(seen_.calls.rend() - call.id, seen_.calls.rend() - (part_.calls.front() - 1), is_own);
    return before == seen_.calls.rend() - (part_.calls.front() - 1) ? trace::location{} : before->where;
  }
  /// Of the operation whose line tells most, and the two that a cause names, the first that the reader's code
  /// issued; the first when none was.
  operation_id own_of(operation_id most_telling, operation_id late, operation_id behind) const {
    for (const operation_id each : {most_telling, late, behind}) {
      if (each != 0 && !is_issued_by_given_code(each)) return each;
    }
    return most_telling;
  }
  /// The operation whose line is to be changed: of the default stream, the one that is in it.
  operation_id place_of(const cause_cost& what) const {
    if (what.behind == 0) return what.late;
    switch (what.what) {
      case cause::default_stream: {
        const trace::stream& of_late = seen_.stream_at(seen_.operation_at(what.late).stream);
        return of_late.kind == trace::stream_kind::legacy_default ? what.late : what.behind;
      }
      case cause::host_function:
      case cause::event_recorded_again:
      case cause::event_recorded_late:
      case cause::no_room:
        return what.behind;
      default:
        return what.late;
    }
  }
  /// The first operation that overwrites what another uses: the wait may be in an event, or in the host.
  void find_overwriting(cause_cost& what) {
    what.late = what.behind = 0;
    what.call = 0;
    what.times = 0;
    for (std::size_t number = 0; number < part_.operations.size(); ++number) {
      const std::vector<analysis::dependency>& needs = needed_.of_operation[number];
      const auto found = std::find_if(needs.rbegin(), needs.rend(), [&](const analysis::dependency& each) {
        return !each.is_flow && analysis::is_device_work(seen_.operation_at(each.on).kind);
      });
      if (found == needs.rend()) continue;
      ++what.times;
      if (what.late != 0) continue;
      what.late = part_.operations[number];
      what.behind = found->on;
    }
  }
  /// A cause that no single wait shows: any operation of it, and the longest call.
  void find_member(cause_cost& what) {
    nanoseconds longest{0};
    for (const trace::call_id id : part_.calls) {
      const trace::host_call& call = seen_.call_at(id);
      if (call.start < result_.begin || length(call) <= longest || cause_of_call(call) != what.what) continue;
      longest = length(call);
      what.call = id;
    }
    for (const operation_id id : part_.operations) {
      const trace::operation& operation = seen_.operation_at(id);
      if (!belongs_to(operation, what.what)) continue;
      const bool is_longer = what.what == cause::one_piece && what.late != 0 &&
                             length(operation) > length(seen_.operation_at(what.late));
      if (what.late == 0 || is_longer) what.late = id;
      ++what.times;
    }
  }
  bool belongs_to(const trace::operation& operation, cause what) const {
    switch (what) {
      case cause::pageable_memory:
        return operation.source == trace::memory_kind::pageable ||
               operation.destination == trace::memory_kind::pageable;
      case cause::small_chunks:
      case cause::one_piece:
        return analysis::engine_of(operation).has_value();
      case cause::default_stream:
        return seen_.stream_at(operation.stream).kind == trace::stream_kind::legacy_default;
      case cause::host_function:
        return operation.kind == operation_kind::host_function;
      case cause::synchronous_copy:
        return operation.issued_by != 0 &&
               cures::waits_because_of(seen_, seen_.call_at(operation.issued_by)) == what;
      default:
        return false;
    }
  }

  const analysis::part& part_;
  const trace::recording& seen_;
  const device::profile* gpu_;
  analysis::reasons why_;
  analysis::dependencies needed_;
  const cures* possible_ = nullptr;  // while the causes are replayed
  std::map<cause, example> cases_;
  explanation result_;
};

}  // namespace

explanation explanation_of(const analysis::part& of, const device::profile* gpu) {
  if (of.operations.size() <= most_explained_operations) return explainer(of, gpu).explanation_of();
  analysis::part first = of;
  first.operations.resize(most_explained_operations);
  const trace::call_id last = of.seen->operation_at(first.operations.back()).issued_by;
  std::erase_if(first.calls, [&](trace::call_id each) { return each > last; });
  explanation result = explainer(first, gpu).explanation_of();
  result.operations = of.operations.size();
  return result;
}

}  // namespace explain
