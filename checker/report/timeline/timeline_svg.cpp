#include "report/timeline/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "report/picture_parts.h"
#include "report/svg.h"
#include "report/text_layout.h"
#include "report/timeline/lanes.h"
#include "report/timeline/span_facts.h"
#include "report/timeline/time_scale.h"
#include "report/wording/run_summary.h"
#include "report/xml.h"

namespace report {
namespace {

using trace::nanoseconds;

// All in units of the drawing, which are pixels when it is not scaled.
constexpr int picture_width = 1000;
constexpr int margin = 16;
constexpr int plot_pad = 6;  // inside the plot, left and right, so that marks at its ends are whole
constexpr int head_height = 64;
constexpr int axis_height = 22;
constexpr int lane_height = 26;
constexpr int bar_height = 20;
constexpr int strip_height = 8;
constexpr int group_gap = 10;
constexpr int legend_row_height = 20;
constexpr int legend_width = 730;  // so that a narrow page can show it
constexpr int tick_distance = 90;

constexpr std::size_t max_spans = 20'000;
constexpr std::size_t max_stream_lanes = 64;
constexpr std::size_t max_event_arrows = 40;  // more would hide what they join

std::string timeline_element(int height, std::string_view heading, std::string_view description,
                             std::string_view content) {
  return svg_document({.css_class = "timeline",
                       .width = picture_width,
                       .height = height,
                       .heading = heading,
                       .description = description,
                       .style = timeline_svg_css},
                      content);
}

std::string picture_of_a_sentence(std::string_view heading, const std::string& sentence) {
  std::string content = svg_text("heading", margin, 28, heading);
  int y = 52;
  for (const std::string& line : wrap(sentence, 120)) {
    content += svg_text("summary", margin, y, line);
    y += 18;
  }
  return timeline_element(y, heading, sentence, content);
}

std::string key_of(const span& span) {
  if (span.range != 0) return fmt::format("r{}", span.range);
  return span.call != 0 ? fmt::format("c{}", span.call) : fmt::format("o{}", span.operation);
}

/// "kernels: 7 spans, busy for 749 us (56 %)."
std::string lane_in_words(const lane& lane, nanoseconds duration) {
  nanoseconds busy{0};
  for (const span& span : lane.spans) busy += span.end - span.start;
  return fmt::format("{}: {} {}, busy for {} ({:.0f} %).", lane.name, lane.spans.size(),
                     lane.spans.size() == 1 ? "span" : "spans", duration_words(busy),
                     100 * static_cast<double>(busy.count()) / static_cast<double>(duration.count()));
}

class drawing {
 public:
  drawing(const analysis::part& part, std::vector<lane> lanes, const svg_options& options)
      : part_(part),
        lanes_(std::move(lanes)),
        options_(options),
        facts_(part),
        length_(std::max(part.duration(), options.length)) {
    int names = svg_text_width("default stream");  // at least, so that most drawings have one gutter
    for (const lane& lane : lanes_) names = std::max(names, svg_text_width(lane.name));
    plot_left_ = margin + std::min(names, picture_width / 4) + 6;
    plot_width_ = picture_width - margin - plot_left_;
  }

  std::string text(std::size_t surplus_streams) {
    arrange();
    const int plot_bottom = height_;
    std::string legend = drawn_legend(surplus_streams);
    const std::string summary =
        fmt::format("{} in all, on {}", duration_words(part_.duration()), machine_words(*part_.recording));
    std::string description = summary + ". " + overlap_words(part_) + ".";
    for (const lane& lane : lanes_) {
      if (!lane.name.empty()) description += " " + lane_in_words(lane, part_.duration());
    }
    const time_scale scale = ticks();
    std::string content = svg_text("heading", margin, 27, options_.heading) +
                          svg_text("summary", margin, 46, summary + "; " + overlap_words(part_)) +
                          svg_text("name axis", plot_left_ - 6, head_height + 13, "time in " + scale.unit()) +
                          names_;
    content += fmt::format(
        "<svg class=\"plot\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">\n{}<g "
        "class=\"ticks\">\n{}</g>\n{}<g class=\"arrows\">\n{}</g>\n</svg>\n",
        plot_left_, head_height, plot_width_, plot_bottom - head_height, bands_,
        drawn_ticks(scale, plot_bottom - head_height), bars_, drawn_arrows());
    content += legend;
    return timeline_element(height_ + margin - 4, options_.heading, description, content);
  }

 private:
  double x_of(nanoseconds time) const {
    return plot_pad + static_cast<double>((time - part_.begin).count()) /
                          static_cast<double>(length_.count()) * (plot_width_ - 2 * plot_pad);
  }

