#include "explain/detail/shares.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace explain {
namespace {

using trace::nanoseconds;

/// Replays of more operations than this in one explanation would take minutes: then causes are cured one
/// after another, in the order of what each saves alone, which still adds up.
constexpr std::size_t max_replayed_operations = 1'000'000;
constexpr std::size_t max_causes_in_all_orders = 4;

/// The replayed time of a part without some of its causes.
class what_if {
 public:
  what_if(const examined_part& examined, std::vector<cause> present)
      : examined_(examined), present_(std::move(present)) {}

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
    for (variant& variant : without(examined_, cured)) {
      replay_times times = replay(variant.program, *variant.gpu);
      if (!best || times.duration < best->first.duration) best.emplace(std::move(times), std::move(variant));
    }
    return std::move(*best);
  }
  std::uint32_t all() const { return (std::uint32_t{1} << present_.size()) - 1; }

 private:
  const examined_part& examined_;
  std::vector<cause> present_;
  std::map<std::uint32_t, nanoseconds> times_;
};

/// Causes whose cure is another division of the work. No run tells whether that is examined, and larger
/// pieces also go round what other causes hold up: so only what nothing else cures is theirs.
bool is_about_division(cause cause) {
  return cause == explain::cause::small_chunks || cause == explain::cause::one_piece;
}

/// Orders in which the causes are taken away; every cause comes first, and last, equally often, but those
/// about division come last.
std::vector<std::vector<std::size_t>> orders_of(const std::vector<cause>& all) {
  std::vector<std::size_t> order, last;
  for (std::size_t i = 0; i < all.size(); ++i) (is_about_division(all[i]) ? last : order).push_back(i);
  const std::size_t count = order.size();
  std::vector<std::vector<std::size_t>> orders;
  if (count <= max_causes_in_all_orders) {
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
  for (std::vector<std::size_t>& whole : orders) whole.insert(whole.end(), last.begin(), last.end());
  return orders;
}

/// The causes that change the time, alone or when all else is cured.
std::vector<cause> present_causes(const examined_part& examined, nanoseconds took) {
  std::vector<cause> applying;
  for (int number = 0; number < cause_count; ++number) {
    if (examined.applies(static_cast<cause>(number))) applying.push_back(static_cast<cause>(number));
  }
  what_if all(examined, applying);
  const nanoseconds before = all.time_without(0), after = all.time_without(all.all());
  const nanoseconds noticeable = took / 200;
  std::vector<cause> present;
  for (std::size_t i = 0; i < applying.size(); ++i) {
    const std::uint32_t one = std::uint32_t{1} << i;
    const bool saves_alone = before - all.time_without(one) > noticeable;
    if (saves_alone || all.time_without(all.all() & ~one) - after > noticeable)
      present.push_back(applying[i]);
  }
  return present;
}

}  // namespace

shared_costs share_costs(const examined_part& examined, nanoseconds took) {
  what_if without(examined, present_causes(examined, took));
  shared_costs result;
  std::tie(result.times, result.fastest) = without.best_without(without.all());
  result.best = std::min(result.times.duration, took);
  const std::vector<cause>& present = without.present();
  std::vector<std::vector<std::size_t>> orders = orders_of(present);
  const std::size_t replays =
      std::min<std::size_t>(std::size_t{1} << present.size(), orders.size() * present.size());
  if (replays * examined.part.operations.size() > max_replayed_operations) {
    std::vector<std::size_t>& order = orders.front();
    const auto end = std::find_if(order.begin(), order.end(),
                                  [&](std::size_t place) { return is_about_division(present[place]); });
    std::stable_sort(order.begin(), end, [&](std::size_t one, std::size_t two) {
      return without.time_without(std::uint32_t{1} << one) < without.time_without(std::uint32_t{1} << two);
    });
    orders.resize(1);
  }
  std::vector<nanoseconds> sums(present.size());
  for (const std::vector<std::size_t>& order : orders) {
    std::uint32_t cured = 0;
    nanoseconds best = without.time_without(cured);
    for (const std::size_t next : order) {
      cured |= std::uint32_t{1} << next;
      const nanoseconds now = std::min(best, without.time_without(cured));  // nobody keeps a cure that hurts
      sums[next] += best - now;
      best = now;
    }
    result.best = std::min(result.best, best);
  }
  const nanoseconds all = without.time_without(0);
  for (std::size_t i = 0; i < present.size(); ++i) {
    cause_cost& added = result.causes.emplace_back();
    added.cause = present[i];
    added.cost = sums[i] / static_cast<std::int64_t>(orders.size());
    added.alone = all - without.time_without(std::uint32_t{1} << i);
    added.how =
        without.best_without(added.alone.count() > 0 ? std::uint32_t{1} << i : without.all()).second.how;
  }
  std::stable_sort(result.causes.begin(), result.causes.end(),
                   [](const cause_cost& one, const cause_cost& two) { return one.cost > two.cost; });
  return result;
}

}  // namespace explain
