#include "report/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "report/text_layout.h"

namespace report {
namespace {

template <typename Condition>
const sweep_point* fastest_if(const sweep& sweep, Condition is_meant) {
  const sweep_point* best = nullptr;
  for (const sweep_point& point : sweep.points) {
    if (!point.is_right || !is_meant(point)) continue;
    if (best == nullptr || std::tie(point.time, point.setting) < std::tie(best->time, best->setting))
      best = &point;
  }
  return best;
}

double times(std::chrono::nanoseconds one, std::chrono::nanoseconds other) {
  return static_cast<double>(one.count()) / static_cast<double>(other.count());
}

std::string own_choice_sentence(const sweep& sweep, const sweep_point& best) {
  const std::string words = setting_words(sweep, *sweep.chosen);
  const sweep_point* own = point_at(sweep, *sweep.chosen);
  if (own == nullptr) return fmt::format("The file's own choice, {}, is not in this grid.", words);
  if (!own->is_right) return fmt::format("The file's own choice, {}, gives a wrong result.", words);
  if (own == &best) return "It is the file's own choice.";
  return fmt::format("The file's own choice, {}, takes {}: {:.2f} times the fastest.", words,
                     duration_words(own->time), times(own->time, best.time));
}

}  // namespace

std::vector<int> values_of(const sweep& sweep, std::size_t parameter) {
  std::set<int> values;
  for (const sweep_point& point : sweep.points) values.insert(point.setting.at(parameter));
  return {values.begin(), values.end()};
}

const sweep_point* point_at(const sweep& sweep, const setting& where) {
  const auto found = std::find_if(sweep.points.begin(), sweep.points.end(),
                                  [&](const sweep_point& point) { return point.setting == where; });
  return found == sweep.points.end() ? nullptr : &*found;
}

const sweep_point* fastest_of(const sweep& sweep) {
  return fastest_if(sweep, [](const sweep_point&) { return true; });
}

const sweep_point* fastest_of(const sweep& sweep, std::size_t parameter, int value) {
  return fastest_if(sweep, [&](const sweep_point& point) { return point.setting.at(parameter) == value; });
}

std::vector<int> selected_values(const std::vector<int>& values, std::size_t max_count,
                                 const std::vector<int>& wanted) {
  std::set<int> kept;
  const auto keep_if = [&](auto is_meant) {
    for (const int value : values) {
      if (kept.size() < max_count && is_meant(value)) kept.insert(value);
    }
  };
  if (!values.empty()) {
    keep_if([&](int value) { return value == values.front() || value == values.back(); });
  }
  keep_if([&](int value) { return std::find(wanted.begin(), wanted.end(), value) != wanted.end(); });
  keep_if([](int value) { return value > 0 && std::has_single_bit(static_cast<unsigned>(value)); });
  keep_if([](int) { return true; });
  return {kept.begin(), kept.end()};
}

std::string value_words(const sweep& sweep, std::size_t parameter, int value) {
  std::string_view text = sweep.parameters.at(parameter);
  if (value == 1 && text.ends_with('s')) text.remove_suffix(1);
  return fmt::format("{} {}", value, text);
}

std::string setting_words(const sweep& sweep, const setting& setting) {
  return value_words(sweep, 0, setting[0]) + ", " + value_words(sweep, 1, setting[1]);
}

std::vector<std::string> sweep_sentences(const sweep& sweep) {
  std::vector<std::string> sentences;
  const auto wrong = std::count_if(sweep.points.begin(), sweep.points.end(),
                                   [](const sweep_point& point) { return !point.is_right; });
  if (const sweep_point* best = fastest_of(sweep)) {
    sentences.push_back(
        fmt::format("Fastest: {}, in {}; one step after another takes {}, and {} are attainable.",
                    setting_words(sweep, best->setting), duration_words(best->time),
                    duration_words(sweep.serial), duration_words(sweep.attainable)));
    if (sweep.chosen) sentences.push_back(own_choice_sentence(sweep, *best));
  }
  if (wrong > 0) {
    sentences.push_back(fmt::format("{} of {} settings give a wrong result; their times mean nothing.", wrong,
                                    sweep.points.size()));
  }
  return sentences;
}

void add_points(sweep& to, const sweep& from) {
  if (std::tie(to.lesson, to.source_hash, to.profile, to.function, to.parameters) !=
      std::tie(from.lesson, from.source_hash, from.profile, from.function, from.parameters)) {
    throw std::invalid_argument("points of different sweeps");
  }
  to.points.insert(to.points.end(), from.points.begin(), from.points.end());
}

}  // namespace report
