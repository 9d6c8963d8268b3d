#include "matchers/facts/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "matchers/facts/stages.h"
#include "report/wording/cause_sentences.h"
#include "report/wording/reason_sentences.h"

namespace matchers {

std::string megabytes(std::size_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string percent(double fraction) {
  // The small addend keeps 0.29 * 100 = 28.999... from reading as 28.
  return fmt::format("{} %", static_cast<int>(std::floor(fraction * 100 + 1e-9)));
}

std::string integer_in_words(const trace::recording& recording, const trace::operation& kernel,
                             std::size_t index) {
  const std::int64_t value = kernel.integers->at(index);
  const auto known = std::find_if(recording.kernels.begin(), recording.kernels.end(),
                                  [&](const auto& parameters) { return parameters.kernel == kernel.name; });
  if (known == recording.kernels.end() || known->integers.size() != kernel.integers->size())
    return fmt::format("{}", value);
  return fmt::format("`{}` = {}", known->integers[index], value);
}

std::string integers_in_words(const trace::recording& recording, const trace::operation& kernel) {
  std::string words;
  for (std::size_t i = 0; i < kernel.integers->size(); ++i)
    words += (i == 0 ? "" : ", ") + integer_in_words(recording, kernel, i);
  return words;
}

std::string blocks_in_words(const trace::operation& kernel) {
  const std::uint64_t blocks = blocks_of(kernel);
  return blocks == 1 ? "1 block" : fmt::format("{} blocks", blocks);
}

namespace {

/// A wait for an event that takes more than the work behind it needs.
bool is_wait_for_too_much(const explain::cause_cost& cost) {
  return cost.cause == explain::cause::event_recorded_late ||
         cost.cause == explain::cause::event_recorded_again || cost.cause == explain::cause::needless_wait;
}

/// True when there is such a wait on the way to the operation.
bool waits_for_too_much(const run_facts& run, trace::operation_id operation) {
  const std::vector<explain::cause_cost> causes = run.causes_that_delayed({operation});
  return std::any_of(causes.begin(), causes.end(), is_wait_for_too_much);
}

/// What the operation waited for, followed along its stream to the root; when that waited for an event, from the record
/// of the event on in the same way, unless the event stands for too much: that began early enough. At most one event for
/// each operation of the part.
analysis::link behind_events(const run_facts& run, trace::operation_id operation) {
  analysis::link root = run.reasons().root_of(operation);
  if (waits_for_too_much(run, operation)) return root;
  for (std::size_t i = 0; i < run.part().operations.size(); ++i) {
    const bool is_event = root.why && root.why->constraint.kind == trace::constraint_kind::event &&
                          root.why->constraint.operation != 0;
    if (!is_event) return root;
    root = run.reasons().root_of(root.why->constraint.operation);
  }
  return root;
}

}  // namespace

std::string reason_to_wait(const run_facts& run, const trace::operation& operation) {
  const operation_ids work = members(run.part(), device_work());
  const analysis::link own = run.reasons().link_of(operation.id);
  const bool is_only_the_begin = !work.empty() && work.front() == operation.id && own.host_was_in == 0 &&
                                 own.why && own.why->constraint.kind == trace::constraint_kind::host_issue;
  if (is_only_the_begin) return "";
  const std::string reason = report::root_sentence_of(run.names(), run.reasons(), operation.id);
  const analysis::link end = behind_events(run, operation.id);
  const bool is_host_behind_event =
      end.host_was_in != 0 && run.reasons().root_of(operation.id).operation != end.operation;
  if (!is_host_behind_event) return reason;
  return fmt::format("{} What the event stands for begins with {}. {}", reason, run.names().of(end.operation),
                     report::sentence_of(run.names(), end));
}

trace::location line_that_held_back(const run_facts& run, const trace::operation& operation) {
  const trace::call_id call = behind_events(run, operation.id).host_was_in;
  if (call == 0) return {};
  const trace::location& where = run.recording().call_at(call).where;
  return run.recording().is_own(where) ? where
                                       : trace::location{};  // not the host's work that a contract asks for
}

namespace {

/// Whether it costs enough of the time to be told.
bool is_worth_telling(const explain::cause_cost& cause, trace::nanoseconds took) {
  return cause.cost * 20 >= took;
}

// To divide the work otherwise is the last resort: named first, it would hide what keeps whole pieces apart.
const explain::cause_cost* first_to_cure(const std::vector<explain::cause_cost>& causes,
                                         trace::nanoseconds took) {
  const auto found = std::find_if(causes.begin(), causes.end(), [&](const explain::cause_cost& cause) {
    return cause.cause != explain::cause::small_chunks && cause.cause != explain::cause::one_piece &&
           is_worth_telling(cause, took);
  });
  return found == causes.end() ? nullptr : &*found;
}

cause_words words_of(const run_facts& run, const explain::cause_cost& cause) {
  const std::string sentence = report::sentence_of(run.recording(), cause);
  return {run.explanation().has_inferred_reasons ? "As far as the times tell: " + sentence : sentence,
          cause.where, report::word_of(cause.cause), cause.late};
}

}  // namespace

bool only_reports_errors(const trace::host_call& call) {
  const trace::call_effect effect = trace::effect_of(call);
  return effect == trace::call_effect::asks_for_error || effect == trace::call_effect::takes_error;
}

std::vector<trace::call_id> failed_calls(const run_facts& run) {
  std::vector<trace::call_id> calls = run.part().calls;
  std::erase_if(calls, [&](trace::call_id id) {
    const trace::host_call& call = run.recording().call_at(id);
    return call.error_code == 0 || call.error_code == trace::not_ready || only_reports_errors(call);
  });
  return calls;
}

bool calls_nothing(const run_facts& run) {
  return std::none_of(run.part().calls.begin(), run.part().calls.end(), [&](trace::call_id id) {
    return run.recording().leads_to_line(run.recording().call_at(id).where);
  });
}

std::string failures_in_words(const run_facts& run) {
  const std::vector<trace::call_id> failing = failed_calls(run);
  if (failing.empty()) return "";
  const trace::host_call& first = run.recording().call_at(failing.front());
  return fmt::format("{} failed with {}.{}", report::capitalized(in_words(run.recording(), first)),
                     trace::error_name_of(first),
                     failing.size() == 1 ? "" : fmt::format(" {} calls failed in all.", failing.size()));
}

/// The first kernel of the part with each name.
static std::vector<const trace::operation*> kernels_by_name(const run_facts& run) {
  std::vector<const trace::operation*> found;
  for (const trace::operation_id id : members(run.part(), kernels())) {
    const trace::operation& kernel = run.recording().operation_at(id);
    const bool is_known =
        std::any_of(found.begin(), found.end(), [&](auto one) { return one->name == kernel.name; });
    if (!is_known) found.push_back(&kernel);
  }
  return found;
}

void say_there_is_none(const run_facts& run, const operation_set& set, report::evidence& why) {
  if (const std::vector<trace::call_id> failing = failed_calls(run); !failing.empty()) {
    why.observation = fmt::format("No {} ran. {}", set.words, failures_in_words(run));
    lead_to(why, run.recording(), run.recording().call_at(failing.front()).where);
    return;
  }
  why.observation = none_at_all(set);
  const operation_ids others = members(run.part(), device_work());
  if (others.empty()) {
    why.observation += " Your function queued nothing.";
    return;
  }
  const trace::operation& first = run.recording().operation_at(others.front());
  lead_to(why, run.recording(), first);
  if (const std::vector<const trace::operation*> kernels = kernels_by_name(run); kernels.size() > 1) {
    std::vector<std::string> names, lines;
    for (const trace::operation* const kernel : kernels) {
      const std::string line = place_of(run.recording(), *kernel);
      names.push_back(fmt::format("`{}`{}", kernel->name, line.empty() ? "" : " (" + line + ")"));
      if (!line.empty()) lines.push_back(line);
    }
    why.observation += fmt::format(" The kernels that it launched are {}.", fmt::join(names, ", "));
    why.where = fmt::format("{}", fmt::join(lines, ", "));
    return;
  }
  why.observation +=
      fmt::format(" What it queued instead begins with {}{}.", in_words(run.recording(), first),
                  why.where.empty() ? "" : " (" + why.where + ")");
}

std::string failure_of_call(const run_facts& run, trace::call_effect effect) {
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) != effect || call.error_code == 0) continue;
    return fmt::format("{} failed with {}", in_words(run.recording(), call), trace::error_name_of(call));
  }
  return "";
}

