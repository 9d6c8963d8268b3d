#include "matchers/event_use.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "matchers/facts/learner_code.h"
#include "matchers/facts/overwritten_handles.h"
#include "matchers/facts/words.h"
#include "report/wording/names.h"
#include "report/wording/operation_names.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

// The timed records of the part that are next to a kernel: the last one issued before it, the first after.
struct bracket {
  const trace::operation* before = nullptr;
  const trace::operation* after = nullptr;
};

bracket timed_records_around(const run_facts& run, const trace::operation& kernel) {
  bracket found;
  for (trace::operation_id id : run.part().operations) {
    const trace::operation& record = run.recording().operation_at(id);
    const bool is_timed = record.kind == trace::operation_kind::event_record && record.event != 0 &&
                          run.recording().event_at(record.event).has_timing;
    if (!is_timed) continue;
    if (id < kernel.id) found.before = &record;
    if (id > kernel.id && found.after == nullptr) found.after = &record;
  }
  return found;
}

/// The first question for a time that was not there yet; nullptr when there is none.
const trace::host_call* call_that_was_too_early(const run_facts& run) {
  for (trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) == trace::call_effect::measures_time && call.error_code == trace::not_ready)
      return &call;
  }
  return nullptr;
}

/// The last query of that record before the call that returned cudaErrorNotReady; nullptr when there is none.
const trace::host_call* last_query_not_ready(const run_facts& run, const trace::operation& record,
                                             const trace::host_call& later) {
  const trace::host_call* last = nullptr;
  for (trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (id < later.id && call.captured == record.id && call.error_code == trace::not_ready) last = &call;
  }
  return last;
}

/// Says of the last wait for an event between the record and the call that it was for another record, as far as it was, and adds its
/// line to the front.
void tell_of_other_wait(const run_facts& run, const trace::operation& record, const trace::host_call& later,
                        std::string& observation, std::vector<trace::location>& places) {
  const trace::recording& recording = run.recording();
  const trace::host_call* last = nullptr;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = recording.call_at(id);
    const bool is_wait = trace::effect_of(call) == trace::call_effect::synchronizes &&
                         trace::traits_of(call.function).waits_for == trace::wait_target::event;
    if (is_wait && call.error_code == 0 && id > record.issued_by && id < later.id) last = &call;
  }
  if (last == nullptr || last->captured == 0 || last->captured == record.id) return;
  const auto at = [&](const trace::operation& one) {
    const std::string place = place_of(recording, one);
    return place.empty() ? in_words(recording, one) : place;
  };
  observation +=
      fmt::format(" {} does not help: it waits for the event recorded at {}, not for the one recorded at {}.",
                  report::capitalized(in_words(recording, *last)), at(recording.operation_at(last->captured)),
                  at(record));
  places.insert(places.begin(), last->where);
}

/// Says that what was launched before the record is another kernel, and adds its line; nothing when there is none.
void tell_of_other_launch(const run_facts& run, const trace::operation& first, const trace::operation& record,
                          report::evidence& why) {
  const trace::recording& recording = run.recording();
  const operation_ids launched = members(run.part(), kernels());
  const auto other = std::find_if(launched.begin(), launched.end(), [&](trace::operation_id id) {
    return id < record.id && recording.operation_at(id).name != first.name;
  });
  if (other == launched.end()) return;
  const trace::operation& launch = recording.operation_at(*other);
  const std::string line = place_of(recording, launch);
  why.observation +=
      fmt::format(" What was launched before it, {}{}, is another kernel: that loads no code of {}.",
                  in_words(recording, launch), in_brackets(line), first.name);
  report::lead_first_to(why, line);
}

