// time_scale.h: maps times to columns and places round ticks.
//
// A column is a character, or a fraction of a pixel. Not here: how ticks look (timeline_text.h, timeline_svg.h).
//
//     report::time_scale scale(begin, end, 80);
//     int column = scale.column_of(operation.start);
#pragma once

#include <string>
#include <vector>

#include "trace/recording.h"

namespace report {

/// The mapping for a whole drawing.
class time_scale {
 public:
  /// A mark below the scale.
  struct tick {
    int column = 0;
    std::string label;  ///< without the unit: "250"
  };

  /// `begin` lies in the first and `end` in the last of at least 2 columns. `end` must be later than `begin`. Ticks are
  /// at least `tick_distance` columns apart.
  time_scale(trace::nanoseconds begin, trace::nanoseconds end, int columns, int tick_distance = 9);

  int columns() const { return columns_; }
  /// From 0. Times outside are moved to the nearest end.
  int column_of(trace::nanoseconds time) const;
  /// Of the tick labels: "ns", "us", "ms" or "s".
  const std::string& unit() const { return unit_; }
  /// At 1, 2 or 5 times a power of ten from `begin` (tick 0), so far apart that their labels do not touch.
  const std::vector<tick>& ticks() const { return ticks_; }

 private:
  trace::nanoseconds begin_;
  trace::nanoseconds length_;
  int columns_;
  std::string unit_;
  std::vector<tick> ticks_;
};

}  // namespace report
