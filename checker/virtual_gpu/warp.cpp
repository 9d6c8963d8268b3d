#include "virtual_gpu/warp.h"

#include <cstdio>
#include <cstring>

namespace virtual_gpu {
namespace {

std::string with_mask(const warp_arrival& arrival) {
  char mask[16];
  std::snprintf(mask, sizeof mask, "0x%08x", arrival.mask);
  return std::string(arrival.operation) + " with the mask " + mask;
}

}  // namespace

bool warp::is_same(const warp_arrival& a, const warp_arrival& b) {
  return a.mask == b.mask && std::strcmp(a.operation, b.operation) == 0;
}

std::optional<std::string> warp::arrive(unsigned lane, warp_arrival& arrival) {
  const lane_mask own = 1u << lane;
  if ((arrival.mask & own) == 0) {
    return lanes_in_words(own) + " came to " + with_mask(arrival) + ", which does not name it";
  }
  std::optional<std::string> problem;
  for_each_lane(arrival.mask & waiting_, [&](unsigned other) {
    const warp_arrival& there = *arrivals_[other];
    if ((there.mask & own) == 0 || is_same(there, arrival) || problem) return;
    problem = lanes_in_words(own) + " came to " + with_mask(arrival) + ", but " +
              lanes_in_words(1u << other) + " waits for it at " + with_mask(there) + ": neither can go on";
  });
  if (problem) return problem;
  arrivals_[lane] = &arrival;
  waiting_ |= own;
  return std::nullopt;
}

lane_mask warp::complete(const warp_arrival& arrival, lane_mask alive) {
  const lane_mask needed = arrival.mask & alive;
  if ((needed & ~waiting_) != 0) return 0;
  bool all_there = true;
  warp_values all;
  all.lanes = needed;
  for_each_lane(needed, [&](unsigned lane) {
    all_there = all_there && is_same(*arrivals_[lane], arrival);
    all.given[lane] = arrivals_[lane]->value;
  });
  if (!all_there) return 0;
  for_each_lane(needed, [&](unsigned lane) { arrivals_[lane]->all = all; });
  waiting_ &= ~needed;
  return needed;
}

std::string lanes_in_words(lane_mask lanes) {
  std::string words;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    unsigned last = lane;
    while (last + 1 < 32 && (lanes >> (last + 1) & 1) != 0) ++last;
    words += (words.empty() ? "" : ", ") + std::to_string(lane);
    if (last > lane) words += " to " + std::to_string(last);
    lane = last;
  }
  return (std::popcount(lanes) == 1 ? "lane " : "lanes ") + words;
}

}  // namespace virtual_gpu
