#include "checking/repeated_rounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace checking {

namespace {

using report::criterion_result;
using report::criterion_verdict;
using report::run_verdict;

// Of the two tails together: five runs that agree are enough.
constexpr double max_error = 1.0 / 16;

bool is_excused_by_no_measurement(run_verdict failure) { return failure < run_verdict::requirement_missed; }

struct votes {
  std::vector<std::size_t> passed;
  std::vector<std::size_t> failed;
  std::vector<std::size_t> silent;  // could not be observed, or the GPU was disturbed
};

votes votes_on(const std::vector<round>& rounds, std::size_t criterion) {
  votes found;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    switch (rounds[i].criteria[criterion].verdict) {
      case criterion_verdict::pass:
        found.passed.push_back(i);
        break;
      case criterion_verdict::fail:
        (rounds[i].was_disturbed ? found.silent : found.failed).push_back(i);
        break;
      case criterion_verdict::not_observable:
        found.silent.push_back(i);
        break;
    }
  }
  return found;
}

/// The words of the speaker when it is one of the agreeing rounds, else of the first of these.
const criterion_result& words_of(const std::vector<round>& rounds, const std::vector<std::size_t>& agreeing,
                                 std::size_t speaker, std::size_t criterion) {
  const bool can_speak = std::find(agreeing.begin(), agreeing.end(), speaker) != agreeing.end();
  return rounds[can_speak ? speaker : agreeing.front()].criteria[criterion];
}

criterion_result left_undecided(criterion_result words, std::string reason) {
  words.verdict = criterion_verdict::not_observable;
  words.failure = run_verdict::inconclusive;
  words.why = {};
  words.note = std::move(reason);
  return words;
}

void say_how_many(criterion_result& result, std::size_t agreeing, std::size_t all) {
  if (agreeing == all) return;
  const std::string count = fmt::format("{} of {} runs", agreeing, all);
  if (result.verdict == criterion_verdict::pass) {
    result.note += fmt::format("{}in {}", result.note.empty() ? "" : "; ", count);
  } else {
    result.why.observation += fmt::format(" It was so in {}.", count);
  }
}

}  // namespace

const std::vector<std::size_t>& rounds_to_look_after() {
  static const std::vector<std::size_t> looks{5, 9, 15, 21};
  return looks;
}

std::optional<std::size_t> max_that_disagree(std::size_t rounds) {
  // P(at most k of n coins show heads), k = 0, 1, ...: the sum of binomial(n, i) / 2^n.
  double term = 1;
  for (std::size_t i = 0; i < rounds; ++i) term /= 2;
  std::optional<std::size_t> max_disagreeing;
  double both_tails = 0;
  for (std::size_t i = 0; 2 * i < rounds; ++i) {
    both_tails += 2 * term;
    if (both_tails > max_error) break;
    max_disagreeing = i;
    term *= static_cast<double>(rounds - i) / static_cast<double>(i + 1);
  }
  return max_disagreeing;
}

repeated_verdict verdict_of_rounds(const std::vector<round>& rounds, std::size_t speaker) {
  repeated_verdict verdict;
  for (std::size_t criterion = 0; criterion < rounds.front().criteria.size(); ++criterion) {
    const votes found = votes_on(rounds, criterion);
    const auto certain = std::find_if(rounds.begin(), rounds.end(), [&](const round& one) {
      return one.criteria[criterion].verdict == criterion_verdict::fail &&
             is_excused_by_no_measurement(one.criteria[criterion].failure);
    });
    if (certain != rounds.end()) {
      verdict.criteria.push_back(certain->criteria[criterion]);
      continue;
    }
    const std::size_t votes_cast = found.passed.size() + found.failed.size();
    if (votes_cast == 0) {
      criterion_result result = words_of(rounds, found.silent, speaker, criterion);
      if (rounds[speaker].was_disturbed && result.failure != run_verdict::pass) {
        result = left_undecided(result, "other programs used the GPU during all runs");
        verdict.is_decided = false;
      }
      verdict.criteria.push_back(std::move(result));
      continue;
    }
    const bool do_most_pass = found.passed.size() > found.failed.size();
    const auto& majority = do_most_pass ? found.passed : found.failed;
    const std::optional<std::size_t> may_disagree = max_that_disagree(votes_cast);
    criterion_result result = words_of(rounds, majority, speaker, criterion);
    if (may_disagree && votes_cast - majority.size() <= *may_disagree) {
      say_how_many(result, majority.size(), votes_cast);
    } else {
      result =
          left_undecided(result, fmt::format("it passed in {} of {} runs", found.passed.size(), votes_cast));
      verdict.is_decided = false;
    }
    verdict.criteria.push_back(std::move(result));
  }
  return verdict;
}

}  // namespace checking
