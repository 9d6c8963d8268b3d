#include "checking/expectation.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace checking {

namespace {

constexpr std::string_view verdict_prefix = "verdict:";
constexpr std::string_view declaration = "// fails:";
constexpr std::string_view also = "also:";

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
  return text;
}

bool is_silent(const report::result& result, const std::string& name) {
  return std::any_of(result.criteria.begin(), result.criteria.end(), [&](const auto& criterion) {
    return criterion.name == name && criterion.verdict == report::criterion_verdict::not_observable;
  });
}

agreement agreement_of_right_answer(const report::result& result) {
  const bool is_on_gpu = result.backend == "gpu";
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
  if (holds(failures, expected.must_fail)) {
    const bool are_allowed = std::all_of(failures.begin(), failures.end(), [&](const std::string& name) {
      return name == expected.must_fail || holds(expected.may_fail, name);
    });
    return are_allowed ? agreement::as_expected : agreement::otherwise;
  }
  if (result.backend != "gpu") return agreement::otherwise;
  // What is undefined may end a run on hardware that the virtual GPU carries on with.
  if (result.criteria.empty() && holds(expected.may_fail, failures.front())) return agreement::as_expected;
  const bool has_stray_failure = std::any_of(failures.begin(), failures.end(), [&](const std::string& name) {
    return !holds(expected.may_fail, name);
  });
  const bool does_not_tell = is_silent(result, expected.must_fail) ||
                             expected.must_fail == "verdict:unsupported" ||
                             result.verdict == report::run_verdict::not_measurable;
  return does_not_tell && (!has_stray_failure || result.criteria.empty()) ? agreement::undecided
                                                                          : agreement::otherwise;
}

}  // namespace

expectation expectation_of(std::string_view first_line, const rubric& rubric) {
  if (first_line.substr(0, declaration.size()) != declaration) return {};
  first_line.remove_prefix(declaration.size());
  const std::size_t more = first_line.find(also);
  const std::vector<std::string> must = words_of(first_line.substr(0, more));
  if (must.size() != 1)
    throw std::invalid_argument("'// fails:' names one criterion, then 'also:' the others");
  expectation expected{must.front(), {}};
  if (more != std::string_view::npos) expected.may_fail = words_of(first_line.substr(more + also.size()));
  require_known(expected.must_fail, rubric);
  for (const std::string& name : expected.may_fail) require_known(name, rubric);
  return expected;
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
  return expected.must_fail.empty() ? agreement_of_right_answer(result)
                                    : agreement_of_wrong_answer(expected, result);
}

std::string difference(const expectation& expected, const report::result& result) {
  return agreement_of(expected, result) == agreement::as_expected ? "" : table(expected, result);
}

}  // namespace checking