/// Adds what is wrong with the way of measuring; nothing when it is right.
std::optional<mistake> find_flaw_of_method(const run_facts& run, const trace::operation& first,
                                           const trace::operation& measured, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const auto [before, after] = timed_records_around(run, measured);
  if (before == nullptr || after == nullptr) {
    why.observation = fmt::format("No event with timing was recorded {} {}.",
                                  before == nullptr ? "before" : "after", in_words(recording, measured));
    lead_to(why, recording, measured);
    const trace::operation* const other = before == nullptr ? after : before;
    if (other != nullptr && !place_of(recording, *other).empty()) {
      why.observation += fmt::format(" The {} with timing is {}.", before == nullptr ? "first" : "last",
                                     in_words(recording, *other));
      why.where += ", " + place_of(recording, *other);
    }
    return mistake::no_timed_event;
  }
  if (before->stream != measured.stream || after->stream != measured.stream) {
    const trace::operation& stray = before->stream != measured.stream ? *before : *after;
    why.observation = fmt::format(
        "The event {} {} was recorded in another stream, by {}: it tells when that stream came there.",
        &stray == before ? "before" : "after", in_words(recording, measured), in_words(recording, stray));
    lead_to(why, recording, stray);
    return mistake::event_elsewhere;
  }
  if (before->id < first.id) {
    why.observation = fmt::format(
        "The first launch of {} is inside the measured time: {} starts it. The first launch of a kernel loads "
        "its code, on an H200 for about 0.15 ms.",
        first.name, in_words(recording, *before));
    lead_to(why, recording, *before);
    tell_of_other_launch(run, first, *before, why);
    return mistake::first_launch_measured;
  }
  for (const trace::operation_id id : members(run.part(), device_work())) {
    const trace::operation& other = recording.operation_at(id);
    if (id == measured.id || other.start >= measured.end || other.end <= measured.start) continue;
    why.observation =
        fmt::format("{} ran while the events measured {}: the time is that of a device that has more to do.",
                    report::capitalized(in_words(recording, other)), in_words(recording, measured));
    lead_to(why, recording, other);
    return mistake::wrong_time;
  }
  const std::vector<trace::call_id>& calls = run.part().calls;
  const bool is_asked = std::any_of(calls.begin(), calls.end(), [&](trace::call_id id) {
    const trace::host_call& call = recording.call_at(id);
    return trace::effect_of(call) == trace::call_effect::measures_time && call.error_code == 0;
  });
  if (!is_asked) {
    if (const trace::host_call* const too_early = call_that_was_too_early(run)) {
      why.observation =
          "cudaEventElapsedTime returned cudaErrorNotReady: the second event had not happened yet, so there was "
          "no time to return.";
      std::vector<trace::location> places{too_early->where};
      if (const trace::host_call* const query = last_query_not_ready(run, *after, *too_early)) {
        why.observation += fmt::format(" {} had been told the same, and went on without waiting.",
                                       report::capitalized(in_words(recording, *query)));
        places.insert(places.begin(), query->where);
      } else {
        tell_of_other_wait(run, *after, *too_early, why.observation, places);
      }
      lead_to(why, recording, places);
      return mistake::event_not_reached;
    }
    why.observation =
        fmt::format("Nobody asked for the time between {} and {}: cudaEventElapsedTime was not called.",
                    in_words(recording, *before), in_words(recording, *after));
    lead_to(why, recording, *after);
    return mistake::no_timed_event;
  }
  return std::nullopt;
}

/// Whether the time is that between two events with timing, a share of it for each kernel between them, to half a percent: events
/// around one kernel alone and around several differ by what lies between the kernels.
bool is_time_of_events(const run_facts& run, const operation_ids& kernels, double milliseconds) {
  const trace::recording& recording = run.recording();
  operation_ids records = run.part().operations;
  std::erase_if(records, [&](trace::operation_id id) {
    const trace::operation& record = recording.operation_at(id);
    return record.kind != trace::operation_kind::event_record || record.event == 0 ||
           !recording.event_at(record.event).has_timing;
  });
  for (const trace::operation_id first : records) {
    for (const trace::operation_id second : records) {
      const auto measured = std::count_if(kernels.begin(), kernels.end(),
                                          [&](trace::operation_id id) { return id > first && id < second; });
      if (measured == 0) continue;
      const trace::nanoseconds between =
          recording.operation_at(second).end - recording.operation_at(first).end;
      const double each =
          std::chrono::duration<double, std::milli>(between).count() / static_cast<double>(measured);
      if (std::abs(milliseconds - each) <= 0.005 * each) return true;
    }
  }
  return false;
}

/// Where the last question stands for the time between two events that was answered.
trace::location question_for_time(const run_facts& run) {
  trace::location question;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) == trace::call_effect::measures_time && call.error_code == 0)
      question = call.where;
  }
  return question;
}

/// The kernels, copies and memsets from one record to another, of any stream.
operation_ids work_between(const run_facts& run, const trace::operation& before,
                           const trace::operation& after) {
  operation_ids found = members(run.part(), device_work());
  std::erase_if(found, [&](trace::operation_id id) { return id < before.id || id > after.id; });
  return found;
}

/// Says that this is measured too, and adds its line.
void tell_of_other_between(const run_facts& run, const trace::operation& other, report::evidence& why) {
  why.observation += fmt::format("{}Between the two events there is also {}.",
                                 why.observation.empty() ? "" : " ", in_words(run.recording(), other));
  lead_to(why, run.recording(), other);
}