std::string refused_work(const run_facts& run) {
  for (const trace::call_effect effect : {trace::call_effect::copies, trace::call_effect::launches_kernel}) {
    if (std::string failure = failure_of_call(run, effect); !failure.empty()) return failure;
  }
  return "";
}

void tell_of_created_streams(const run_facts& run, const trace::operation& in_default_stream,
                             report::evidence& why) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  if (recording.stream_at(in_default_stream.stream).kind == trace::stream_kind::created) return;
  std::vector<trace::call_id> made;
  std::size_t used = 0;
  for (const trace::stream& stream : recording.streams) {
    if (!std::binary_search(calls.begin(), calls.end(), stream.created_by)) continue;
    made.push_back(stream.created_by);
    const bool is_used = std::any_of(recording.operations.begin(), recording.operations.end(),
                                     [&](const trace::operation& one) { return one.stream == stream.id; });
    used += is_used ? 1 : 0;
  }
  if (made.empty() || (used != 0 && used != made.size())) return;
  const trace::host_call& first = recording.call_at(made.front());
  const std::string by = in_words(recording, first);
  const std::string of_all = used == 0 ? "None of the" : "Each of the";
  why.observation +=
      (made.size() == 1 ? fmt::format(" The stream that your function made, by {}, has {} work", by,
                                      used == 0 ? "no" : "other")
                        : fmt::format(" {} {} streams that your function made, the first by {}, has {}work",
                                      of_all, made.size(), by, used == 0 ? "" : "other ")) +
      ": what names no stream, or the handle 0, is in the default stream.";
  if (const std::string place = recording.describe(first.where); !place.empty() && place != why.where)
    why.where += (why.where.empty() ? "" : ", ") + place;
}

cause_words costliest_cause(const run_facts& run) {
  const explain::explanation& why = run.explanation();
  const explain::cause_cost* const first = first_to_cure(why.causes, why.took);
  if (first != nullptr) return words_of(run, *first);
  const bool has_costly = !why.causes.empty() && is_worth_telling(why.causes.front(), why.took);
  return has_costly ? words_of(run, why.causes.front()) : cause_words{};
}

cause_words costliest_cause(const run_facts& run, const operation_ids& operations) {
  const std::vector<explain::cause_cost> causes = run.causes_that_delayed(operations);
  const explain::cause_cost* const first = first_to_cure(causes, run.explanation().took);
  if (first == nullptr) return costliest_cause(run);
  cause_words words = words_of(run, *first);
  if (is_wait_for_too_much(*first) && first->is_needless)
    words.cure_of_wait = report::cure_of(run.recording(), *first);
  return words;
}

std::string in_brackets(const std::string& line) { return line.empty() ? "" : " (" + line + ")"; }

std::string times_in_words(std::size_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

}  // namespace matchers
