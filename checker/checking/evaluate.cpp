#include "checking/evaluate.h"

#include <fmt/format.h>
#include <gtest/gtest-spi.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/race_diagnosis.h"
#include "matchers/errors.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/words.h"
#include "report/mistake.h"
#include "report/wording/cause_sentences.h"

namespace checking {

namespace {

using matchers::basis;
using matchers::verdict;
using report::criterion_result;
using report::criterion_verdict;
using report::run_verdict;

/// What a criterion said: the verdicts of its matchers, and what else made it fail.
struct judgement {
  std::vector<verdict> verdicts;
  bool has_failed = false;
  std::string failure_text;  ///< of GoogleTest
  bool has_unexplained_data_in_third_call_only = false;

  bool has(criterion_verdict outcome) const {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const verdict& found) { return found.outcome == outcome; });
  }
  bool was_found_in(basis source) const {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const verdict& found) { return found.found_in == source; });
  }
  /// The notes of the verdicts with that outcome, each once.
  std::string notes(criterion_verdict outcome) const {
    std::vector<std::string> notes;
    for (const verdict& found : verdicts) {
      const bool is_new = std::find(notes.begin(), notes.end(), found.note) == notes.end();
      if (found.outcome == outcome && !found.note.empty() && is_new) notes.push_back(found.note);
    }
    std::string text;
    for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
    return text;
  }
  /// The gravest verdict with that outcome, the first of several; nullptr when there is none.
  const verdict* gravest(criterion_verdict outcome) const {
    const verdict* first = nullptr;
    for (const verdict& found : verdicts) {
      if (found.outcome == outcome && (first == nullptr || found.run < first->run)) first = &found;
    }
    return first;
  }
};

judgement judged_by(const criterion& line, judged_run& judged, bool catches_exceptions) {
  testing::TestPartResultArray parts;
  judgement result;
  judged.verdicts.clear();
  try {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &parts);
    line.make_check()->judge(judged);
  } catch (const std::exception& mistake) {
    if (!catches_exceptions) throw;
    result.has_failed = true;
    result.failure_text = mistake.what();
  }
  for (int i = 0; i < parts.size(); ++i) {
    if (!parts.GetTestPartResult(i).failed()) continue;
    result.has_failed = true;
    result.failure_text += parts.GetTestPartResult(i).message();
  }
  result.verdicts = judged.verdicts;
  return result;
}

/// What failed in another call fails too. What failed so in the usual run is told before what failed under other conditions.
void add_failures(judgement& found, exercise::call call, const judgement& other) {
  const verdict* const known = found.gravest(criterion_verdict::fail);
  const verdict* const plain = other.gravest(criterion_verdict::fail);
  const bool is_plainer = known != nullptr && plain != nullptr && known->run == plain->run &&
                          !known->is_of_usual_run && plain->is_of_usual_run;
  if (!other.has_failed || (found.has_failed && !is_plainer)) return;
  std::erase_if(found.verdicts, [](const verdict& one) { return one.outcome == criterion_verdict::fail; });
  found.has_failed = true;
  found.failure_text = other.failure_text;
  for (const verdict& one : other.verdicts) {
    if (one.outcome != criterion_verdict::fail) continue;
    found.verdicts.push_back(one);
    found.has_unexplained_data_in_third_call_only |=
        one.found_in == basis::data && !one.is_explained && call == exercise::call::third;
  }
  // The report has no other failure.
  if (const verdict* const gravest = found.gravest(criterion_verdict::fail);
      gravest != nullptr && gravest->is_explained)
    found.has_unexplained_data_in_third_call_only = false;
}

/// Of what the first call did not get wrong: what the learner's functions keep from call to call. Where nobody knows how the first call was, it
/// is better than no line.
void tell_of_kept_variables(judgement& found, const judgement& at_first,
                            const matchers::learner_source& source) {
  if (at_first.has_failed) return;
  for (verdict& one : found.verdicts) {
    const auto first =
        one.is_asked_of_first_call ? matchers::first_call::right : matchers::first_call::not_judged;
    const bool needs_a_line = one.why.where.empty() || first == matchers::first_call::right;
    if (one.outcome == criterion_verdict::fail && needs_a_line) name_kept_variables(source, first, one.why);
  }
}

/// Why the recording says less than happened; "" when it says all.
std::string incomplete_because(const trace::recording& recording) {
  for (const trace::diagnostic& note : recording.diagnostics) {
    using enum trace::diagnostic_kind;
    for (const trace::diagnostic_kind kind : {not_recorded, lost_records, not_attributed}) {
      if (note.kind == kind) return note.message;
    }
  }
  return "";
}

void conclude_failed(criterion_result& result, const verdict& reason) {
  result.verdict = criterion_verdict::fail;
  result.note.clear();
  result.failure = reason.run;
  result.why = reason.why;
  result.mistake = reason.mistake;
}

void conclude_not_observable(criterion_result& result, const std::string& reason,
                             run_verdict undecided = run_verdict::pass) {
  result.verdict = criterion_verdict::not_observable;
  result.note = reason;
  result.failure = undecided;
}

