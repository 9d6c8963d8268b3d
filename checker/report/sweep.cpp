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
const sweep_point* fastest_if(const sweep& seen, Condition is_meant) {
  const sweep_point* best = nullptr;
  for (const sweep_point& each : seen.points) {
    if (!each.is_right || !is_meant(each)) continue;
    if (best == nullptr || std::tie(each.time, each.setting) < std::tie(best->time, best->setting))
      best = &each;
  }
  return best;
}

double times(std::chrono::nanoseconds one, std::chrono::nanoseconds other) {
  return static_cast<double>(one.count()) / static_cast<double>(other.count());
}

std::string own_choice_sentence(const sweep& seen, const sweep_point& best) {
  const std::string words = setting_words(seen, *seen.chosen);
  const sweep_point* own = point_at(seen, *seen.chosen);
  if (own == nullptr) return fmt::format("The file's own choice, {}, is not in this grid.", words);
  if (!own->is_right) return fmt::format("The file's own choice, {}, gives a wrong result.", words);
  if (own == &best) return "It is the file's own choice.";
  return fmt::format("The file's own choice, {}, takes {}: {:.2f} times the fastest.", words,
                     duration_words(own->time), times(own->time, best.time));
}

}  // namespace

std::vector<int> values_of(const sweep& seen, std::size_t parameter) {
  std::set<int> values;
  for (const sweep_point& each : seen.points) values.insert(each.setting.at(parameter));
  return {values.begin(), values.end()};
}

const sweep_point* point_at(const sweep& seen, const setting& where) {
  const auto found = std::find_if(seen.points.begin(), seen.points.end(),
                                  [&](const sweep_point& each) { return each.setting == where; });
  return found == seen.points.end() ? nullptr : &*found;
}

const sweep_point* fastest_of(const sweep& seen) {
  return fastest_if(seen, [](const sweep_point&) { return true; });
}

const sweep_point* fastest_of(const sweep& seen, std::size_t parameter, int value) {
  return fastest_if(seen, [&](const sweep_point& each) { return each.setting.at(parameter) == value; });
}

std::vector<int> thinned(const std::vector<int>& values, std::size_t most, const std::vector<int>& wanted) {
  std::set<int> kept;
  const auto keep_if = [&](auto is_meant) {
    for (const int each : values) {
      if (kept.size() < most && is_meant(each)) kept.insert(each);
    }
  };
  if (!values.empty()) {
    keep_if([&](int each) { return each == values.front() || each == values.back(); });
  }
  keep_if([&](int each) { return std::find(wanted.begin(), wanted.end(), each) != wanted.end(); });
  keep_if([](int each) { return each > 0 && std::has_single_bit(static_cast<unsigned>(each)); });
  keep_if([](int) { return true; });
  return {kept.begin(), kept.end()};
}

std::string value_words(const sweep& seen, std::size_t parameter, int value) {
  std::string_view of = seen.parameters.at(parameter);
  if (value == 1 && of.ends_with('s')) of.remove_suffix(1);
  return fmt::format("{} {}", value, of);
}

std::string setting_words(const sweep& seen, const setting& what) {
  return value_words(seen, 0, what[0]) + ", " + value_words(seen, 1, what[1]);
}

std::vector<std::string> sweep_sentences(const sweep& seen) {
  std::vector<std::string> sentences;
  const auto wrong = std::count_if(seen.points.begin(), seen.points.end(),
                                   [](const sweep_point& each) { return !each.is_right; });
  if (const sweep_point* best = fastest_of(seen)) {
    sentences.push_back(
        fmt::format("Fastest: {}, in {}; one step after another takes {}, and {} are attainable.",
                    setting_words(seen, best->setting), duration_words(best->time),
                    duration_words(seen.serial), duration_words(seen.attainable)));
    if (seen.chosen) sentences.push_back(own_choice_sentence(seen, *best));
  }
  if (wrong > 0) {
    sentences.push_back(fmt::format("{} of {} settings give a wrong result; their times mean nothing.", wrong,
                                    seen.points.size()));
  }
  return sentences;
}

void add_points(sweep& to, const sweep& from) {
  if (std::tie(to.lesson, to.source_hash, to.profile, to.of, to.parameters) !=
      std::tie(from.lesson, from.source_hash, from.profile, from.of, from.parameters)) {
    throw std::invalid_argument("points of different sweeps");
  }
  to.points.insert(to.points.end(), from.points.begin(), from.points.end());
}

}  // namespace report
