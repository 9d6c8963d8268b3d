#include "runner/grade/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "parsing/pattern.h"
#include "processes/cannot_do.h"
#include "processes/files.h"

namespace runner {
namespace {

constexpr std::int64_t seconds_a_day = 86'400;

int whole_number(const nlohmann::json& value, const std::string& name, int min, int max) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < min || value.get<std::int64_t>() > max)
    throw processes::cannot_do(fmt::format("{} has to be a whole number from {} to {}.", name, min, max));
  return value.get<int>();
}

void read_late(const nlohmann::json& late, scoring_rules& rules) {
  for (const auto& [name, value] : late.items()) {
    if (name == "percent_a_day") {
      rules.late_percent_a_day = whole_number(value, name, 0, 100);
    } else if (name == "max_days") {
      rules.max_late_days = whole_number(value, name, 0, 10'000);
    } else if (name == "grace_minutes") {
      rules.grace_minutes = whole_number(value, name, 0, 100'000);
    } else {
      throw processes::cannot_do(
          fmt::format("\"late\" has percent_a_day, max_days and grace_minutes, not {}.", name));
    }
  }
}

bool has_race(const grade& one) {
  return std::any_of(one.criteria.begin(), one.criteria.end(), [](const graded_criterion& criterion) {
    return criterion.verdict == report::criterion_verdict::fail &&
           criterion.failure == report::run_verdict::race_detected;
  });
}

int number_of_digits(const std::string& digits) { return digits.empty() ? 0 : std::stoi(digits); }

/// Minutes east of UTC of "+01:00", "-0530", "Z", "UTC" or "".
int zone_of(const std::string& sign, const std::string& hours, const std::string& minutes) {
  const int size = number_of_digits(hours) * 60 + number_of_digits(minutes);
  return sign == "-" ? -size : size;
}

int late_days_at(std::int64_t handed_in, const scoring_rules& rules) {
  const std::int64_t late = handed_in - *rules.deadline - std::int64_t{60} * rules.grace_minutes;
  // From the deadline on, once the grace is over.
  return late <= 0 ? 0 : static_cast<int>((handed_in - *rules.deadline + seconds_a_day - 1) / seconds_a_day);
}

int percent_left(int late_days, const scoring_rules& rules) {
  if (rules.max_late_days && late_days > *rules.max_late_days) return 0;
  return static_cast<int>(
      std::max<std::int64_t>(0, 100 - std::int64_t{late_days} * rules.late_percent_a_day));
}

}  // namespace

scoring_rules rules_of(std::string_view text, const course::checkout& checkout) {
  const nlohmann::json stored = nlohmann::json::parse(text, nullptr, false);
  if (!stored.is_object()) throw processes::cannot_do("it is no JSON object.");
  scoring_rules rules;
  for (const auto& [name, value] : stored.items()) {
    if (name == "weights" && value.is_object()) {
      for (const auto& [lesson, weight] : value.items())
        rules.weights[checkout.find(lesson).number] =
            whole_number(weight, "the weight of " + lesson, 0, 1000);
    } else if (name == "race_cap") {
      rules.race_cap = whole_number(value, name, 0, max_points);
    } else if (name == "late" && value.is_object()) {
      read_late(value, rules);
    } else {
      throw processes::cannot_do(fmt::format(
          "it has the objects \"weights\" and \"late\" and the number \"race_cap\", not {}.", name));
    }
  }
  return rules;
}

scoring_rules rules_in(const std::filesystem::path& file, const course::checkout& checkout) {
  try {
    return rules_of(processes::read_whole(file), checkout);
  } catch (const std::runtime_error& reason) {
    throw processes::cannot_do(fmt::format("{}: {}", file.string(), reason.what()));
  }
}

std::optional<std::int64_t> time_of(std::string_view text) {
  static const parsing::pattern form(
      R"((\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)? ?(?:Z|UTC|([+-])(\d{2}):?(\d{2})?)?)?)");
  const auto found = form.match(std::string(text));
  if (!found) return std::nullopt;
  const auto& part = *found;
  std::tm date{};
  date.tm_year = number_of_digits(part[1]) - 1900;
  date.tm_mon = number_of_digits(part[2]) - 1;
  date.tm_mday = number_of_digits(part[3]);
  const bool has_time = !part[4].empty();
  date.tm_hour = has_time ? number_of_digits(part[4]) : 23;
  date.tm_min = has_time ? number_of_digits(part[5]) : 59;
  date.tm_sec = has_time ? number_of_digits(part[6]) : 59;
  const std::tm written = date;
  const std::int64_t seconds = timegm(&date);
  // The 31st of February, the 25th hour.
  if (date.tm_mon != written.tm_mon || date.tm_mday != written.tm_mday || date.tm_hour != written.tm_hour ||
      date.tm_min != written.tm_min)
    return std::nullopt;
  return seconds - std::int64_t{60} * zone_of(part[7], part[8], part[9]);
}

int counted_points(const grade& grade, const scoring_rules& rules) {
  const int points = grade.points.value_or(0);
  return rules.race_cap && has_race(grade) ? std::min(points, *rules.race_cap) : points;
}

score score_of(const gradebook& book, const student_grades& student, const scoring_rules& rules) {
  score made;
  std::int64_t sum = 0;
  std::int64_t max = 0;
  for (std::size_t i = 0; i < student.grades.size(); ++i) {
    if (!student.grades[i].points) continue;
    const auto weight = rules.weights.find(book.lessons[i].number);
    const int factor = weight == rules.weights.end() ? 1 : weight->second;
    sum += std::int64_t{factor} * counted_points(student.grades[i], rules);
    max += std::int64_t{factor} * max_points;
  }
  if (rules.deadline && !student.was_missing) {
    const auto handed_in = time_of(student.date);
    made.is_date_missing = !handed_in;
    if (handed_in) made.late_days = late_days_at(*handed_in, rules);
  }
  if (max > 0)
    made.hundredths =
        static_cast<int>((sum * 100 * percent_left(made.late_days, rules) * 2 + max) / (2 * max));
  return made;
}

std::string score_words(int hundredths) {
  std::string text = fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string score_words(const score& score) { return score.hundredths ? score_words(*score.hundredths) : ""; }

}  // namespace runner
