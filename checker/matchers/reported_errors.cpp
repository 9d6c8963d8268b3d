#include "matchers/reported_errors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "matchers/errors.h"
#include "matchers/facts/code_text.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/threads/left_threads.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"

namespace matchers {
namespace {

using report::capitalized;
using report::mistake;
using report::run_verdict;

std::string place_of_first_launch(const analysis::part& part) {
  for (trace::operation_id id : part.operations) {
    const trace::operation& operation = part.recording->operation_at(id);
    if (operation.kind == trace::operation_kind::kernel) return place_of(*part.recording, operation);
  }
  return "";
}

/// The first launch of the learner's file in the whole run; "" without any.
std::string place_of_any_launch(const trace::recording& recording) {
  const auto launch =
      std::find_if(recording.calls.begin(), recording.calls.end(), [&](const trace::host_call& call) {
        return trace::effect_of(call) == trace::call_effect::launches_kernel && recording.is_own(call.where);
      });
  return launch == recording.calls.end() ? "" : recording.describe(launch->where);
}

const trace::host_call* first_failed_call(const analysis::part& part) {
  for (trace::call_id id : part.calls) {
    const trace::host_call& call = part.recording->call_at(id);
    if (has_failed(call)) return &call;
  }
  return nullptr;
}

/// The last call that asks for an error, of the thread of the failed one if that asks; nullptr when none does.
const trace::host_call* question_for_error(const analysis::part& part, const trace::host_call* failed) {
  const trace::host_call* found = nullptr;
  for (const trace::call_id id : part.calls) {
    const trace::host_call& call = part.recording->call_at(id);
    if (!only_reports_errors(call)) continue;
    const bool is_nearer = found == nullptr || failed == nullptr || call.thread == failed->thread ||
                           found->thread != failed->thread;
    if (is_nearer) found = &call;
  }
  return found;
}

/// The first call that told the error of that call; nullptr when none did.
const trace::host_call* answer_about(const analysis::part& part, const trace::host_call& failed) {
  for (const trace::call_id id : part.calls) {
    const trace::host_call& call = part.recording->call_at(id);
    if (id > failed.id && call.thread == failed.thread && only_reports_errors(call)) return &call;
  }
  return nullptr;
}

/// The next call of the same thread that asked for an error behind one that took it away; nullptr when there is none.
const trace::host_call* question_after(const analysis::part& part, const trace::host_call& answer) {
  if (trace::effect_of(answer) != trace::call_effect::takes_error) return nullptr;
  return answer_about(part, answer);
}

/// The first call that failed before the part; nullptr when none had.
const trace::host_call* failed_before(const analysis::part& part) {
  const auto& calls = part.recording->calls;
  const trace::call_id first = part.calls.empty() ? 0 : part.calls.front();
  const auto failure = std::find_if(calls.begin(), calls.end(), [&](const trace::host_call& call) {
    return call.id < first && has_failed(call) && !only_reports_errors(call);
  });
  return failure == calls.end() ? nullptr : &*failure;
}

/// The first launch that failed in a thread after what takes an error away there; nullptr when no error is left. Only
/// cudaGetLastError takes it away, that of its own thread; cudaPeekAtLastError leaves it.
const trace::host_call* launch_that_left_an_error(const analysis::part& part) {
  std::map<trace::thread_id, const trace::host_call*> left;
  for (trace::call_id id : part.calls) {
    const trace::host_call& call = part.recording->call_at(id);
    if (trace::effect_of(call) == trace::call_effect::takes_error) left.erase(call.thread);
    if (has_failed(call) && trace::effect_of(call) == trace::call_effect::launches_kernel)
      left.emplace(call.thread, &call);
  }
  return left.empty() ? nullptr : left.begin()->second;
}

/// What the learner's function returned; the name is CUDA's, "" when it has none for that code.
struct returned_error {
  std::int64_t code = 0;
  std::string name;
};

returned_error error_in(const exercise::message& answer, const std::string& name) {
  const std::string of_name = name + ".name";
  return {answer.integer(name), answer.has(of_name) ? answer.text(of_name) : ""};
}

/// "cudaErrorInvalidValue (1)"; "the error 1" where CUDA has no name for it.
std::string error_in_words(const returned_error& error) {
  return error.name.empty() ? fmt::format("the error {}", error.code)
                            : fmt::format("{} ({})", error.name, error.code);
}

verdict judge_report(const run_facts& run, const returned_error& error, failing_call failing) {
  const std::int64_t returned = error.code;
  const trace::recording& recording = run.recording();
  const analysis::part& part = run.part();
  const trace::host_call* const call = first_failed_call(part);
  report::evidence why;
  mistake found = mistake::error_not_returned;
  const trace::host_call* const question = question_for_error(part, call);
  why.read_next =
      "The page of cudaGetLastError in the CUDA Runtime API manual: a launch returns nothing by itself.";
  if (call != nullptr) lead_to(why, recording, call->where);
  // The returned value itself has no line: the question for it is the nearest to it.
  const auto look_at = [&](const trace::host_call* nearest) {
    if (nearest == nullptr || recording.describe(nearest->where).empty()) return;
    const std::string place = recording.describe(nearest->where);
    report::lead_first_to(why, place);
  };
  if (call != nullptr && returned == 0) {
    why.observation = fmt::format("It returned cudaSuccess, although {} failed with {}.",
                                  in_words(recording, *call), trace::error_name_of(*call));
    if (const trace::host_call* const answer = answer_about(part, *call)) {
      why.observation +=
          fmt::format(" Your function was told by {}, and did not hand it on.", in_words(recording, *answer));
      why.read_next = "What the contract says about what your function returns.";
      if (const trace::host_call* const again = question_after(part, *answer)) {
        why.observation += fmt::format(
            " That call took the error away: {}, which asked after it, {}.", in_words(recording, *again),
            again->error_code == 0 ? "was told cudaSuccess" : "was told another error");
        if (!again->where.is_same_line(answer->where)) look_at(again);
        why.read_next =
            "The page of cudaGetLastError in the CUDA Runtime API manual: it returns the error and resets it to cudaSuccess.";
      }
      look_at(answer);
      const std::vector<report::source_line> returns = lines_of_values(run.source(), value_of::result, why);
      if (returns.size() == 1) {
        const std::string place = fmt::format("{}:{}", run.source().file_name, returns.front().line);
        why.observation +=
            fmt::format(" The only return behind it is at {}: `{}`.", place, returns.front().text);
        why.where += ", " + place;
      }
    } else if (const trace::host_call* const skipped =
                   call_of_other_calls(run, trace::call_effect::takes_error)) {
      why.observation += fmt::format(" Your function did not call {}, which it reaches in other calls.",
                                     in_words(recording, *skipped));
      look_at(skipped);
      name_condition_before(run.source(), why);
    } else if (question != nullptr) {
      const std::string asking = in_words(recording, *question);
      why.observation +=
          question->thread == call->thread
              ? fmt::format(" Errors were asked for before that, the last time by {}.", asking)
              : fmt::format(
                    " Errors were asked for by {}, in another thread: each has a last error of its own.",
                    asking);
      const std::string place = recording.describe(question->where);
      if (!place.empty() && place != why.where) why.where += ", " + place;
    } else if (trace::effect_of(*call) == trace::call_effect::launches_kernel) {
      why.observation +=
          " A launch by <<<>>> returns nothing, and no call of your function asks for the last error (cudaGetLastError).";
    }
  } else if (call != nullptr && returned != call->error_code) {
    why.observation =
        fmt::format("It returned {}, but the first error was {} ({}), of {}.", error_in_words(error),
                    trace::error_name_of(*call), call->error_code, in_words(recording, *call));
    const bool has_call_with_it = std::any_of(part.calls.begin(), part.calls.end(), [&](trace::call_id id) {
      return recording.call_at(id).error_code == returned;
    });
    const std::string line = has_call_with_it ? "" : only_line_of(run.source(), error.name);
    if (line.empty()) {
      look_at(question);
    } else if (line != why.where) {
      why.observation += fmt::format(" No call gave {}: your file names it at {}.", error.name, line);
      report::lead_first_to(why, line);
    }
  } else if (call == nullptr && failing == failing_call::required) {
    found = mistake::launch_not_tried;
    why.where = place_of_first_launch(part);
    if (why.where.empty()) why.where = place_of_any_launch(recording);
    why.observation =
        calls_nothing(run)
            ? "The caller asked for a launch that cannot work, and your function returned before any call of CUDA: the launch has "
              "to be tried, because what makes it fail differs from device to device, and CUDA has to be asked for its error."
            : "The caller asked for a launch that cannot work, and no launch failed: the launch was not made with the "
              "sizes that were asked for.";
    if (const std::string line = only_line_of(run.source(), error.name); !line.empty()) why.where = line;
    if (returned != 0)
      why.observation += fmt::format(" It returned {}, which no call gave.", error_in_words(error));
    if (const trace::thread_id left = thread_left_by(run))
      tell_of_left_thread(recording, run.source(), left, why);
  } else if (call == nullptr && returned != 0) {
    found = mistake::error_invented;
    why.observation = fmt::format("It returned {}, although no call failed.", error_in_words(error));
    const trace::host_call* const earlier = failed_before(part);
    if (earlier != nullptr && earlier->error_code == returned) {
      why.observation += fmt::format(
          " Before that, {} had failed with it: the error was kept, in a variable that outlives the call or in CUDA, where "
          "nobody had taken it away.",
          in_words(recording, *earlier));
    }
    look_at(question);
  } else if (call != nullptr && question == nullptr) {
    found = mistake::error_not_asked_for;
    why.observation = fmt::format(
        "It returned the right error, {}, without asking CUDA for it: what makes a launch fail differs from device to "
        "device.",
        trace::error_name_of(*call));
  } else if (const trace::host_call* const left = launch_that_left_an_error(part); left != nullptr) {
    found = mistake::error_left_behind;
    why.observation =
        left == call
            ? fmt::format(
                  "It returned {} and left it where it was: whoever asks next gets it again, although nothing of "
                  "theirs failed. {}",
                  trace::error_name_of(*call),
                  trace::effect_of(*question) == trace::call_effect::takes_error
                      ? "A launch failed after the last question, and nobody asked again."
                      : "cudaPeekAtLastError does not take the error away.")
            : fmt::format(
                  "It returned {}, which is right, and left a later error: {} failed with {}, and nobody took that "
                  "error away after it. Whoever asks next gets it, although nothing of theirs failed.",
                  trace::error_name_of(*call), in_words(recording, *left), trace::error_name_of(*left));
    look_at(question);
  } else {
    return passed();
  }
  why.required =
      "Your function returns the first error of its calls, as CUDA tells it and leaving none behind, and cudaSuccess "
      "when none failed.";
  return failed(run_verdict::requirement_missed, found, why);
}

}  // namespace

matcher ReportsErrors(std::string part_name, std::string answer, failing_call failing) {
  return {"the error returned in the part '" + part_name + "' is that of the call that failed",
          [=](const run_facts& facts) {
            return judge_report(facts.of_part(part_name), error_in(facts.answer(), answer), failing);
          },
          reach::every_run};
}

}  // namespace matchers