  time_scale ticks() const {  // in tenths
    return {part_.begin, part_.begin + length_, 10 * (plot_width_ - 2 * plot_pad) + 1, 10 * tick_distance};
  }

  std::string drawn_ticks(const time_scale& scale, int height) const {
    std::string text;
    for (const time_scale::tick& tick : scale.ticks()) {
      const double x = plot_pad + tick.column / 10.0;
      const double room = svg_text_width(tick.label) / 2.0;
      const std::string_view anchor = x < room                 ? " style=\"text-anchor: start\""
                                      : x > plot_width_ - room ? " style=\"text-anchor: end\""
                                                               : "";
      text += fmt::format(
          "<g class=\"tick\"><line x1=\"{0}\" x2=\"{0}\" y1=\"20\" y2=\"{1}\"/><text x=\"{0}\" "
          "y=\"13\"{2}>{3}</text></g>\n",
          svg_number(x), height, anchor, tick.label);
    }
    return text;
  }

  /// Fills names, bands and bars from top to bottom.
  void arrange() {
    height_ = head_height + axis_height;
    lane_group group = lane_group::host;
    bool is_banded = true;
    for (const lane& lane : lanes_) {
      if (lane.group != group) {
        if (group == lane_group::engine) add_overlap_strip();
        height_ += group_gap;
        is_banded = true;
      }
      group = lane.group;
      if (is_banded) {
        bands_ += fmt::format("<rect class=\"band\" y=\"{}\" width=\"100%\" height=\"{}\"/>\n",
                              height_ - head_height, lane_height);
      }
      is_banded = !is_banded;
      const int middle = height_ + lane_height / 2;
      if (!lane.name.empty()) {
        const int letters = (plot_left_ - margin - 6) / svg_text_width("n");
        const bool fits = svg_text_width(lane.name) <= plot_left_ - margin - 6;
        const std::string name = fits ? lane.name : fitted(lane.name, letters);
        names_ += svg_text("name", plot_left_ - 6, middle + 4, name);
      }
      bars_ += "<g class=\"lane\">\n";
      for (const span& span : lane.spans) {
        if (!is_instant(span.activity)) add(span, middle - head_height);
      }
      for (const span& span : lane.spans) {  // on top of the bars
        if (is_instant(span.activity)) add(span, middle - head_height);
      }
      bars_ += "</g>\n";
      height_ += lane_height;
    }
  }

  void add_overlap_strip() {
    const std::vector<analysis::interval> times = overlap_times(part_);
    if (times.empty()) return;
    height_ += 4;
    const int middle = height_ + strip_height / 2;
    names_ += svg_text("name overlap-name", plot_left_ - 6, middle + 4, "both at once");
    bars_ += "<g class=\"overlap\">\n";
    for (const analysis::interval& interval : times) {
      bars_ +=
          fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                      svg_number(x_of(interval.begin)), height_ - head_height,
                      svg_number(std::max(1.0, x_of(interval.end) - x_of(interval.begin))), strip_height);
    }
    bars_ += "</g>\n";
    height_ += strip_height + 4;
  }

  void add(const span& span, int y) {
    activities_.insert(span.activity);
    places_[key_of(span)] = {x_of(span.start), y};
    if (is_instant(span.activity)) instants_.push_back(&span);
    const bool has_details = options_.details == span_details::drawn;
    bars_ += fmt::format("<g class=\"span {}{}\">{}{}</g>\n", look_of(span.activity).css_class,
                         is_instant(span.activity) ? "" : " bar",
                         has_details ? "<title>" + tooltip_of(span) + "</title>" : "", shape_of(span, y));
  }

  std::string shape_of(const span& span, int y) const {
    const double x = x_of(span.start);
    if (is_instant(span.activity))
      return fmt::format("<path d=\"M0 -6 L5 0 L0 6 L-5 0 z\" transform=\"translate({} {})\"/>",
                         svg_number(x), y);
    const double width = std::max(1.0, x_of(span.end) - x - 0.7);
    std::string shape = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"/>",
                                    svg_number(x), y - bar_height / 2, svg_number(width), bar_height);
    for (const std::string& label : span.labels) {
      if (svg_text_width(label) > width - 6) continue;
      shape += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", svg_number(x + 4), y + 4, xml_escaped(label));
      break;
    }
    return shape;
  }

