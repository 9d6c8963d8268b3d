#include "report/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace report {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// "EveryElementIsRight as cuda_error"
hint_topic topic_in(std::string_view words) {
  constexpr std::string_view as = " as ";
  const std::size_t place = words.find(as);
  if (place == std::string_view::npos) return {std::string(words), ""};
  return {std::string(trimmed(words.substr(0, place))),
          std::string(trimmed(words.substr(place + as.size())))};
}

std::vector<hint_topic> topics_in(std::string_view list) {
  std::vector<hint_topic> topics;
  std::istringstream entries{std::string(list)};
  for (std::string words; std::getline(entries, words, ',');) {
    if (!trimmed(words).empty()) topics.push_back(topic_in(trimmed(words)));
  }
  return topics;
}

constexpr int urgencies = 4;

/// 0 is the most urgent.
int urgency_of(run_verdict verdict) {
  switch (verdict) {
    case run_verdict::cuda_error:
      return 0;
    case run_verdict::race_detected:
      return 1;
    case run_verdict::wrong_answer:
      return 2;
    default:
      return urgencies - 1;
  }
}

bool names_mistake(const hint& hint, const failure& failure) {
  return !failure.mistake.empty() &&
         std::any_of(hint.helps_with.begin(), hint.helps_with.end(), [&](const hint_topic& topic) {
           return topic.name == failure.criterion && topic.way == failure.mistake;
         });
}

/// A hint and the failure it helps with.
struct candidate {
  const hint* advice;
  const failure* about;
};

/// The hints that are for one of the failures, those that name the mistake first.
std::vector<candidate> candidates_for(const std::vector<failure>& failures, const std::vector<hint>& hints) {
  std::vector<candidate> naming, others;
  for (const hint& hint : hints) {
    const auto named = std::find_if(failures.begin(), failures.end(),
                                    [&](const failure& failure) { return names_mistake(hint, failure); });
    const auto meant = std::find_if(failures.begin(), failures.end(),
                                    [&](const failure& failure) { return is_for(hint, failure); });
    if (named != failures.end()) {
      naming.push_back({&hint, &*named});
    } else if (meant != failures.end()) {
      others.push_back({&hint, &*meant});
    }
  }
  naming.insert(naming.end(), others.begin(), others.end());
  return naming;
}

/// The criterion; for a run without criteria, its verdict in quotation marks.
std::string words_for(const failure& failure) {
  return failure.criterion.empty() ? "\"" + words_of(failure.verdict) + "\"" : failure.criterion;
}

/// Whether all that the hint helps with is done. Nothing is known of that when the run ended before its criteria were judged.
bool is_for_passed_criteria(const hint& hint, const std::vector<failure>& failures) {
  const auto is_open = [&](const hint_topic& topic) {
    return std::any_of(failures.begin(), failures.end(), [&](const failure& failure) {
      return failure.criterion.empty() || failure.criterion == topic.name;
    });
  };
  return !failures.empty() && !hint.helps_with.empty() &&
         std::none_of(hint.helps_with.begin(), hint.helps_with.end(), is_open);
}

/// All hints for what failed, in the order in which they are given.
std::vector<chosen_hint> hints_for(const std::vector<failure>& failures, const std::vector<hint>& hints) {
  std::vector<chosen_hint> choices;
  const auto add = [&](const hint& hint, std::string about) {
    const bool is_known = std::any_of(choices.begin(), choices.end(),
                                      [&](const chosen_hint& choice) { return choice.level == hint.level; });
    if (!is_known) choices.push_back({.level = hint.level, .about = std::move(about)});
  };
  for (int urgency = 0; urgency < urgencies; ++urgency) {
    std::vector<failure> concerned;
    for (const failure& failure : failures) {
      if (urgency_of(failure.verdict) == urgency) concerned.push_back(failure);
    }
    for (const candidate& candidate : candidates_for(concerned, hints))
      add(*candidate.advice, words_for(*candidate.about));
  }
  for (const hint& hint : hints) {
    if (!is_for_passed_criteria(hint, failures)) add(hint, "");
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    choices[i].number = static_cast<int>(i) + 1;
    choices[i].count = static_cast<int>(choices.size());
  }
  return choices;
}

}  // namespace

std::vector<hint> parse_hints(std::string_view markdown) {
  std::vector<hint> hints;
  bool is_inside_fence = false;
  std::istringstream lines{std::string(markdown)};
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) is_inside_fence = !is_inside_fence;
    if (!is_inside_fence && line.rfind("## ", 0) == 0) {
      hints.push_back({static_cast<int>(hints.size()) + 1, std::string(trimmed(line.substr(3))), {}, ""});
    } else if (!hints.empty()) {
      hint& current = hints.back();
      if (current.text.empty() && line.rfind("for:", 0) == 0) {
        current.helps_with = topics_in(line.substr(4));
      } else {
        current.text += line + "\n";
      }
    }
  }
  for (hint& hint : hints) hint.text = trimmed(hint.text);
  return hints;
}

std::vector<failure> failures_in(const result& check) {
  std::vector<failure> failures;
  for (const criterion_result& criterion : check.criteria) {
    if (criterion.verdict == criterion_verdict::fail)
      failures.push_back({criterion.name, criterion.failure, criterion.mistake});
  }
  if (failures.empty() && check.verdict != run_verdict::pass) failures.push_back({"", check.verdict, ""});
  return failures;
}

bool is_for(const hint& hint, const failure& failure) {
  const std::string_view verdict = word_of(failure.verdict);
  return std::any_of(hint.helps_with.begin(), hint.helps_with.end(), [&](const hint_topic& topic) {
    if (topic.name == verdict) return true;
    if (topic.name != failure.criterion) return false;
    return topic.way.empty() || topic.way == verdict || topic.way == failure.mistake;
  });
}

chosen_hint next_hint(const std::vector<hint>& hints, const std::set<int>& levels_seen,
                      const std::vector<failure>& failures) {
  const std::vector<chosen_hint> choices = hints_for(failures, hints);
  const auto next = std::find_if(choices.begin(), choices.end(), [&](const chosen_hint& choice) {
    return levels_seen.count(choice.level) == 0;
  });
  return next == choices.end() ? chosen_hint{} : *next;
}

std::optional<hint> unfitting_first_hint(const std::vector<hint>& hints, const std::vector<failure>& failures,
                                         const std::string& criterion) {
  const chosen_hint first = next_hint(hints, {}, failures);
  const auto wanted = std::find_if(failures.begin(), failures.end(),
                                   [&](const failure& failure) { return failure.criterion == criterion; });
  if (first.level == 0 || wanted == failures.end()) return std::nullopt;  // ended before the criteria
  const hint& chosen = hints[static_cast<std::size_t>(first.level) - 1];
  return is_for(chosen, *wanted) ? std::nullopt : std::optional(chosen);
}

chosen_hint hint_at(const std::vector<hint>& hints, int level) {
  return {.level = level, .about = "", .number = level, .count = static_cast<int>(hints.size())};
}

std::string title_of(const std::vector<hint>& hints, const chosen_hint& choice) {
  const std::string& heading = hints.at(static_cast<std::size_t>(choice.level) - 1).heading;
  const std::string about = choice.about.empty() ? "" : ", for " + choice.about;
  return fmt::format("Hint {} of {}{}: {}", choice.number, choice.count, about, heading);
}

}  // namespace report
