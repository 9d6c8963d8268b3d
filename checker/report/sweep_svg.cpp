#include "report/sweep_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "report/picture_parts.h"
#include "report/svg.h"
#include "report/text_layout.h"
#include "report/xml.h"

namespace report {
namespace {

using std::chrono::nanoseconds;

// All in units of the drawing, which are pixels when it is not scaled.
constexpr int chart_width = 1000;
constexpr int chart_margin = 16;
constexpr int plot_left = 70;
constexpr int plot_right = 880;  // right of it the names of the lines
constexpr int plot_height = 380;
constexpr int text_line_height = 18;
constexpr std::size_t shades = 6;  // of the style sheet
constexpr std::size_t max_names = 16;
constexpr std::size_t max_ticks = 12;
constexpr double closest_ticks = 24;

/// 1, 2 or 5 times a power of ten, so that about eight steps make `length`.
double round_step(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length / 8)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power * 8 >= length) return digit * power;
  }
  return 10 * power;
}

class sweep_chart {
 public:
  explicit sweep_chart(const sweep& sweep)
      : sweep_(sweep),
        best_(fastest_of(sweep)),
        lines_(values_of(sweep, 0)),
        columns_(values_of(sweep, 1)),
        sentences_(sweep_sentences(sweep)) {
    nanoseconds shortest = sweep.attainable, longest = sweep.serial;
    for (const sweep_point& point : sweep.points) {
      shortest = std::min(shortest, point.time);
      longest = std::max(longest, point.time);
    }
    step_ = round_step(static_cast<double>(longest.count()));
    const double span = static_cast<double>((longest - shortest).count());
    if (span > 0) step_ = round_step(span);
    low_ = std::floor(static_cast<double>(shortest.count()) / step_) * step_;
    if (static_cast<double>(shortest.count()) - low_ < 0.8 * step_) low_ = std::max(0.0, low_ - step_);
    high_ = std::ceil(static_cast<double>(longest.count()) / step_) * step_;
    top_ = chart_margin + 3 * text_line_height + text_line_height * static_cast<int>(sentences_.size());
  }

  std::string text() const {
    const std::string heading =
        fmt::format("Lesson {:02}, {}: {} with {} settings, on virtual GPU \"{}\"", sweep_.lesson,
                    sweep_.title, sweep_.function, sweep_.points.size(), sweep_.profile);
    std::string content = svg_text("heading", chart_margin, chart_margin + 12, heading);
    int y = chart_margin + 14 + text_line_height;
    for (const std::string& sentence : sentences_) {
      content += svg_text("summary", chart_margin, y, sentence);
      y += text_line_height;
    }
    content += axes() + limits() + lines() + marks() + names() + legend();
    std::string description =
        "Time against " + sweep_.parameters[1] + ", a line for each number of " + sweep_.parameters[0] + ".";
    for (const std::string& sentence : sentences_) description += " " + sentence;
    return svg_document({.css_class = "sweep",
                         .width = chart_width,
                         .height = bottom() + 64,
                         .heading = heading,
                         .description = description,
                         .style = sweep_svg_css},
                        content);
  }

 private:
  int bottom() const { return top_ + plot_height; }

  /// Doubling a value is a step of the same length everywhere.
  double x_of(int value) const {
    const double all = std::log2(static_cast<double>(columns_.back()) / columns_.front());
    if (all == 0) return (plot_left + plot_right) / 2.0;
    return plot_left + 20 +
           std::log2(static_cast<double>(value) / columns_.front()) / all * (plot_right - plot_left - 40);
  }

  double y_of(double time) const { return bottom() - (time - low_) / (high_ - low_) * plot_height; }
  double y_of(nanoseconds time) const { return y_of(static_cast<double>(time.count())); }

  std::string axes() const {
    const bool in_milliseconds = high_ >= 1e6;
    std::string text;
    for (double time = low_; time <= high_ + step_ / 2; time += step_) {
      text += fmt::format("<line class=\"rule\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", plot_left,
                          plot_right, svg_number(y_of(time)), svg_number(y_of(time)));
      const double value = time / (in_milliseconds ? 1e6 : 1e3);
      text += svg_text("tick y", plot_left - 8, y_of(time) + 4, fmt::format("{:.4g}", value));
    }
    text += svg_text("summary", chart_margin, top_ - 10, in_milliseconds ? "time in ms" : "time in us");
    std::vector<int> wanted;
    if (best_ != nullptr) wanted.push_back(best_->setting[1]);
    double last = -1000;
    for (const int value : selected_values(columns_, max_ticks, wanted)) {
      if (x_of(value) - last < closest_ticks) continue;
      last = x_of(value);
      text += svg_text("tick x", last, bottom() + 18, std::to_string(value));
    }
    return text +
           svg_text("title summary", (plot_left + plot_right) / 2.0, bottom() + 36, sweep_.parameters[1]);
  }

  std::string horizontal(std::string_view css_class, nanoseconds time) const {
    return fmt::format("<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", css_class, plot_left,
                       plot_right, svg_number(y_of(time)), svg_number(y_of(time)));
  }

  std::string limits() const {
    return horizontal("limit", sweep_.attainable) + horizontal("serial", sweep_.serial) +
           svg_text("over limit-name", plot_left + 6, y_of(sweep_.attainable) + 15,
                    "attainable: " + duration_words(sweep_.attainable)) +
           svg_text("over serial-name", (plot_left + plot_right) / 2.0, y_of(sweep_.serial) - 6,
                    "one step after another: " + duration_words(sweep_.serial));
  }

