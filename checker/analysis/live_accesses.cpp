#include "analysis/live_accesses.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "analysis/limits.h"

namespace analysis {
namespace {

constexpr trace::access_mode all_modes[] = {trace::access_mode::read, trace::access_mode::write,
                                            trace::access_mode::atomic};

bool conflict(trace::access_mode one, trace::access_mode two) {
  return one != two || one == trace::access_mode::write;  // two reads do not, nor do two atomics
}

bool is_solid(const trace::byte_set& bytes) {
  return bytes.runs().size() == 1 && bytes.runs().front().count == 1;
}

/// Where an access is kept. Scattered ones are kept a little beyond their bounds, so that many of them that
/// begin side by side (columns of a matrix) do not divide the allocation ever further.
trace::byte_range kept_bounds(const trace::byte_set& bytes) {
  const trace::byte_range bounds = bytes.bounds();
  if (is_solid(bytes)) return bounds;
  const std::uint64_t grain = std::max<std::uint64_t>(1, std::bit_floor(bounds.end - bounds.begin) / 4);
  const std::uint64_t beyond = (grain - bounds.end % grain) % grain;
  return {bounds.begin - bounds.begin % grain, std::max(bounds.end, bounds.end + beyond)};
}

}  // namespace

void live_accesses::find_conflicts(std::size_t newcomer,
                                   const std::function<bool(std::size_t)>& found) const {
  const placed_access& newer = accesses_[newcomer];
  const trace::byte_range bounds = newer.access->bytes.bounds();
  for (auto segment = first_behind(segments_, bounds.begin);
       segment != segments_.end() && segment->first < bounds.end; ++segment) {
    for (const trace::access_mode mode : all_modes) {
      if (!conflict(mode, newer.access->mode)) continue;
      for (const group& group : groups_of(segment->second, mode)) {
        if (group.timeline == newer.timeline) continue;
        const std::optional<std::size_t> older = latest_conflict(group, newer);
        if (older && !found(*older)) return;
      }
    }
  }
}

std::optional<std::size_t> live_accesses::latest_conflict(const group& group,
                                                          const placed_access& newer) const {
  for (auto member = group.members.rbegin(); member != group.members.rend(); ++member) {
    const placed_access& older = accesses_[*member];
    const relation is = relate(older, newer);
    if (is == relation::before) break;  // and so are those before it
    if (is == relation::unordered && older.access->bytes.overlaps(newer.access->bytes)) return *member;
  }
  return std::nullopt;
}

void live_accesses::add(std::size_t newcomer) {
  const placed_access& newer = accesses_[newcomer];
  const trace::byte_range bounds = kept_bounds(newer.access->bytes);
  const bool may_replace =
      newer.access->mode == trace::access_mode::write && is_solid(newer.access->bytes) && may_forget(newer);
  for (const std::uint64_t end : {bounds.begin, bounds.end}) {
    const auto divided = first_behind(segments_, end);
    if (divided != segments_.end() && divided->first < end) count_.kept += members_of(divided->second);
  }
  auto replaced = segments_.end();  // the last segment that holds nothing but the newcomer
  for (auto segment = divide(segments_, bounds); segment != segments_.end() && segment->first < bounds.end;) {
    if (may_replace && is_all_before(segment->second, newer)) {
      count_.kept -= members_of(segment->second);
      if (replaced != segments_.end() && replaced->second.end == segment->first) {
        replaced->second.end = segment->second.end;
        segment = segments_.erase(segment);
        continue;
      }
      segment->second.groups = {};
      replaced = segment;
    }
    add_to(segment->second, static_cast<std::uint32_t>(newcomer));
    ++segment;
  }
  if (count_.kept > count_.max) {
    throw too_large(
        "The run is too large to be judged: many streams use the same memory in many parts, and more "
        "than " +
        std::to_string(count_.max) + " accesses could race with later ones.");
  }
}

live_accesses::relation live_accesses::relate(const placed_access& older, const placed_access& newer) const {
  const auto point = [](const placed_access& device) {
    return operation_point{device.operation, device.step};
  };
  if (older.operation != 0 && newer.operation != 0) {
    const bool is_before = older.staged_by != 0 ? order_.source_is_free(older.operation, newer.operation)
                                                : order_.is_before(point(older), point(newer));
    if (is_before) return relation::before;
    // One that was issued later set a flag for which the other one waited.
    return order_.is_before(point(newer), point(older)) ? relation::after : relation::unordered;
  }
  if (older.operation == 0 && newer.operation == 0) {
    if (order_.is_before(older.host, newer.host)) return relation::before;
    return order_.is_before(newer.host, older.host) ? relation::after : relation::unordered;
  }
  const auto is_over = [&](const placed_access& device, host_point host) {
    return device.staged_by != 0 ? order_.source_is_free(device.operation, host)
                                 : order_.is_before(point(device), host);
  };
  if (older.operation != 0) {
    if (is_over(older, newer.host)) return relation::before;
    return order_.is_before(newer.host, point(older)) ? relation::after : relation::unordered;
  }
  if (order_.is_before(older.host, point(newer))) return relation::before;
  return is_over(newer, older.host) ? relation::after : relation::unordered;
}

std::size_t live_accesses::members_of(const segment& part) {
  std::size_t members = 0;
  for (const std::vector<group>& groups : part.groups) {
    for (const group& group : groups) members += group.members.size();
  }
  return members;
}

bool live_accesses::is_all_before(const segment& part, const placed_access& newer) const {
  const auto is_before = [&](const group& group) {
    const placed_access& latest = accesses_[group.members.back()];
    if (!may_forget(latest)) return false;
    return group.timeline == newer.timeline || relate(latest, newer) == relation::before;
  };
  return std::all_of(part.groups.begin(), part.groups.end(), [&](const std::vector<group>& groups) {
    return std::all_of(groups.begin(), groups.end(), is_before);
  });
}

void live_accesses::add_to(segment& part, std::uint32_t newcomer) {
  const placed_access& newer = accesses_[newcomer];
  const auto key_of = [](const auto& entry) { return std::pair(entry.timeline, entry.staged_by); };
  for (const trace::access_mode mode : all_modes) {
    const bool is_own_mode = mode == newer.access->mode;
    if (!is_own_mode && newer.access->mode != trace::access_mode::write) continue;
    std::vector<group>& groups = part.groups[static_cast<std::size_t>(mode)];
    auto place = std::partition_point(groups.begin(), groups.end(),
                                      [&](const group& group) { return group.timeline < newer.timeline; });
    while (place != groups.end() && place->timeline == newer.timeline) {
      const bool is_own = is_own_mode && place->staged_by == newer.staged_by;
      if (is_own || newer.access->mode == trace::access_mode::write) forget_covered(*place, newer);
      place = !is_own && place->members.empty() ? groups.erase(place) : std::next(place);
    }
    if (!is_own_mode) continue;
    place = std::partition_point(groups.begin(), groups.end(),
                                 [&](const group& group) { return key_of(group) < key_of(newer); });
    if (place == groups.end() || key_of(*place) != key_of(newer))
      place = groups.insert(place, {newer.timeline, newer.staged_by, {}});
    place->members.push_back(newcomer);
    ++count_.kept;
  }
}

/// Forgets the latest of the members as far as the newer access of their timeline covers them.
void live_accesses::forget_covered(group& group, const placed_access& newer) {
  const bool covers_all = is_solid(newer.access->bytes);
  const auto is_covered = [&](std::uint32_t older) {
    const bool is_other_step =
        accesses_[older].operation == newer.operation && accesses_[older].step != newer.step;
    return !is_other_step && may_forget(accesses_[older]) &&
           (covers_all || accesses_[older].access->bytes == newer.access->bytes);
  };
  while (!group.members.empty() && is_covered(group.members.back())) {
    group.members.pop_back();
    --count_.kept;
  }
}

}  // namespace analysis
