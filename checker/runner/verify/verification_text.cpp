#include "runner/verify/verification_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace runner {
namespace {

using json = nlohmann::ordered_json;

bool was_run(const verified_lesson& lesson, answer_set set) {
  const bool is_single = set == answer_set::skeleton || set == answer_set::solution;
  return is_single ? lesson.outcome_of(set) != nullptr : lesson.outcomes.size() == lesson.answers.size();
}

std::string single_words(const verified_lesson& lesson, answer_set set, const char* as_declared) {
  if (!was_run(lesson, set)) return "not run";
  return lesson.as_declared(set) == 1 ? as_declared : "NO";
}

std::string count_words(const verified_lesson& lesson, answer_set set) {
  if (!was_run(lesson, set)) return fmt::format("-/{}", lesson.count(set));
  return fmt::format("{}/{}", lesson.as_declared(set), lesson.count(set));
}

/// Of the wrong answers that were caught, those whose report names a line of theirs.
std::size_t led_to_a_line(const verified_lesson& lesson) {
  return static_cast<std::size_t>(
      std::count_if(lesson.outcomes.begin(), lesson.outcomes.end(), [&](const answer_outcome& outcome) {
        const bool is_wrong = lesson.answers[&outcome - lesson.outcomes.data()].set == answer_set::wrong;
        return is_wrong && outcome.is_as_declared && outcome.line != 0;
      }));
}

std::string line_words(const verified_lesson& lesson) {
  if (!was_run(lesson, answer_set::wrong)) return "-";
  return fmt::format("{}/{}", led_to_a_line(lesson), lesson.as_declared(answer_set::wrong));
}

std::string margin_words(const verified_lesson& lesson) {
  const std::optional<margin> smallest = lesson.margin_of_solution();
  return smallest ? fmt::format("{:.2f}  {}", smallest->ratio, smallest->criterion) : "none stated";
}

std::string table(const verification& found) {
  std::size_t width = std::string("lesson").size();
  for (const verified_lesson& lesson : found.lessons)
    width = std::max(width, lesson.course_lesson.folder.size());
  std::string text = fmt::format("{:<{}}  {:>8}  {:<8}  {:<8}  {:>12}  {:>13}  {:>12}  {}\n", "lesson", width,
                                 "criteria", "skeleton", "solution", "wrong caught", "led to a line",
                                 "right passed", "margin of the solution");
  for (const verified_lesson& lesson : found.lessons) {
    text += fmt::format(
        "{:<{}}  {:>8}  {:<8}  {:<8}  {:>12}  {:>13}  {:>12}  {}\n", lesson.course_lesson.folder, width,
        lesson.rubric.criteria.size(), single_words(lesson, answer_set::skeleton, "fails"),
        single_words(lesson, answer_set::solution, "passes"), count_words(lesson, answer_set::wrong),
        line_words(lesson), count_words(lesson, answer_set::right), margin_words(lesson));
  }
  return text;
}

std::string indented(const std::string& text) {
  std::string lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines += line.empty() ? "\n" : "  " + line + "\n";
  return lines;
}

std::string problem_words(const verification& found) {
  if (found.problems.empty()) return "\nNothing failed.\n";
  std::string text = fmt::format("\n{} failed\n", found.problems.size());
  for (const course_problem& problem : found.problems)
    text += "\n" + problem.file + "\n" + indented(problem.message) + indented("Next: " + problem.next);
  return text;
}

json json_of(const verified_lesson& lesson) {
  json answers = json::array();
  for (std::size_t i = 0; i < lesson.outcomes.size(); ++i) {
    const answer_outcome& outcome = lesson.outcomes[i];
    answers.push_back({{"name", lesson.answers[i].name},
                       {"as_declared", outcome.is_as_declared},
                       {"declared_failure", outcome.declared_failure},
                       {"line", outcome.line},
                       {"cause", outcome.cause},
                       {"verdict", outcome.result ? report::word_of(outcome.result->verdict) : ""}});
  }
  const std::optional<margin> smallest = lesson.margin_of_solution();
  return {
      {"lesson", lesson.course_lesson.number},
      {"folder", lesson.course_lesson.folder},
      {"criteria", lesson.rubric.criteria},
      {"points", lesson.rubric.points},
      {"wrong",
       {{"caught", lesson.as_declared(answer_set::wrong)}, {"all", lesson.count(answer_set::wrong)}}},
      {"right",
       {{"passed", lesson.as_declared(answer_set::right)}, {"all", lesson.count(answer_set::right)}}},
      {"margin", smallest ? json{{"ratio", smallest->ratio}, {"criterion", smallest->criterion}} : json()},
      {"answers", std::move(answers)}};
}

}  // namespace

std::string verification_text(const verification& found) {
  std::string text;
  if (!found.links_outside.empty()) {
    text += "Links outside, which nobody follows here:\n";
    for (const std::string& link : found.links_outside) text += "  " + link + "\n";
    text += "\n";
  }
  for (const std::string& page : found.rewritten) text += "Wrote what the runs give into " + page + ".\n";
  if (!found.rewritten.empty()) text += "\n";
  return text + table(found) + problem_words(found);
}

std::string verification_json(const verification& found) {
  json lessons = json::array();
  for (const verified_lesson& lesson : found.lessons) lessons.push_back(json_of(lesson));
  json problems = json::array();
  for (const course_problem& problem : found.problems)
    problems.push_back({{"file", problem.file}, {"what", problem.message}, {"next", problem.next}});
  const json all{{"ok", found.problems.empty()},
                 {"extent", found.extent == verify_extent::everything ? "everything" : "static"},
                 {"lessons", std::move(lessons)},
                 {"problems", std::move(problems)},
                 {"links_outside", found.links_outside},
                 {"rewritten", found.rewritten}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace runner