  /// From light to strong, in order of the first parameter.
  std::string shade_of(std::size_t line) const {
    const std::size_t last = std::max<std::size_t>(1, lines_.size() - 1);
    return fmt::format("s{}", lines_.size() == 1 ? shades / 2 : line * (shades - 1) / last);
  }

  std::string lines() const {
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::string path, points;
      for (const int column : columns_) {
        const sweep_point* point = point_at(sweep_, {lines_[i], column});
        if (point == nullptr) continue;
        const std::string x = svg_number(x_of(column)), y = svg_number(y_of(point->time));
        const std::string words = xml_escaped(setting_words(sweep_, point->setting));
        if (!point->is_right) {
          points += fmt::format(
              "<path class=\"wrong\" d=\"M{} {} m-4 -4 l8 8 m0 -8 l-8 8\"><title>{}: a wrong "
              "result</title></path>\n",
              x, y, words);
          continue;
        }
        path += fmt::format("{}{} {}", path.empty() ? "M" : " L", x, y);
        points += fmt::format(
            "<circle class=\"point\" cx=\"{}\" cy=\"{}\" r=\"3\"><title>{}: {}</title></circle>\n", x, y,
            words, duration_words(point->time));
      }
      text += fmt::format("<g class=\"{}\">\n", shade_of(i));
      if (!path.empty()) text += fmt::format("<path class=\"line\" d=\"{}\"/>\n", path);
      text += points + "</g>\n";
    }
    return text;
  }

  std::string marks() const {
    std::string text;
    if (best_ != nullptr) {
      const double x = x_of(best_->setting[1]), y = y_of(best_->time);
      text +=
          fmt::format("<circle class=\"best\" cx=\"{}\" cy=\"{}\" r=\"8\"/>\n", svg_number(x), svg_number(y));
      const std::string words =
          fmt::format("{}: {}", setting_words(sweep_, best_->setting), duration_words(best_->time));
      const double room = svg_text_width(words) / 2.0;
      text += svg_text("over best-name", std::clamp(x, plot_left + room, plot_right - room), y + 24, words);
    }
    if (const sweep_point* own = sweep_.chosen ? point_at(sweep_, *sweep_.chosen) : nullptr) {
      text += diamond(x_of(own->setting[1]), y_of(own->time));
    }
    return text;
  }

  static std::string diamond(double x, double y) {
    return fmt::format("<path class=\"chosen\" d=\"M{} {} m0 -5 l5 5 l-5 5 l-5 -5 z\"/>\n", svg_number(x),
                       svg_number(y));
  }

  /// Behind the end of each line its value, moved apart where lines end close together.
  std::string names() const {
    struct name {
      double y;
      std::size_t line;
    };
    std::vector<name> placed;
    const std::vector<int> named = selected_values(lines_, max_names, {});
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (std::find(named.begin(), named.end(), lines_[i]) == named.end()) continue;
      const sweep_point* last = nullptr;
      for (const int column : columns_) {
        const sweep_point* point = point_at(sweep_, {lines_[i], column});
        if (point != nullptr && point->is_right) last = point;
      }
      if (last != nullptr) placed.push_back({y_of(last->time) + 4, i});
    }
    std::stable_sort(placed.begin(), placed.end(), [](const name& one, const name& other) {
      return std::lround(one.y / 4) < std::lround(other.y / 4);
    });
    for (std::size_t i = 1; i < placed.size(); ++i) placed[i].y = std::max(placed[i].y, placed[i - 1].y + 14);
    // What was pushed over the lower edge pushes the others up.
    for (std::size_t i = placed.size(); i-- > 0;) {
      const double lowest = i + 1 < placed.size() ? placed[i + 1].y - 14 : bottom() + 4.0;
      placed[i].y = std::min(placed[i].y, lowest);
    }
    std::string text;
    for (const name& name : placed) {
      text +=
          fmt::format("<g class=\"{}\">{}</g>\n", shade_of(name.line),
                      svg_text("series", plot_right + 8, name.y, value_words(sweep_, 0, lines_[name.line])));
    }
    return text;
  }

  std::string legend() const {
    const double y = bottom() + 54;
    double x = chart_margin;
    std::string text;
    const auto add = [&](const std::string& shape, std::string_view words) {
      text += shape + svg_text("legend", x + 14, y, words);
      x += 14 + svg_text_width(words) + 24;
    };
    if (best_ != nullptr) {
      add(fmt::format("<circle class=\"best\" cx=\"{}\" cy=\"{}\" r=\"5\"/>\n", svg_number(x + 5), y - 4),
          "fastest");
    }
    if (sweep_.chosen && point_at(sweep_, *sweep_.chosen))
      add(diamond(x + 5, y - 4), "the file's own choice");
    const bool has_wrong = std::any_of(sweep_.points.begin(), sweep_.points.end(),
                                       [](const sweep_point& point) { return !point.is_right; });
    if (has_wrong) {
      add(fmt::format("<path class=\"wrong\" d=\"M{} {} m-4 -4 l8 8 m0 -8 l-8 8\"/>\n", svg_number(x + 5),
                      y - 4),
          "wrong result");
    }
    return text;
  }

  const sweep& sweep_;
  const sweep_point* best_;
  const std::vector<int> lines_;
  const std::vector<int> columns_;
  const std::vector<std::string> sentences_;
  double step_ = 1;  // nanoseconds between rules
  double low_ = 0;
  double high_ = 1;
  int top_ = 0;
};

}  // namespace

std::string sweep_svg(const sweep& sweep) { return sweep_chart(sweep).text(); }

}  // namespace report
