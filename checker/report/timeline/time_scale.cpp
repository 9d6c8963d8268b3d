#include "report/timeline/time_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace report {
namespace {

/// The next longer step of the series 1, 2, 5, 10, 20, 50 ...
std::int64_t next_step(std::int64_t step) {
  std::int64_t power = 1;
  while (step / power >= 10) power *= 10;
  return step / power == 2 ? power * 5 : step * 2;
}

}  // namespace

time_scale::time_scale(trace::nanoseconds begin, trace::nanoseconds end, int columns, int tick_distance)
    : begin_(begin), length_(end - begin), columns_(columns) {
  const std::int64_t length = length_.count();
  std::int64_t step = 1;
  while (step * (columns_ - 1) < tick_distance * length) step = next_step(step);

  constexpr std::array<std::pair<std::int64_t, const char*>, 4> units{
      {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  // The unit in which the whole drawing has at least two digits: 0 to 4000 us, then 0 to 10 ms.
  const auto unit = std::find_if(units.begin(), units.end() - 1,
                                 [&](const auto& candidate) { return length >= 10 * candidate.first; });
  unit_ = unit->second;
  for (std::int64_t time = 0; time <= length; time += step) {
    ticks_.push_back(
        {.column = column_of(begin_ + trace::nanoseconds{time}),
         .label = fmt::format("{}", static_cast<double>(time) / static_cast<double>(unit->first))});
  }
}

int time_scale::column_of(trace::nanoseconds time) const {
  const trace::nanoseconds offset = std::clamp(time - begin_, trace::nanoseconds{0}, length_);
  // In 128 bits: nanoseconds of a long run times columns need not fit into 64.
  return static_cast<int>(static_cast<__int128>(offset.count()) * (columns_ - 1) / length_.count());
}

}  // namespace report
