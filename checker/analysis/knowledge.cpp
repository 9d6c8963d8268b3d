#include "analysis/knowledge.h"

#include <algorithm>
#include <initializer_list>

namespace analysis {

knowledge_graph::knowledge_graph(std::size_t timelines, clock_store& store)
    : store_(store), rows_(timelines), news_(timelines, 0) {}

void knowledge_graph::begin(timeline_point self) {
  self_ = self;
  issuer_ = {};
  known_ = latest(self.timeline);
  sources_.clear();
  if (!rows_[self.timeline].segments.empty()) sources_.push_back(self);
  first_edge_ = edges_.size();
}

std::uint32_t knowledge_graph::known(std::uint32_t timeline) const {
  const std::uint32_t stored = store_.value(known_, timeline);
  if (timeline == self_.timeline) return std::max(stored, self_.position);
  return timeline == issuer_.timeline ? std::max(stored, issuer_.position) : stored;
}

void knowledge_graph::learn(timeline_point point) {
  if (known(point.timeline) >= point.position) return;
  edges_.push_back(point);
  const std::vector<segment>& segments = rows_[point.timeline].segments;
  const std::size_t place = segment_at(point);
  const clock other = place == segments.size() ? 0 : segments[place].known;
  // Add what the known side lacks to the other, or the other way round, whichever is less.
  for (std::size_t max_steps = 4;; max_steps *= 4) {
    if (find_news(sources_, other, {point, issuer_of(point)}, max_steps) == search::finished) {
      apply_news(other);
      break;
    }
    if (find_news({point}, known_, {self_, issuer_}, max_steps) == search::finished) {
      apply_news(known_);
      break;
    }
  }
  sources_.push_back(point);
}

void knowledge_graph::learn_what_is_before(timeline_point operation) {
  learn({operation.timeline, operation.position - 1});
  const segment own = rows_[operation.timeline].segments[segment_at(operation)];
  if (own.since != operation.position) return;
  for (std::size_t edge = own.first_edge; edge < own.end_of_edges; ++edge) {
    const timeline_point point = edges_[edge];
    learn(point);
  }
}

void knowledge_graph::learn_issuer(timeline_point issuer) {
  const timeline_point previous = issuer_of(self_);
  if (previous.timeline != no_timeline && previous.timeline != issuer.timeline) learn(previous);
  if (issuer.timeline == no_timeline) return;
  const std::vector<segment>& segments = rows_[issuer.timeline].segments;
  if (!segments.empty()) learn({issuer.timeline, segments.back().since});
  issuer_ = issuer;
}

knowledge_graph::clock knowledge_graph::end_operation() {
  row& own = rows_[self_.timeline];
  own.issued.push_back(issuer_.position);
  const bool shares_segment =
      edges_.size() == first_edge_ && !own.segments.empty() && own.segments.back().issuer == issuer_.timeline;
  if (!shares_segment) add_segment(self_.position + 1);
  return known_;
}

knowledge_graph::clock knowledge_graph::end_host_step() {
  if (edges_.size() != first_edge_) {
    raise(self_);
    add_segment(self_.position);
  }
  return known_;
}

void knowledge_graph::add_segment(std::uint32_t since) {
  store_.seal();
  rows_[self_.timeline].segments.push_back({since, known_, static_cast<std::uint32_t>(first_edge_),
                                            static_cast<std::uint32_t>(edges_.size()), issuer_.timeline});
}

/// The last segment that begins no later; the number of segments when there is none.
std::size_t knowledge_graph::segment_at(timeline_point point) const {
  const std::vector<segment>& segments = rows_[point.timeline].segments;
  const auto later = std::upper_bound(
      segments.begin(), segments.end(), point.position,
      [](std::uint32_t position, const segment& candidate) { return position < candidate.since; });
  return later == segments.begin() ? segments.size() : static_cast<std::size_t>(later - segments.begin()) - 1;
}

/// How far the thread that issued the operation had come.
timeline_point knowledge_graph::issuer_of(timeline_point point) const {
  const row& place = rows_[point.timeline];
  if (point.position == 0 || point.position > place.issued.size()) return {};
  const timeline_point issuer{place.segments[segment_at(point)].issuer, place.issued[point.position - 1]};
  return issuer.timeline == no_timeline ? timeline_point{} : issuer;
}

/// Collects into `news_` what follows from the points and is neither implied nor known in `base`.
knowledge_graph::search knowledge_graph::find_news(const std::vector<timeline_point>& points, clock base,
                                                   std::initializer_list<timeline_point> implied,
                                                   std::size_t max_steps) {
  for (const std::uint32_t timeline : raised_) news_[timeline] = 0;
  raised_.clear();
  for (const timeline_point& point : implied) {
    if (point.timeline != no_timeline) note_news(point);
  }
  steps_left_ = max_steps;
  for (const timeline_point& point : points) {
    open_.assign(1, point);
    while (!open_.empty()) {
      const timeline_point next = open_.back();
      open_.pop_back();
      const std::uint32_t known_position = std::max(store_.value(base, next.timeline), news_[next.timeline]);
      if (known_position >= next.position) continue;
      note_news(next);
      if (open_what_precedes(next, known_position) == search::too_long) return search::too_long;
    }
  }
  return search::finished;
}

void knowledge_graph::note_news(timeline_point point) {
  news_[point.timeline] = std::max(news_[point.timeline], point.position);
  raised_.push_back(point.timeline);
}

/// Opens what the points of the row after the known one and up to this one know from other rows.
knowledge_graph::search knowledge_graph::open_what_precedes(timeline_point last,
                                                            std::uint32_t known_position) {
  const std::vector<segment>& segments = rows_[last.timeline].segments;
  std::uint32_t later_issuer = no_timeline;
  for (std::size_t place = segment_at(last); place < segments.size(); --place) {
    const segment& part = segments[place];
    const bool has_news = part.since > known_position;
    const std::size_t steps = 1 + (has_news ? part.end_of_edges - part.first_edge : 0);
    if (steps > steps_left_) return search::too_long;
    steps_left_ -= steps;
    const bool is_new_issuer = part.issuer != no_timeline && part.issuer != later_issuer;
    if (is_new_issuer && last.position > known_position) {
      if (const timeline_point issuer = issuer_of(last); issuer.timeline != no_timeline)
        open_.push_back(issuer);
    }
    if (!has_news) break;
    open_.insert(open_.end(), edges_.begin() + part.first_edge, edges_.begin() + part.end_of_edges);
    later_issuer = part.issuer;
    last.position = part.since - 1;
  }
  return search::finished;
}

/// Makes `base` with the news what is known. How far the own row and the issuing thread have come is implied by the
/// place of the step; of the thread only what it had learned by then is stored, so that one clock serves for many steps.
void knowledge_graph::apply_news(clock base) {
  known_ = base;
  for (const std::uint32_t timeline : raised_) {
    if (timeline == self_.timeline) continue;
    std::uint32_t position = news_[timeline];
    if (timeline == issuer_.timeline && position <= issuer_.position) {
      const std::vector<segment>& segments = rows_[timeline].segments;
      position = std::min(position, segments.empty() ? 0 : segments.back().since);
    }
    raise({timeline, position});
  }
}

void knowledge_graph::raise(timeline_point point) {
  if (store_.value(known_, point.timeline) < point.position)
    known_ = store_.changed(known_, point.timeline, point.position);
}

}  // namespace analysis
