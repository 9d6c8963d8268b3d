#include "report/timeline_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "analysis/overlap.h"
#include "analysis/part.h"
#include "report/lanes.h"
#include "report/time_scale.h"
#include "report/words.h"

namespace report {
namespace {

using trace::nanoseconds;

constexpr int narrowest = 40;
constexpr std::size_t most_stream_lanes = 16;

/// The characters of a drawing. A span begins with `begin`, so that neighbours can be told apart.
struct glyphs {
  std::string_view begin;
  std::string_view axis_line, axis_tick, axis_first;
  std::string_view call, wait, host_code, copy_to_device, copy_to_host, copy_other, set_memory, kernel,
      record_event, wait_for_event;

  std::string_view of(activity what) const {
    switch (what) {
      case activity::call:
        return call;
      case activity::wait:
        return wait;
      case activity::host_code:
        return host_code;
      case activity::copy_to_device:
        return copy_to_device;
      case activity::copy_to_host:
        return copy_to_host;
      case activity::copy_other:
        return copy_other;
      case activity::set_memory:
        return set_memory;
      case activity::kernel:
        return kernel;
      case activity::record_event:
        return record_event;
      case activity::wait_for_event:
        return wait_for_event;
    }
    throw std::logic_error("an activity without a glyph");
  }
};

constexpr glyphs unicode_glyphs{.begin = "▌",
                                .axis_line = "─",
                                .axis_tick = "┴",
                                .axis_first = "└",
                                .call = "━",
                                .wait = "┄",
                                .host_code = "▓",
                                .copy_to_device = "▒",
                                .copy_to_host = "░",
                                .copy_other = "▚",
                                .set_memory = "≡",
                                .kernel = "█",
                                .record_event = "◆",
                                .wait_for_event = "◇"};

constexpr glyphs ascii_glyphs{.begin = "|",
                              .axis_line = "-",
                              .axis_tick = "+",
                              .axis_first = "+",
                              .call = "~",
                              .wait = ".",
                              .host_code = "%",
                              .copy_to_device = ">",
                              .copy_to_host = "<",
                              .copy_other = "=",
                              .set_memory = "0",
                              .kernel = "#",
                              .record_event = "*",
                              .wait_for_event = "^"};

std::string_view meaning_of(activity what) {
  switch (what) {
    case activity::call:
      return "host in a call";
    case activity::wait:
      return "host waits";
    case activity::host_code:
      return "host works";
    case activity::copy_to_device:
      return "copy to the GPU";
    case activity::copy_to_host:
      return "copy to the host";
    case activity::copy_other:
      return "other copy";
    case activity::set_memory:
      return "memset";
    case activity::kernel:
      return "kernel";
    case activity::record_event:
      return "event recorded";
    case activity::wait_for_event:
      return "waited for event";
  }
  throw std::logic_error("an activity without a meaning");
}

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
/// most, so that it stays visible beside its neighbour. `free` is the first column that is not taken; `shown`
/// learns whose glyph can be seen.
void draw(const span& what, const time_scale& scale, const glyphs& look, row& into, int& free,
          std::set<activity>& shown) {
  int first = scale.column_of(what.start);
  const int end = std::max(first + 1, scale.column_of(what.end));
  if (first < free) {
    const bool is_hidden = free - first > 1 && end <= free;
    if (is_hidden || free >= scale.columns()) return;
    first = free;
  }
  const int past = std::max(end, first + 1);
  const bool is_moment = what.activity == activity::record_event || what.activity == activity::wait_for_event;
  into.put(first, is_moment ? look.of(what.activity) : look.begin);
  for (int column = first + 1; column < past; ++column) into.put(column, look.of(what.activity));
  free = past;
  if (is_moment || past - first > 1) shown.insert(what.activity);
  for (const std::string& label : what.labels) {
    if (static_cast<int>(label.size()) > past - first - 1) continue;
    into.write(first + 1, label);
    break;
  }
}

std::string drawn_lane(const lane& what, const time_scale& scale, const glyphs& look,
                       std::set<activity>& shown) {
  row cells(scale.columns());
  int free = 0;
  for (const span& next : what.spans) draw(next, scale, look, cells, free, shown);
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

std::string legend_text(const std::set<activity>& shown, const glyphs& look, int width) {
  std::string result;
  std::string line;
  const auto add = [&](const std::string& item) {
    if (!line.empty() && width_of(line) + 3 + width_of(item) > width) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + item;
  };
  for (const activity what : shown) add(fmt::format("{} {}", look.of(what), meaning_of(what)));
  add(fmt::format("{} begins (alone: short)", look.begin));
  return result + line + "\n";
}

std::string machine_words(const trace::recording& seen) {
  std::string words = !seen.profile.empty()   ? fmt::format("virtual GPU \"{}\"", seen.profile)
                      : !seen.devices.empty() ? seen.devices.front().name
                                              : "a GPU";
  const bool is_stress = !seen.schedule.empty() && seen.schedule != "as is" && seen.schedule != "as-is";
  return is_stress ? fmt::format("{}, schedule \"{}\"", words, seen.schedule) : words;
}

/// "copies ran while kernels ran: 62 % of the 1.2 ms in which copies ran", from the shorter of the two.
std::string overlap_words(const analysis::part& part) {
  std::vector<trace::operation_id> copies;
  std::vector<trace::operation_id> kernels;
  for (const trace::operation_id id : part.operations) {
    const trace::operation_kind kind = part.seen->operation_at(id).kind;
    if (kind == trace::operation_kind::copy) copies.push_back(id);
    if (kind == trace::operation_kind::kernel) kernels.push_back(id);
  }
  if (copies.empty() && kernels.empty()) return "neither copies nor kernels ran";
  if (copies.empty()) return "no copy ran, so there was nothing for the kernels to overlap with";
  if (kernels.empty()) return "no kernel ran, so there was nothing for the copies to overlap with";
  const analysis::overlap_facts facts = analysis::overlap(*part.seen, copies, kernels);
  const bool copies_are_shorter = facts.first_busy <= facts.second_busy;
  return fmt::format("copies ran while kernels ran: {:.0f} % of the {} in which {} ran",
                     100 * facts.fraction(),
                     duration_words(copies_are_shorter ? facts.first_busy : facts.second_busy),
                     copies_are_shorter ? "copies" : "kernels");
}

std::optional<analysis::part> find_part(const trace::recording& seen, const std::string& name) {
  try {
    return analysis::part_of(seen, name);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

std::string lines_of(std::string_view text, int width) { return hanging("", text, width); }

/// Leaves out what would make the picture longer than anyone reads.
std::size_t drop_surplus_streams(std::vector<lane>& lanes) {
  const auto first = std::find_if(lanes.begin(), lanes.end(),
                                  [](const lane& each) { return each.group == lane_group::stream; });
  const auto streams = static_cast<std::size_t>(lanes.end() - first);
  if (streams <= most_stream_lanes) return 0;
  lanes.erase(first + most_stream_lanes, lanes.end());
  return streams - most_stream_lanes;
}

}  // namespace

std::string timeline_text(const trace::recording& seen, const timeline_options& options) {
  const int width = std::max(options.width, narrowest);
  const glyphs& look = options.characters == character_set::unicode ? unicode_glyphs : ascii_glyphs;
  const std::optional<analysis::part> part = find_part(seen, options.part);
  if (!part) {
    return lines_of(fmt::format("no timeline: the run did not get to the part \"{}\"", options.part), width);
  }
  if (part->operations.empty() && part->calls.empty()) {
    return lines_of("no timeline: no CUDA call was made, so no copy and no kernel ran", width);
  }
  const nanoseconds duration = part->duration();
  if (duration.count() <= 0) return lines_of("no timeline: everything took no time at all", width);

  std::vector<lane> lanes = lanes_of(*part);
  const std::size_t surplus = drop_surplus_streams(lanes);
  int name_width = width_of("time in us");
  for (const lane& each : lanes) name_width = std::max(name_width, width_of(each.name));
  name_width = std::min(name_width, width / 3);
  const time_scale scale(part->begin, part->begin + duration, width - name_width - 2);

  std::string text =
      lines_of(fmt::format("{} in all, on {}", duration_words(duration), machine_words(seen)), width);
  text += "\n" + axis_text(scale, look, name_width);
  std::set<activity> shown;
  lane_group group = lane_group::host;
  for (const lane& each : lanes) {
    if (each.group != group) text += "\n";
    group = each.group;
    text += lane_line(each.name, name_width, drawn_lane(each, scale, look, shown));
  }
  if (surplus > 0) text += fmt::format("and {} more streams\n", surplus);
  if (part->operations.empty()) text += "\n" + lines_of("nothing was enqueued: no copy and no kernel", width);
  text += "\n" + legend_text(shown, look, width) + lines_of(overlap_words(*part), width);
  return text;
}

}  // namespace report
