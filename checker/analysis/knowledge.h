// knowledge.h: what is known where, along rows of points (streams, branches of graphs, host threads) with edges between
// them.
//
// Whoever knows a point knows all before it in its row and all that those knew. Points without a new edge share what
// they know with the one before them. Joining two sides costs time in proportion to what the side with less news adds.
// Not here: which edges there are (ordering_builder.h). Only for ordering.
//
//     graph.begin({stream, 7});                  // the point after position 7 of that row
//     graph.learn({other_stream, 3});            // an edge from there
//     const clock known = graph.end({thread, 5});
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "analysis/clock_store.h"

namespace analysis {

inline constexpr std::uint32_t no_timeline = std::numeric_limits<std::uint32_t>::max();

/// A place in a row; positions count from 1.
struct timeline_point {
  std::uint32_t timeline = no_timeline;
  std::uint32_t position = 0;
};

/// What each point of each row knows of the other rows: how far these have come before it.
class knowledge_graph {
 public:
  using clock = clock_store::clock;

  knowledge_graph(std::size_t timelines, clock_store& store);

  /// Begins a step of that row. Position: how far the row itself has come by then.
  void begin(timeline_point self);
  /// Adds an edge from that point to the step. Nothing where it is known already.
  void learn(timeline_point point);
  /// Adds edges from all from which that operation has one.
  void learn_what_is_before(timeline_point operation);
  /// What the thread that issues the step knows, and how far it has come.
  void learn_issuer(timeline_point issuer);
  /// Calls visit(point) for all that follows from the point: the last of each row.
  template <typename Visit>
  void for_each_known(timeline_point point, Visit visit) const {
    const std::size_t place = segment_at(point);
    if (place < rows_[point.timeline].segments.size()) {
      store_.for_each(rows_[point.timeline].segments[place].known,
                      [&](std::uint32_t timeline, std::uint32_t position) {
                        visit(timeline_point{timeline, position});
                      });
    }
    if (const timeline_point issuer = issuer_of(point); issuer.timeline != no_timeline) visit(issuer);
    visit(point);
  }
  /// How far another row is known to have come, in the step begun.
  std::uint32_t known(std::uint32_t timeline) const;
  /// Ends the step, which is an operation: its end is the next point of its row. Gives what is known before it.
  clock end_operation();
  /// Ends the step, which is on a host thread: gives what is known there from the position on.
  clock end_host_step();

  /// The last operation of a row.
  std::uint32_t last_position(std::uint32_t timeline) const {
    return static_cast<std::uint32_t>(rows_[timeline].issued.size());
  }
  /// What is known at the end of a row, other than how far the row itself has come.
  clock latest(std::uint32_t timeline) const {
    return rows_[timeline].segments.empty() ? 0 : rows_[timeline].segments.back().known;
  }

 private:
  /// Points that know the same, their own row apart.
  struct segment {
    std::uint32_t since = 0;  // first position
    clock known = 0;
    std::uint32_t first_edge = 0, end_of_edges = 0;
    std::uint32_t issuer = no_timeline;
  };
  struct row {
    std::vector<segment> segments;
    std::vector<std::uint32_t> issued;  // of operations, by position - 1: how far the issuing thread had come
  };
  enum class search { finished, too_long };

  std::size_t segment_at(timeline_point point) const;
  timeline_point issuer_of(timeline_point point) const;
  search find_news(const std::vector<timeline_point>& points, clock base,
                   std::initializer_list<timeline_point> implied, std::size_t max_steps);
  void note_news(timeline_point point);
  search open_what_precedes(timeline_point last, std::uint32_t known_position);
  void apply_news(clock base);
  void raise(timeline_point point);
  void add_segment(std::uint32_t since);

  clock_store& store_;
  std::vector<row> rows_;
  std::vector<timeline_point> edges_;

  timeline_point self_;
  timeline_point issuer_;
  clock known_ = 0;
  std::vector<timeline_point> sources_;  // all that is known follows from these
  std::size_t first_edge_ = 0;

  std::vector<std::uint32_t> news_;  // by timeline, during a search; else 0
  std::vector<std::uint32_t> raised_;
  std::vector<timeline_point> open_;
  std::size_t steps_left_ = 0;
};

}  // namespace analysis
