#include "kernels/warp.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace kernels {
namespace {

std::string with_mask(const warp_arrival& arrival) {
  char mask[16];
  std::snprintf(mask, sizeof mask, "0x%08x", arrival.mask);
  return std::string(arrival.operation) + " with the mask " + mask;
}

}  // namespace

bool warp::matches(const meeting& one, const warp_arrival& arrival) {
  return one.mask == arrival.mask &&
         (one.operation == arrival.operation || std::strcmp(one.operation, arrival.operation) == 0);
}

std::optional<std::string> warp::arrive(unsigned lane, warp_arrival& arrival) {
  const lane_mask own = 1u << lane;
  if ((arrival.mask & own) == 0) {
    return lanes_in_words(own) + " came to " + with_mask(arrival) + ", which does not name it";
  }
  meeting* joined = nullptr;
  for (meeting& known : meetings_) {
    if (matches(known, arrival)) {
      joined = &known;
    } else if ((known.mask & own) != 0 && (known.lanes & arrival.mask) != 0) {
      const unsigned other = static_cast<unsigned>(std::countr_zero(known.lanes & arrival.mask));
      return lanes_in_words(own) + " came to " + with_mask(arrival) + ", but " + lanes_in_words(1u << other) +
             " waits for it at " + with_mask(*arrivals_[other]) + ": neither can go on";
    }
  }
  if (joined != nullptr) {
    joined->lanes |= own;
  } else {
    meetings_.push_back({arrival.operation, arrival.mask, own});
  }
  arrivals_[lane] = &arrival;
  waiting_ |= own;
  return std::nullopt;
}

lane_mask warp::complete(const warp_arrival& arrival, lane_mask alive) {
  const auto found = std::find_if(meetings_.begin(), meetings_.end(),
                                  [&](const meeting& known) { return matches(known, arrival); });
  const lane_mask needed = arrival.mask & alive;
  if (found == meetings_.end() || (needed & ~found->lanes) != 0) return 0;
  warp_values all;
  all.lanes = needed;
  for_each_lane(needed, [&](unsigned lane) { all.values[lane] = arrivals_[lane]->value; });
  for_each_lane(needed, [&](unsigned lane) { arrivals_[lane]->all = all; });
  waiting_ &= ~needed;
  meetings_.erase(found);
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

}  // namespace kernels