/// Adds how the number came about, as far as that is likely, and where: what else was measured, or the question for the time.
void tell_of_wrong_time(const run_facts& run, const operation_ids& kernels, double milliseconds,
                        report::evidence& why) {
  const trace::recording& recording = run.recording();
  const auto [before, after] = timed_records_around(run, recording.operation_at(kernels.back()));
  const trace::location question = question_for_time(run);
  why.where = recording.describe(question);
  if (milliseconds < 0 && is_time_of_events(run, kernels, -milliseconds)) {
    why.observation += " cudaEventElapsedTime was given the two events the wrong way round.";
  } else if (is_time_of_events(run, kernels, milliseconds * 1000)) {
    why.observation += " That is in seconds: cudaEventElapsedTime gives milliseconds.";
    const std::string returned = recording.is_own(question)
                                     ? line_of_return_behind(run.source(), static_cast<int>(question.line))
                                     : "";
    if (!returned.empty() && returned != why.where) {
      why.observation += fmt::format(" What it returns is computed between {} and {}.", why.where, returned);
      report::lead_first_to(why, returned);
    }
  } else {
    const operation_ids measured = work_between(run, *before, *after);
    if (measured.size() > 1) tell_of_other_between(run, recording.operation_at(measured.front()), why);
  }
  if (why.where.empty()) lead_to(why, recording, recording.operation_at(kernels.back()));
}

verdict judge_measuring(const run_facts& run, const operation_set& set, double milliseconds,
                        double tolerance) {
  const trace::recording& recording = run.recording();
  report::evidence why;
  why.required = fmt::format(
      "Two events around the kernel, in its stream, say how long it takes (within {}), the first launch left "
      "out.",
      percent(tolerance));
  why.read_next = "The section \"Measuring\" in the lesson's text.";
  const operation_ids kernels = members(run.part(), set);
  if (kernels.empty()) {
    say_there_is_none(run, set, why);
    return failed(run_verdict::requirement_missed, mistake::no_kernels, why);
  }
  const trace::operation& kernel = recording.operation_at(kernels.back());
  const auto flaw = find_flaw_of_method(run, recording.operation_at(kernels.front()), kernel, why);
  if (flaw) {
    if (why.where.empty()) lead_to(why, recording, kernel);
    return failed(run_verdict::requirement_missed, *flaw, why);
  }
  const double actual = std::chrono::duration<double, std::milli>(kernel.end - kernel.start).count();
  const double off = std::abs(milliseconds - actual) / actual;
  const report::measurement measured{fmt::format("{:.0f} % off", std::ceil(off * 100 - 1e-9)),
                                     fmt::format("at most {} off", percent(tolerance))};
  // A real GPU's recording does not say when events happened.
  const bool knows_events = recording.host_accesses.has_value();
  if (off <= tolerance && knows_events && !is_time_of_events(run, kernels, milliseconds)) {
    why.observation = fmt::format(
        "Your function returned {:.4f} ms, and no two events around {} are that far apart: the time was computed, not measured.",
        milliseconds, in_words(recording, kernel));
    lead_to(why, recording, kernel);
    return failed(run_verdict::requirement_missed, mistake::time_computed, why);
  }
  if (off <= tolerance) {
    const auto [before, after] = timed_records_around(run, kernel);
    for (const trace::operation_id id : work_between(run, *before, *after)) {
      const trace::operation& other = recording.operation_at(id);
      if (set.holds(other) || other.stream != kernel.stream) continue;
      tell_of_other_between(run, other, why);
      return failed(run_verdict::requirement_missed, mistake::wrong_time, why, measured);
    }
    return passed(fmt::format("{:.3f} ms, the kernel took {:.3f} ms", milliseconds, actual), measured);
  }
  why.observation = fmt::format("Your function returned {:.3f} ms, but the kernel {} took {:.3f} ms.",
                                milliseconds, report::name_of(recording, kernel), actual);
  tell_of_wrong_time(run, kernels, milliseconds, why);
  return failed(run_verdict::requirement_missed, mistake::wrong_time, why, measured);
}