void conclude_passed(criterion_result& result, const judgement& found) {
  result.verdict = criterion_verdict::pass;
  result.note = found.notes(criterion_verdict::pass);
}

void conclude(criterion_result& result, const judgement& found) {
  const verdict* failure = found.gravest(criterion_verdict::fail);
  const verdict* silence = found.gravest(criterion_verdict::not_observable);
  if (found.has_failed) {
    // A plain EXPECT_EQ in a check.cpp gives no evidence; its own words then have to do.
    conclude_failed(result, failure != nullptr ? *failure
                                               : matchers::failed(run_verdict::requirement_missed, "",
                                                                  {result.title, found.failure_text, "",
                                                                   "The lesson's text."}));
  } else if (silence != nullptr) {
    conclude_not_observable(result, found.notes(criterion_verdict::not_observable), silence->run);
  } else {
    conclude_passed(result, found);
  }
}

// What was fast enough beside a calibration that may have been held up was perhaps not fast.
void conclude_disturbed(criterion_result& result, const judgement& found) {
  conclude(result, found);
  const bool compares = std::any_of(found.verdicts.begin(), found.verdicts.end(),
                                    [](const verdict& one) { return one.compares_with_calibration; });
  if (result.verdict != criterion_verdict::pass || !compares) return;
  conclude_not_observable(result, "other programs used the GPU, perhaps during the calibration",
                          run_verdict::inconclusive);
}

// Only the data can be judged, and lengths that events told; what the matchers found missing in the recording
// may have happened.
void conclude_without_recording(criterion_result& result, const judgement& found, const std::string& reason) {
  if (found.was_found_in(basis::lengths)) return conclude(result, found);
  for (const verdict& one : found.verdicts) {
    if (one.outcome == criterion_verdict::fail && one.found_in == basis::data)
      return conclude_failed(result, one);
  }
  if (found.was_found_in(basis::data)) return conclude_passed(result, found);
  conclude_not_observable(result, reason);
}

/// With a device that has failed nothing can be right, and without a copy or a kernel times tell nothing: the criterion that says so
/// costs its own points, and no others. What host threads do without order is no consequence: it can be why a kernel was given what
/// it was given.
void leave_out_consequences(std::vector<criterion_result>& results, const matchers::run_facts& run) {
  const auto tells_of_it = [](const criterion_result& result) {
    return result.verdict == criterion_verdict::fail && result.failure == run_verdict::cuda_error;
  };
  const auto telling = std::find_if(results.begin(), results.end(), tells_of_it);
  if (telling == results.end()) return;
  const std::string name = telling->name;
  const trace::diagnostic* const fault = matchers::fault_of_the_device(run.recording());
  const bool has_device_failed = fault != nullptr;
  const std::string refused = matchers::refused_work(run);
  if (!has_device_failed && refused.empty()) return;
  const auto is_of_host_code = [](const criterion_result& result) {
    return result.mistake == analysis::word_of(analysis::race_mistake::host_code_unordered);
  };
  const auto is_of_times = [](const criterion_result& result) {
    return result.failure == run_verdict::no_overlap || result.failure == run_verdict::too_slow;
  };
  for (criterion_result& result : results) {
    const bool is_consequence = has_device_failed ? !is_of_host_code(result) : is_of_times(result);
    if (result.verdict == criterion_verdict::pass || tells_of_it(result) || !is_consequence) continue;
    criterion_result left_out;
    left_out.name = result.name;
    left_out.title = result.title;
    left_out.points = result.points;
    result = left_out;
    conclude_not_observable(
        result, has_device_failed
                    ? fmt::format("{}, so the device failed: see why {} failed", fault->message, name)
                    : "without all copies and kernels the times tell nothing: " + refused);
  }
}

/// Work that is not in order can be all that makes data wrong or lets a kernel use memory that is not there, and what is known of it
/// leads further. A wrong argument is wrong in any order.
void lead_to_cause(criterion_result& result, const criterion_result& cause) {
  result.comes_of = cause.name;
  result.why.observation += fmt::format(
      " Look at {} first ({}): {} can be the cause.", cause.name, cause.why.where,
      cause.failure == run_verdict::race_detected ? "work that is not in order" : "a wrong argument");
}

/// Of what the host did too late: a wait that another criterion does not allow can be why.
void lead_to_wait(criterion_result& result, const std::vector<criterion_result>& results) {
  const auto wait = std::find_if(results.begin(), results.end(), [](const criterion_result& other) {
    return other.verdict == criterion_verdict::fail &&
           other.mistake == report::word_of(report::mistake::needless_wait) && !other.why.where.empty();
  });
  const bool is_host_late = result.verdict == criterion_verdict::fail &&
                            result.mistake == report::word_of(explain::cause::host_busy);
  if (!is_host_late || wait == results.end()) return;
  result.why.observation += fmt::format(
      " Look at {} first ({}): what the host does behind that wait, it could do while the device works.",
      wait->name, wait->why.where);
  result.why.where = wait->why.where + (result.why.where.empty() ? "" : ", " + result.why.where);
}

std::string first_place_of(const report::evidence& why) { return why.where.substr(0, why.where.find(", ")); }

