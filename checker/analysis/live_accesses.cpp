#include "analysis/live_accesses.h"

#include <algorithm>
#include <bit>

namespace analysis {
namespace {

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
                                   const std::function<void(std::size_t)>& found) const {
  const placed_access& newer = accesses_[newcomer];
  const trace::byte_range bounds = newer.access->bytes.bounds();
  for (auto segment = first_behind(segments_, bounds.begin);
       segment != segments_.end() && segment->first < bounds.end; ++segment) {
    for (const group& group : segment->second.groups) {
      if (group.timeline == newer.timeline || !conflict(group.mode, newer.access->mode)) continue;
      for (auto member = group.members.rbegin(); member != group.members.rend(); ++member) {
        const placed_access& older = accesses_[*member];
        const relation is = relate(older, newer);
        if (is == relation::before) break;  // and so are those before it
        if (is == relation::after || !older.access->bytes.overlaps(newer.access->bytes)) continue;
        found(*member);
        break;
      }
    }
  }
}

void live_accesses::add(std::size_t newcomer) {
  const placed_access& newer = accesses_[newcomer];
  const trace::byte_range bounds = kept_bounds(newer.access->bytes);
  const bool may_replace =
      newer.access->mode == trace::access_mode::write && is_solid(newer.access->bytes) && may_forget(newer);
  auto replaced = segments_.end();  // the last segment that holds nothing but the newcomer
  for (auto segment = divide(segments_, bounds); segment != segments_.end() && segment->first < bounds.end;) {
    if (may_replace && is_all_before(segment->second, newer)) {
      if (replaced != segments_.end() && replaced->second.end == segment->first) {
        replaced->second.end = segment->second.end;
        segment = segments_.erase(segment);
        continue;
      }
      segment->second.groups.clear();
      replaced = segment;
    }
    add_to(segment->second, static_cast<std::uint32_t>(newcomer));
    ++segment;
  }
}

live_accesses::relation live_accesses::relate(const placed_access& older, const placed_access& newer) const {
  if (older.operation != 0 && newer.operation != 0) {
    const bool is_before = older.staged_by != 0 ? order_.source_is_free(older.operation, newer.operation)
                                                : order_.is_before(older.operation, newer.operation);
    return is_before ? relation::before : relation::unordered;
  }
  if (older.operation == 0 && newer.operation == 0) {
    if (order_.is_before(older.host, newer.host)) return relation::before;
    return order_.is_before(newer.host, older.host) ? relation::after : relation::unordered;
  }
  const auto is_over = [&](const placed_access& device, host_point host) {
    return device.staged_by != 0 ? order_.source_is_free(device.operation, host)
                                 : order_.is_before(device.operation, host);
  };
  if (older.operation != 0) {
    if (is_over(older, newer.host)) return relation::before;
    return order_.is_before(newer.host, older.operation) ? relation::after : relation::unordered;
  }
  if (order_.is_before(older.host, newer.operation)) return relation::before;
  return is_over(newer, older.host) ? relation::after : relation::unordered;
}

bool live_accesses::is_all_before(const segment& part, const placed_access& newer) const {
  return std::all_of(part.groups.begin(), part.groups.end(), [&](const group& group) {
    const placed_access& latest = accesses_[group.members.back()];
    if (!may_forget(latest)) return false;
    return group.timeline == newer.timeline || relate(latest, newer) == relation::before;
  });
}

void live_accesses::add_to(segment& part, std::uint32_t newcomer) {
  const placed_access& newer = accesses_[newcomer];
  const bool covers_all = is_solid(newer.access->bytes);
  group* own = nullptr;
  for (group& group : part.groups) {
    if (group.timeline != newer.timeline) continue;
    const bool is_own = group.mode == newer.access->mode && group.staged_by == newer.staged_by;
    if (is_own) own = &group;
    if (!is_own && newer.access->mode != trace::access_mode::write) continue;
    const auto is_covered = [&](std::uint32_t older) {
      return may_forget(accesses_[older]) &&
             (covers_all || accesses_[older].access->bytes == newer.access->bytes);
    };
    while (!group.members.empty() && is_covered(group.members.back())) group.members.pop_back();
  }
  if (own != nullptr) {
    own->members.push_back(newcomer);
  } else {
    part.groups.push_back({newer.timeline, newer.access->mode, newer.staged_by, {newcomer}});
  }
  std::erase_if(part.groups, [](const group& group) { return group.members.empty(); });
}

}  // namespace analysis
