#include "checking/expectation.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "parsing/pattern.h"

namespace checking {

namespace {

constexpr std::string_view verdict_prefix = "verdict:";
constexpr std::string_view declaration = "// fails:";
constexpr std::string_view also = "also:";
constexpr std::string_view place_declaration = "// where:";
constexpr std::string_view cause_word = "cause:";
constexpr std::string_view no_line = "none";
constexpr std::string_view gpu_declaration = "// on a GPU:";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (char letter : text) {
    if (letter != ' ' && letter != ',' && letter != '\r') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

/// What follows `start` in the first line of `text`, which loses that line; nothing when the line begins otherwise.
std::optional<std::string_view> take_declaration(std::string_view& text, std::string_view start) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with(start)) return std::nullopt;
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line.substr(start.size());
}

/// "14 cause: one_stream", "none cause: wrong_value", "8", "none".
report_target declared_target(std::string_view text) {
  const std::size_t cause = text.find(cause_word);
  const std::vector<std::string> place = words_of(text.substr(0, cause));
  const std::vector<std::string> causes =
      cause == text.npos ? std::vector<std::string>{} : words_of(text.substr(cause + cause_word.size()));
  report_target target;
  const bool is_line =
      place.size() == 1 && place.front().find_first_not_of("0123456789") == std::string::npos;
  if (is_line) target.line = std::stoi(place.front());
  if ((!is_line && place != std::vector{std::string(no_line)}) || causes.size() > 1)
    throw std::invalid_argument("'// where:' names one line or 'none', then 'cause:' and one word");
  if (!causes.empty()) target.cause = causes.front();
  return target;
}

/// The first line of the file that a report names: 14 of "x.cu:14, x.cu:12"; 0 when it names none.
int line_in(const std::string& source, const std::string& where) {
  const std::string name = source.substr(source.rfind('/') + 1) + ':';
  return where.starts_with(name) ? std::stoi(where.substr(name.size())) : 0;
}

/// nullptr for a run that did not get as far as the criteria.
const report::criterion_result* find_criterion(const report::result& result, const std::string& name) {
  const auto found = std::find_if(result.criteria.begin(), result.criteria.end(),
                                  [&](const auto& criterion) { return criterion.name == name; });
  return found == result.criteria.end() ? nullptr : &*found;
}

const report::evidence& why_of(const report::result& result, const std::string& failure) {
  const report::criterion_result* const failed = find_criterion(result, failure);
  return failed == nullptr ? result.why : failed->why;
}

void require_known(const std::string& name, const rubric& rubric) {
  if (name.rfind(verdict_prefix, 0) == 0) {
    static_cast<void>(report::run_verdict_from_word(name.substr(verdict_prefix.size())));  // throws
  } else if (!rubric.find(name)) {
    throw std::invalid_argument(fmt::format("'{}' is not a criterion of this lesson", name));
  }
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string verdict_in_words(const report::criterion_result& criterion) {
  if (criterion.verdict != report::criterion_verdict::fail) {
    return fmt::format("{} ({})", report::word_of(criterion.verdict), criterion.note);
  }
  return fmt::format("fail, {}: {}", report::word_of(criterion.failure), criterion.why.observation);
}

std::string expected_in_words(const expectation& expected, const std::string& name) {
  if (name == expected.must_fail) return "must fail";
  return holds(expected.may_fail, name) ? "may fail" : "must pass";
}

/// Whether the line is one of those from which the first place was called.
bool is_caller_of_first_place(const std::string& source, const report::evidence& why, int line) {
  const std::vector<std::string> places = report::places_in(why);
  if (places.empty()) return false;
  const std::vector<std::string> callers = report::callers_of_place(why, places.front());
  return line != 0 && std::any_of(callers.begin(), callers.end(),
                                  [&](const auto& caller) { return line_in(source, caller) == line; });
}

// A real GPU's recording knows fewer lines and causes.
bool leads_as_declared(const expectation& expected, const report::result& result) {
  if (!expected.leads_to || result.backend == "gpu") return true;
  const report_target target = target_of(result, expected.must_fail);
  return target.cause == expected.leads_to->cause &&
         (target.line == expected.leads_to->line ||
          is_caller_of_first_place(result.source, why_of(result, expected.must_fail),
                                   expected.leads_to->line));
}

std::string in_words(const report_target& target) {
  return fmt::format("where: {} cause: {}",
                     target.line == 0 ? std::string(no_line) : std::to_string(target.line),
                     target.cause.empty() ? no_line : target.cause);
}

std::string table(const expectation& expected, const report::result& result) {
  std::string text =
      fmt::format("{}: verdict {} (seed {})\n", result.source, report::word_of(result.verdict), result.seed);
  if (!expected.must_fail.empty()) text += fmt::format("  expected to fail: {}\n", expected.must_fail);
  for (const report::criterion_result& criterion : result.criteria) {
    text += fmt::format("  {:<34} {:<10} {}\n", criterion.name, expected_in_words(expected, criterion.name),
                        verdict_in_words(criterion));
  }
  if (result.criteria.empty())
    text += fmt::format("  {}\n{}", result.why.observation, result.compiler_output);
  if (expected.leads_to && !leads_as_declared(expected, result)) {
    text += fmt::format("  declared  {}\n  reported  {}\n", in_words(*expected.leads_to),
                        in_words(target_of(result, expected.must_fail)));
  }
  return text;
}

bool is_silent(const report::result& result, const std::string& name) {
  return std::any_of(result.criteria.begin(), result.criteria.end(), [&](const auto& criterion) {
    return criterion.name == name && criterion.verdict == report::criterion_verdict::not_observable;
  });
}

agreement agreement_of_right_answer(const expectation& expected, const report::result& result) {
  const bool is_on_gpu = result.backend == "gpu";
  const std::vector<std::string> failures = failures_of(result);
  const bool is_left_open = is_on_gpu && !failures.empty() &&
                            std::all_of(failures.begin(), failures.end(), [&](const std::string& name) {
                              return holds(expected.open_on_gpu, name);
                            });
  if (is_left_open) return agreement::undecided;
  const auto is_fine = [&](const report::criterion_result& criterion) {
    return criterion.verdict == report::criterion_verdict::pass ||
           (is_on_gpu && criterion.verdict == report::criterion_verdict::not_observable);
  };
  if (!std::all_of(result.criteria.begin(), result.criteria.end(), is_fine)) return agreement::otherwise;
  if (result.verdict == report::run_verdict::pass) return agreement::as_expected;
  const bool is_undecided = result.verdict == report::run_verdict::inconclusive ||
                            result.verdict == report::run_verdict::not_measurable;
  return is_on_gpu && is_undecided ? agreement::undecided : agreement::otherwise;
}

agreement agreement_of_wrong_answer(const expectation& expected, const report::result& result) {
  const std::vector<std::string> failures = failures_of(result);
  const auto is_open = [&](const std::string& name) {
    return result.backend == "gpu" && holds(expected.open_on_gpu, name);
  };
  const auto is_allowed = [&](const std::string& name) {
    return name == expected.must_fail || holds(expected.may_fail, name) || is_open(name);
  };
  const bool are_allowed = std::all_of(failures.begin(), failures.end(), is_allowed);
  if (holds(failures, expected.must_fail)) {
    return are_allowed && leads_as_declared(expected, result) ? agreement::as_expected : agreement::otherwise;
  }
  if (result.backend != "gpu") return agreement::otherwise;
  // What is undefined may end a run on hardware that the virtual GPU carries on with.
  if (result.criteria.empty() && holds(expected.may_fail, failures.front())) return agreement::as_expected;
  const bool does_not_tell = is_silent(result, expected.must_fail) || is_open(expected.must_fail) ||
                             std::any_of(failures.begin(), failures.end(), is_open) ||
                             expected.must_fail == "verdict:unsupported" ||
                             result.verdict == report::run_verdict::not_measurable;
  return does_not_tell && (are_allowed || result.criteria.empty()) ? agreement::undecided
                                                                   : agreement::otherwise;
}

}  // namespace

expectation expectation_of(std::string_view text, const rubric& rubric) {
  expectation declared;
  if (const auto line = take_declaration(text, declaration)) {
    const std::size_t more = line->find(also);
    const std::vector<std::string> must = words_of(line->substr(0, more));
    if (must.size() != 1)
      throw std::invalid_argument("'// fails:' names one criterion, then 'also:' the others");
    declared.must_fail = must.front();
    if (more != std::string_view::npos) declared.may_fail = words_of(line->substr(more + also.size()));
    require_known(declared.must_fail, rubric);
    if (const auto place = take_declaration(text, place_declaration))
      declared.leads_to = declared_target(*place);
  }
  if (const auto line = take_declaration(text, gpu_declaration)) {
    declared.open_on_gpu = words_of(*line);
    if (declared.open_on_gpu.empty()) throw std::invalid_argument("'// on a GPU:' names criteria");
  }
  for (const auto* names : {&declared.may_fail, &declared.open_on_gpu}) {
    for (const std::string& name : *names) require_known(name, rubric);
  }
  return declared;
}

report_target target_of(const report::result& result, const std::string& failure) {
  const report::criterion_result* const failed = find_criterion(result, failure);
  return {line_in(result.source, why_of(result, failure).where), failed == nullptr ? "" : failed->mistake};
}

std::vector<std::string> failures_of(const report::result& result) {
  std::vector<std::string> failures;
  for (const report::criterion_result& criterion : result.criteria) {
    if (criterion.verdict == report::criterion_verdict::fail) failures.push_back(criterion.name);
  }
  if (result.criteria.empty()) {
    failures.push_back(std::string(verdict_prefix) + std::string(report::word_of(result.verdict)));
  }
  return failures;
}

agreement agreement_of(const expectation& expected, const report::result& result) {
  return expected.must_fail.empty() ? agreement_of_right_answer(expected, result)
                                    : agreement_of_wrong_answer(expected, result);
}

std::string difference(const expectation& expected, const report::result& result) {
  return agreement_of(expected, result) == agreement::as_expected ? "" : table(expected, result);
}

std::string read_next_not_in(std::string_view page, const report::result& result) {
  static const parsing::pattern reference(R"rx((?:(cuda\w+|TODO \d+) in )?the section "([^"]+)")rx");
  for (const report::criterion_result& criterion : result.criteria) {
    const std::string& text = criterion.why.read_next;
    for (const parsing::groups& found : reference.all_in(text)) {
      const std::size_t heading = page.find("\n## " + found.at(2) + "\n");
      const std::string_view section = page.substr(std::min(heading, page.size()));
      if (section.empty() ||
          section.substr(0, section.find("\n## ", 1)).find(found.at(1)) == std::string_view::npos)
        return text;
    }
  }
  return "";
}

}  // namespace checking