/// Of work that ran too late: that of the same line which is not in order comes first, for its cure moves the work.
void lead_to_order(criterion_result& result, const criterion_result& race) {
  const bool is_of_times =
      result.verdict == criterion_verdict::fail &&
      (result.failure == run_verdict::no_overlap || result.failure == run_verdict::too_slow);
  const std::string place = first_place_of(race.why);
  if (!is_of_times || place.empty() || first_place_of(result.why) != place) return;
  result.why.observation +=
      fmt::format(" Look at {} first ({}): it is about the same line.", race.name, place);
}

/// What else failed or did not fail can say where wrong data come from.
void lead_on(std::vector<criterion_result>& results, const std::vector<judgement>& judgements,
             const matchers::observations& observed) {
  const auto has_failed_by = [](const criterion_result& result, run_verdict reason) {
    return result.verdict == criterion_verdict::fail && result.failure == reason;
  };
  const auto race = std::find_if(results.begin(), results.end(), [&](const criterion_result& result) {
    return has_failed_by(result, run_verdict::race_detected);
  });
  const auto misplaced = std::find_if(results.begin(), results.end(), [&](const criterion_result& result) {
    return has_failed_by(result, run_verdict::wrong_answer) &&
           result.mistake == word_of(report::mistake::wrong_argument);
  });
  const auto cause = misplaced != results.end() ? misplaced : race;
  const bool is_device_at_fault =
      std::any_of(observed.runs.begin(), observed.runs.end(), [](const matchers::scheduled_run& run) {
        return run.outcome.recording && matchers::fault_of_the_device(*run.outcome.recording) != nullptr;
      });
  const bool has_several_threads =
      std::any_of(observed.runs.begin(), observed.runs.end(), [](const matchers::scheduled_run& run) {
        return run.outcome.recording && !run.outcome.recording->host_edges.empty();
      });
  for (criterion_result& result : results) {
    lead_to_wait(result, results);
    if (race != results.end()) lead_to_order(result, *race);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool has_wrong_data = has_failed_by(results[i], run_verdict::wrong_answer);
    // A call that was not made is missing in whatever order the device works.
    const bool is_of_calls = results[i].mistake == word_of(report::mistake::host_task_miscounted) &&
                             race != results.end() &&
                             race->mistake != analysis::word_of(analysis::race_mistake::host_code_unordered);
    const bool can_follow = (has_wrong_data && !is_of_calls) ||
                            (is_device_at_fault && has_failed_by(results[i], run_verdict::cuda_error));
    if (cause != results.end()) {
      const bool is_race_of_it = cause == misplaced && has_failed_by(results[i], run_verdict::race_detected);
      if ((can_follow || is_race_of_it) && &results[i] != &*cause && !cause->why.where.empty())
        lead_to_cause(results[i], *cause);
    } else if (has_wrong_data && judgements[i].has_unexplained_data_in_third_call_only) {
      results[i].why.observation += fmt::format(
          " The calls before it, with other sizes, were right: look for a number or a buffer that fits only those (a "
          "constant, or kept from an earlier call){}.",
          has_several_threads ? ", or for threads or host functions that come in another order here" : "");
    }
  }
}

}  // namespace

std::vector<criterion_result> evaluate(const rubric& rubric, const matchers::observations& observed,
                                       std::size_t run_number) {
  // The environment can set these, and every assertion acts on them.
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  judged_run judged{observed, {observed, "learner", run_number}};
  std::vector<judged_run> others;
  const auto& answers = observed.runs.at(run_number).outcome.answers;
  if (observed.first_request && answers.contains(exercise::call::first))
    others.push_back({observed, judged.learner.of_call(exercise::call::first)});
  if (observed.other_request) others.push_back({observed, judged.learner.of_call(exercise::call::third)});
  const std::string incomplete = incomplete_because(judged.learner.recording());
  const bool is_disturbed = was_disturbed(observed.runs.at(run_number));
  std::vector<criterion_result> results;
  std::vector<judgement> judgements;
  for (const criterion& line : rubric.criteria) {
    criterion_result& result = results.emplace_back();
    result.name = line.name;
    result.title = line.title;
    result.points = line.points;
    judgement found = judged_by(line, judged, !incomplete.empty());
    std::optional<judgement> at_first;
    for (judged_run& other : others) {
      const judgement found_there = judged_by(line, other, !incomplete.empty());
      if (other.learner.call() == exercise::call::first) at_first = found_there;
      add_failures(found, other.learner.call(), found_there);
    }
    if (at_first) tell_of_kept_variables(found, *at_first, observed.source);
    for (const verdict& one : found.verdicts) {
      if (!result.measured) result.measured = one.measured;
    }
    if (!incomplete.empty()) {
      conclude_without_recording(result, found, incomplete);
    } else if (is_disturbed) {
      conclude_disturbed(result, found);
    } else {
      conclude(result, found);
    }
    judgements.push_back(std::move(found));
  }
  leave_out_consequences(results, judged.learner);
  lead_on(results, judgements, observed);
  return results;
}

}  // namespace checking