  std::string tooltip_of(const span& span) const {
    std::string text =
        span.labels.empty() ? std::string(look_of(span.activity).meaning) : span.labels.front();
    for (const fact& fact : facts_.of(span)) text += fmt::format("\n{}: {}", fact.name, fact.value);
    return xml_escaped(text);
  }

  /// From each event that was recorded to the place where another stream waited for it.
  std::string drawn_arrows() const {
    std::string text;
    std::size_t count = 0;
    for (const span* span : instants_) {
      if (span->activity != activity::wait_for_event) continue;
      const trace::operation_id record = part_.recording->operation_at(span->operation).captured;
      const auto from = places_.find(fmt::format("o{}", record));
      const auto to = places_.find(key_of(*span));
      if (from == places_.end() || from->second.y == to->second.y) continue;
      if (++count > max_event_arrows) return "";
      text += drawn_arrow(from->second, to->second);
    }
    return text;
  }

  struct place {
    double x = 0;
    int y = 0;
  };

  static std::string drawn_arrow(const place& from, const place& to) {
    constexpr double steep = 24;  // no room for a curve
    const double x1 = std::min(from.x, to.x), length = to.x - x1;
    std::string line, head;
    if (length < steep) {
      const int side = to.y > from.y ? 1 : -1;
      line = fmt::format("M{} {} L{} {}", svg_number(x1), from.y, svg_number(to.x), to.y - 12 * side);
      head = fmt::format("M{} {} l-3.5 {} h7 z", svg_number(to.x), to.y - 6 * side, -7 * side);
    } else {
      const std::string middle = svg_number(x1 + length / 2);
      line = fmt::format("M{} {} C{} {} {} {} {} {}", svg_number(x1), from.y, middle, from.y, middle, to.y,
                         svg_number(to.x - 11), to.y);
      head = fmt::format("M{} {} l-7 -3.5 v7 z", svg_number(to.x - 6), to.y);
    }
    return fmt::format("<path class=\"arrow\" d=\"{}\"/><path class=\"head\" d=\"{}\"/>\n", line, head);
  }

  std::string drawn_legend(std::size_t surplus_streams) {
    std::string text = "<g class=\"legend\">\n";
    int x = margin, y = height_ + 22;
    const auto begin_item = [&](std::string_view words) {
      const int width = 20 + svg_text_width(words) + 8;
      if (x > margin && x + width > legend_width) {
        x = margin;
        y += legend_row_height;
      }
      return std::exchange(x, x + width);
    };
    for (const activity activity : activities_) {
      const int left = begin_item(look_of(activity).meaning);
      const std::string shape =
          is_instant(activity)
              ? fmt::format("<path d=\"M0 -6 L5 0 L0 6 L-5 0 z\" transform=\"translate({} {})\"/>", left + 7,
                            y - 4)
              : fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"12\" rx=\"2\"/>", left, y - 10);
      text += fmt::format("<g class=\"{}\">{}</g><text x=\"{}\" y=\"{}\">{}</text>\n",
                          look_of(activity).css_class, shape, left + 20, y, look_of(activity).meaning);
    }
    if (surplus_streams > 0) {
      const std::string words = fmt::format("and {} more streams", surplus_streams);
      const int left = begin_item(words);
      text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left, y, words);
    }
    height_ = y;
    return text + "</g>\n";
  }

  const analysis::part& part_;
  const std::vector<lane> lanes_;
  const svg_options& options_;
  const span_facts facts_;
  const nanoseconds length_;
  int plot_left_ = 0;
  int plot_width_ = 0;
  int height_ = 0;  // how far down the drawing has come
  std::string names_;
  std::string bands_;
  std::string bars_;
  std::set<activity> activities_;
  std::map<std::string, place> places_;  // by key: the lowest place of each, which is the one in its stream
  std::vector<const span*> instants_;
};

}  // namespace

std::string timeline_svg(const trace::recording& recording, const svg_options& options) {
  const drawable_part drawable = part_to_draw(recording, options.part);
  if (!drawable.part) return picture_of_a_sentence(options.heading, "No timeline: " + drawable.problem + ".");
  std::vector<lane> lanes = lanes_of(*drawable.part);
  const std::size_t surplus = drop_surplus_streams(lanes, max_stream_lanes);
  std::size_t spans = 0;
  for (const lane& lane : lanes) spans += lane.spans.size();
  if (spans > max_spans) {
    return picture_of_a_sentence(
        options.heading,
        fmt::format(
            "No drawing: the run has {} spans, and more than {} are too many for a page. The perfetto "
            "format holds any number.",
            spans, max_spans));
  }
  return drawing(*drawable.part, std::move(lanes), options).text(surplus);
}

}  // namespace report