/// The time between the events right around each kernel, in milliseconds, up to the first that has none of its own.
std::vector<double> times_of_single_launches(const run_facts& run, const operation_ids& kernels) {
  std::vector<double> found;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto [before, after] = timed_records_around(run, run.recording().operation_at(kernels[i]));
    const bool is_alone = before != nullptr && after != nullptr && (i == 0 || before->id > kernels[i - 1]) &&
                          (i + 1 == kernels.size() || after->id < kernels[i + 1]);
    if (!is_alone) break;
    found.push_back(std::chrono::duration<double, std::milli>(after->end - before->end).count());
  }
  return found;
}

verdict judge_first_launch(const run_facts& run, const operation_set& set, const std::string& name) {
  const trace::recording& recording = run.recording();
  if (!recording.host_accesses) return passed("when events happened is not recorded");
  const operation_ids kernels = members(run.part(), set);
  const std::vector<double> times = times_of_single_launches(run, kernels);
  const double milliseconds = run.answer().number(name);
  std::vector<double> sums{0};
  for (const double time : times) sums.push_back(sums.back() + time);
  const auto is_mean = [&](std::size_t begin, std::size_t end) {
    const double mean = (sums[end] - sums[begin]) / static_cast<double>(end - begin);
    return std::abs(milliseconds - mean) <= 2e-6 * mean;  // some times were added up as float
  };
  bool holds_first = false;
  for (std::size_t begin = 0; begin < times.size(); ++begin) {
    for (std::size_t end = begin + 1; end <= times.size(); ++end) {
      if (!is_mean(begin, end)) continue;
      if (begin > 0) return passed();
      holds_first = true;
    }
  }
  if (!holds_first) return passed();
  const trace::operation& first = recording.operation_at(kernels.front());
  const trace::operation& before = *timed_records_around(run, first).before;
  report::evidence why;
  why.required =
      "The first launch is left out: it loads the code of the kernel, on an H200 for about 0.15 ms.";
  why.observation = fmt::format("The first launch of {} is in the time that came back: {} starts it.",
                                first.name, in_words(recording, before));
  lead_to(why, recording, before);
  tell_of_other_launch(run, first, before, why);
  why.read_next = "The section \"Measuring\" in the lesson's text.";
  return failed(run_verdict::requirement_missed, mistake::first_launch_measured, why);
}

bool waits_for_nothing(const trace::recording& recording, const trace::host_call& call) {
  if (call.error_code != 0) return false;
  const bool is_event_wait = trace::effect_of(call) == trace::call_effect::synchronizes &&
                             trace::traits_of(call.function).waits_for == trace::wait_target::event;
  if (is_event_wait) return call.captured == 0;
  if (call.operation == 0) return false;
  const trace::operation& issued = recording.operation_at(call.operation);
  return issued.kind == trace::operation_kind::event_wait && issued.captured == 0;
}

verdict judge_waits(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  const auto found = std::find_if(calls.begin(), calls.end(), [&](trace::call_id id) {
    return waits_for_nothing(recording, recording.call_at(id));
  });
  if (found == calls.end()) return passed();
  const trace::host_call& call = recording.call_at(*found);
  report::evidence why;
  why.required = "An event is recorded before anything waits for it.";
  why.observation = fmt::format(
      "{} waits for an event that no call had recorded yet. That is no error: it returns cudaSuccess and waits "
      "for nothing.",
      in_words(recording, call));
  std::vector<trace::location> places{call.where};
  if (const auto overwritten = overwriting_behind(recording, call)) {
    why.observation += in_words(recording, *overwritten);
    places.insert(places.begin(), overwritten->by->where);
  }
  lead_to(why, recording, places);
  why.read_next = "The section \"The surprise\" in the lesson's text.";
  return failed(run_verdict::race_detected, analysis::word_of(analysis::race_mistake::never_recorded), why);
}

}  // namespace

MeasuresWithEvents::MeasuresWithEvents(operation_set operations, double milliseconds)
    : operations_(std::move(operations)), milliseconds_(milliseconds) {}

matcher MeasuresWithEvents::within(double tolerance) const {
  return {fmt::format("events measured the {} within {}", operations_.words, percent(tolerance)),
          [set = operations_, milliseconds = milliseconds_, tolerance](const run_facts& run) {
            return judge_measuring(run, set, milliseconds, tolerance);
          }};
}

matcher LeavesOutTheFirstLaunch(operation_set operations, std::string milliseconds) {
  return {"the first launch is in none of the times that came back",
          [set = std::move(operations), name = std::move(milliseconds)](const run_facts& run) {
            return judge_first_launch(run, set, name);
          },
          reach::every_run};
}

matcher WaitsForRecordedEvents() {
  return {"every event is recorded before anything waits for it", judge_waits, reach::every_call};
}

}  // namespace matchers
