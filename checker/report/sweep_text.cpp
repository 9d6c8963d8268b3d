#include "report/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/text_layout.h"

namespace report {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t max_sweep_rows = 16;
constexpr int cell_width = 8;  // "12.34 ", and a mark

/// The unit for a whole table, from its longest time.
struct time_unit {
  std::string_view name;
  double length = 1;  // nanoseconds
  int decimals = 0;
};

time_unit unit_for(nanoseconds longest) {
  time_unit unit = longest >= std::chrono::seconds{10}       ? time_unit{"s", 1e9}
                   : longest >= std::chrono::milliseconds{1} ? time_unit{"ms", 1e6}
                                                             : time_unit{"us", 1e3};
  const double longest_in_unit = static_cast<double>(longest.count()) / unit.length;
  unit.decimals = longest_in_unit < 10 ? 3 : longest_in_unit < 100 ? 2 : 1;
  return unit;
}

class sweep_table {
 public:
  sweep_table(const sweep& sweep, const sweep_look& look)
      : sweep_(sweep), look_(look), longest_(sweep.serial), best_(fastest_of(sweep)) {
    for (const sweep_point& point : sweep.points) longest_ = std::max(longest_, point.time);
    unit_ = unit_for(longest_);
    lead_ = 2 + static_cast<int>(std::max<std::size_t>(sweep.parameters[1].size(), 6));
    const auto columns = static_cast<std::size_t>(std::max(2, (look.width - lead_) / cell_width));
    columns_ = selected_values(values_of(sweep, 0), columns, wanted(0));
    rows_ = selected_values(values_of(sweep, 1), max_sweep_rows, wanted(1));
  }

  std::string text() const {
    std::string text;
    const std::string heading =
        fmt::format("Lesson {:02}, {}: {} with {} settings, on virtual GPU \"{}\"", sweep_.lesson,
                    sweep_.title, sweep_.function, sweep_.points.size(), sweep_.profile);
    for (const std::string& line : wrap(heading, look_.width)) text += line + "\n";
    text += "\n" + table() + "\n" + bars() + "\n";
    for (const std::string& sentence : sweep_sentences(sweep_)) text += hanging("", sentence, look_.width);
    return text;
  }

 private:
  std::vector<int> wanted(std::size_t parameter) const {
    std::vector<int> values;
    if (best_ != nullptr) values.push_back(best_->setting.at(parameter));
    if (sweep_.chosen) values.push_back(sweep_.chosen->at(parameter));
    return values;
  }

  std::string number(nanoseconds time) const {
    return fmt::format("{:.{}f}", static_cast<double>(time.count()) / unit_.length, unit_.decimals);
  }

  std::string_view mark_of(const sweep_point& point) const {
    if (!point.is_right) return "!";
    if (&point == best_) return "*";
    return sweep_.chosen && *sweep_.chosen == point.setting ? "o" : " ";
  }

  std::string table() const {
    std::string text = fmt::format("{:<{}}{}\n{:>{}}", fmt::format("time in {}", unit_.name), lead_ + 5,
                                   sweep_.parameters[0], sweep_.parameters[1], lead_ - 2);
    for (const int column : columns_) text += fmt::format("{:>{}}", column, cell_width);
    text += "\n";
    bool has_choice = false, has_wrong = false;
    for (const int row : rows_) {
      std::string line = fmt::format("{:>{}}", row, lead_ - 2);
      for (const int column : columns_) {
        const sweep_point* point = point_at(sweep_, {column, row});
        line += fmt::format("{:>{}}", point ? number(point->time) : "", cell_width);
        if (point == nullptr) continue;
        const std::string_view mark = mark_of(*point);
        has_choice |= mark == "o";
        has_wrong |= mark == "!";
        if (mark != " ") marked_at_end(line, mark);
      }
      text += trimmed(line) + "\n";
    }
    std::string legend = "* fastest";
    if (has_choice) legend += "   o the file's own choice";
    if (has_wrong) legend += "   ! wrong result";
    text += legend + "\n";
    return text + what_is_left_out();
  }

  /// The mark stands in the gap before the number: "  *1.283".
  static void marked_at_end(std::string& line, std::string_view mark) {
    const std::size_t gap = line.find_last_of(' ');
    line.replace(gap, 1, mark);
  }

  static std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  std::string what_is_left_out() const {
    const std::size_t columns = values_of(sweep_, 0).size() - columns_.size();
    const std::size_t rows = values_of(sweep_, 1).size() - rows_.size();
    if (columns == 0 && rows == 0) return "";
    std::string text = "Not shown:";
    if (columns > 0) text += fmt::format(" {} more numbers of {}", columns, sweep_.parameters[0]);
    if (columns > 0 && rows > 0) text += ",";
    if (rows > 0) text += fmt::format(" {} more numbers of {}", rows, sweep_.parameters[1]);
    return hanging("", text + "; --json and --format svg hold all.", look_.width);
  }

  /// For each row the fastest of its points, with the attainable time as a line through the bars.
  std::string bars() const {
    const bool is_ascii = look_.characters == character_set::ascii;
    const std::string_view full = is_ascii ? "#" : "█", line_mark = is_ascii ? "|" : "┆";
    const std::string line_name =
        fmt::format("{} attainable {} {}", line_mark, number(sweep_.attainable), unit_.name);
    const int label = lead_ - 2 + 2;
    const int tail = 12 + static_cast<int>(std::max<std::size_t>(sweep_.parameters[0].size(), 4)) + 4;
    const int room = std::max(10, look_.width - label - tail);
    const auto column_of = [&](nanoseconds time) {
      return static_cast<int>(
          std::lround(static_cast<double>(time.count()) / static_cast<double>(longest_shown()) * (room - 1)));
    };
    const int line_column = column_of(sweep_.attainable);
    std::string text =
        hanging("", fmt::format("The fastest for each number of {}:", sweep_.parameters[1]), look_.width);
    for (const int row : rows_) {
      const sweep_point* best = fastest_of(sweep_, 1, row);
      if (best == nullptr) continue;
      std::string bar;
      const int length = column_of(best->time);
      for (int column = 0; column < room; ++column) {
        bar += column == line_column ? line_mark : column < length ? full : " ";
      }
      text += trimmed(fmt::format("{:>{}}  {} {:>7} {}", row, lead_ - 2, bar, number(best->time),
                                  value_words(sweep_, 0, best->setting[0]))) +
              "\n";
    }
    const int indent = std::min(label + line_column, look_.width - width_of(line_name));
    return text + std::string(static_cast<std::size_t>(std::max(0, indent)), ' ') + line_name + "\n";
  }

  std::int64_t longest_shown() const {
    nanoseconds longest = sweep_.attainable;
    for (const int row : rows_) {
      if (const sweep_point* best = fastest_of(sweep_, 1, row)) longest = std::max(longest, best->time);
    }
    return longest.count();
  }

  const sweep& sweep_;
  const sweep_look& look_;
  nanoseconds longest_;
  const sweep_point* best_;
  time_unit unit_;
  int lead_ = 0;
  std::vector<int> columns_;
  std::vector<int> rows_;
};

}  // namespace

std::string sweep_text(const sweep& sweep, const sweep_look& look) { return sweep_table(sweep, look).text(); }

}  // namespace report
