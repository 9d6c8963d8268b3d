#include "report/timeline/timeline_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/part.h"
#include "report/text_layout.h"
#include "report/timeline/lanes.h"
#include "report/timeline/time_scale.h"
#include "report/wording/run_summary.h"

namespace report {
namespace {

using trace::nanoseconds;

constexpr int narrowest = 40;
constexpr std::size_t max_stream_rows = 16;

/// The characters of a drawing. A span begins with `begin`, so that neighbours can be told apart.
struct glyphs {
  std::string_view begin, axis_line, axis_tick, axis_first;
  std::string_view activity_look::*glyph;

  std::string_view of(activity activity) const { return look_of(activity).*glyph; }
};

constexpr glyphs unicode_glyphs{"▌", "─", "┴", "└", &activity_look::unicode_glyph};
constexpr glyphs ascii_glyphs{"|", "-", "+", "+", &activity_look::ascii_glyph};

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// One row of cells, one column each.
class row {
 public:
  explicit row(int columns) : cells_(columns, " ") {}

  void put(int column, std::string_view glyph) { cells_[column] = glyph; }
  /// One byte a cell; what is not printable ASCII (a name may hold anything) becomes '?'.
  void write(int column, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_printable = text[i] >= ' ' && text[i] <= '~';
      cells_[column + i] = is_printable ? text.substr(i, 1) : std::string_view("?");
    }
  }
  std::string text() const { return fmt::format("{}", fmt::join(cells_, "")); }

 private:
  std::vector<std::string_view> cells_;  // views of glyphs and labels, which outlive the row
};

/// Draws the span from its column on, but not over what is drawn already: a short one moves by one column at
/// most, so that it stays visible beside its neighbour. `free` is the first column that is not taken; `drawn`
/// learns whose glyph can be seen.
void draw(const span& span, const time_scale& scale, const glyphs& look, row& into, int& free,
          std::set<activity>& drawn) {
  int first = scale.column_of(span.start);
  const int end = std::max(first + 1, scale.column_of(span.end));
  if (first < free) {
    const bool is_hidden = free - first > 1 && end <= free;
    if (is_hidden || free >= scale.columns()) return;
    first = free;
  }
  const int past = std::max(end, first + 1);
  into.put(first, is_instant(span.activity) ? look.of(span.activity) : look.begin);
  for (int column = first + 1; column < past; ++column) into.put(column, look.of(span.activity));
  free = past;
  if (is_instant(span.activity) || past - first > 1) drawn.insert(span.activity);
  for (const std::string& label : span.labels) {
    if (static_cast<int>(label.size()) > past - first - 1) continue;
    into.write(first + 1, label);
    break;
  }
}

std::string drawn_lane(const lane& lane, const time_scale& scale, const glyphs& look,
                       std::set<activity>& drawn) {
  row cells(scale.columns());
  int free = 0;
  for (const span& next : lane.spans) draw(next, scale, look, cells, free, drawn);
  return cells.text();
}

std::string lane_line(std::string_view name, int name_width, std::string_view cells) {
  return without_trailing_spaces(fmt::format("{}  {}", fitted(name, name_width), cells)) + "\n";
}

std::string axis_text(const time_scale& scale, const glyphs& look, int name_width) {
  row labels(scale.columns());
  row line(scale.columns());
  for (int column = 0; column < scale.columns(); ++column) line.put(column, look.axis_line);
  for (const time_scale::tick& tick : scale.ticks()) {
    line.put(tick.column, tick.column == 0 ? look.axis_first : look.axis_tick);
    if (tick.column + static_cast<int>(tick.label.size()) <= scale.columns())
      labels.write(tick.column, tick.label);
  }
  return lane_line("time in " + scale.unit(), name_width, labels.text()) +
         lane_line("", name_width, line.text());
}

std::string legend_text(const std::set<activity>& drawn, const glyphs& look, int width) {
  std::string result;
  std::string line;
  const auto add = [&](const std::string& item) {
    if (!line.empty() && width_of(line) + 3 + width_of(item) > width) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + item;
  };
  for (const activity activity : drawn)
    add(fmt::format("{} {}", look.of(activity), look_of(activity).meaning));
  add(fmt::format("{} begins (alone: short)", look.begin));
  return result + line + "\n";
}

std::string lines_of(std::string_view text, int width) { return hanging("", text, width); }

/// Of a part without operations.
std::string why_nothing_ran(const analysis::part& part) {
  const auto failed = std::find_if(part.calls.begin(), part.calls.end(), [&](trace::call_id id) {
    return part.recording->call_at(id).error_code != 0;
  });
  if (failed == part.calls.end()) return "nothing was enqueued: no copy and no kernel";
  return fmt::format("nothing was enqueued: calls failed, the first with {}",
                     trace::error_name_of(part.recording->call_at(*failed)));
}

}  // namespace

std::string timeline_text(const trace::recording& recording, const timeline_options& options) {
  const int width = std::max(options.width, narrowest);
  const glyphs& look = options.characters == character_set::unicode ? unicode_glyphs : ascii_glyphs;
  const drawable_part drawable = part_to_draw(recording, options.part);
  if (!drawable.part) return lines_of("no timeline: " + drawable.problem, width);
  const analysis::part& part = *drawable.part;
  const nanoseconds duration = part.duration();

  std::vector<lane> lanes = lanes_of(part);
  const std::size_t surplus = drop_surplus_streams(lanes, max_stream_rows);
  int name_width = width_of("time in us");
  for (const lane& lane : lanes) name_width = std::max(name_width, width_of(lane.name));
  name_width = std::min(name_width, width / 3);
  const time_scale scale(part.begin, part.begin + std::max(duration, options.length), width - name_width - 2);

  std::string text =
      lines_of(fmt::format("{} in all, on {}", duration_words(duration), machine_words(recording)), width);
  text += "\n" + axis_text(scale, look, name_width);
  std::set<activity> drawn;
  lane_group group = lane_group::host;
  for (const lane& lane : lanes) {
    if (lane.group != group) text += "\n";
    group = lane.group;
    text += lane_line(lane.name, name_width, drawn_lane(lane, scale, look, drawn));
  }
  if (surplus > 0) text += fmt::format("and {} more streams\n", surplus);
  if (part.operations.empty()) text += "\n" + lines_of(why_nothing_ran(part), width);
  text += "\n" + legend_text(drawn, look, width) + lines_of(overlap_words(part), width);
  return text;
}

}  // namespace report
