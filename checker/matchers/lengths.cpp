#include "matchers/lengths.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "analysis/places.h"
#include "matchers/facts/intervals.h"
#include "matchers/facts/later_record.h"
#include "matchers/facts/memory/taken_room.h"
#include "matchers/facts/same_stream.h"
#include "matchers/facts/stages.h"
#include "matchers/facts/words.h"
#include "report/wording/cause_sentences.h"
#include "report/wording/names.h"
#include "trace/words.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

constexpr std::string_view launch_decides_length =
    "What each launch passes: its blocks, and its last argument, which says how long the kernel works.";

double ratio_of(trace::nanoseconds length, trace::nanoseconds unit) {
  return static_cast<double>(length.count()) / static_cast<double>(unit.count());
}

verdict compared_with_calibration(verdict found) {
  found.compares_with_calibration = true;
  return found;
}

trace::operation_id longest_of(const trace::recording& recording, const operation_ids& operations) {
  return *std::max_element(operations.begin(), operations.end(), [&](auto left, auto right) {
    const trace::operation &one = recording.operation_at(left), &other = recording.operation_at(right);
    return one.end - one.start < other.end - other.start;
  });
}

trace::operation_id smallest_grid(const trace::recording& recording, const operation_ids& operations) {
  return *std::min_element(operations.begin(), operations.end(), [&](auto left, auto right) {
    return blocks_of(recording.operation_at(left)) < blocks_of(recording.operation_at(right));
  });
}

/// Those of the device that ended last: a pause of one device is hidden by the work of another.
operation_ids of_last_device(const trace::recording& recording, const operation_ids& operations) {
  const auto last = std::max_element(operations.begin(), operations.end(), [&](auto left, auto right) {
    return recording.operation_at(left).end < recording.operation_at(right).end;
  });
  const std::uint32_t device = recording.operation_at(*last).device;
  operation_ids found;
  std::copy_if(operations.begin(), operations.end(), std::back_inserter(found),
               [&](auto id) { return recording.operation_at(id).device == device; });
  return found;
}

/// True when the blocks fill the multiprocessors of any GPU with so many of them, whatever the kernel needs.
bool fills_the_gpu(const trace::recording& recording, const trace::operation& kernel) {
  if (kernel.device >= recording.devices.size()) return false;
  // The most of any multiprocessor: CUDA C++ Programming Guide, "Compute Capabilities".
  constexpr std::uint64_t max_blocks = 32, max_threads = 2048;
  const std::uint64_t multiprocessors = recording.devices[kernel.device].multiprocessors;
  const std::uint64_t threads = std::uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  const std::uint64_t blocks = blocks_of(kernel);
  return multiprocessors > 0 &&
         (blocks >= max_blocks * multiprocessors || blocks * threads >= max_threads * multiprocessors);
}

/// Adds where the time went: into a pause, into the kernels themselves, into what keeps them apart, or into launches that
/// leave room empty. The word of the mistake.
std::string_view tell_what_took_long(const run_facts& run, const operation_ids& operations,
                                     const std::string& words, trace::nanoseconds too_long,
                                     const std::string& chooser, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const std::vector<interval> busy = united(running_times(recording, operations));
  const trace::nanoseconds span = busy.back().second - busy.front().first;
  const std::optional<interval> pause = longest_pause(busy);
  if (!pause || 2 * (span - length(busy)) < too_long) {
    why.observation +=
        fmt::format(" No pause explains that: {} were running for {}.", words, duration_words(length(busy)));
    const trace::operation& smallest = recording.operation_at(smallest_grid(recording, operations));
    lead_to(why, recording, smallest);
    const double at_once = ratio_of(length(running_times(recording, operations)), length(busy));
    if (fills_the_gpu(recording, smallest)) {
      const trace::operation& longest = recording.operation_at(longest_of(recording, operations));
      lead_to(why, recording, longest);
      why.observation +=
          fmt::format(" There were {} of them. The longest, {}, took {}.", operations.size(),
                      in_words(recording, longest), duration_words(longest.end - longest.start));
      why.read_next = launch_decides_length;
      return report::word_of(mistake::long_kernels);
    }
    // One at a time, in several streams: what keeps them apart tells more than their size.
    const cause_words costliest = at_once < 1.05 ? costliest_cause(run, operations) : cause_words{};
    if (costliest.where.is_known()) {
      why.observation += " They ran one at a time. What keeps them apart: " + costliest.sentence;
      lead_to(why, recording, costliest.where);
      return costliest.mistake;
    }
    if (blocks_of(smallest) != 0) {
      why.observation += fmt::format(
          " A launch of fewer blocks than the GPU has room for leaves room empty, unless others run beside it: "
          "{} has {}, and on average {:.1f} ran at a time.",
          in_words(recording, smallest), blocks_in_words(smallest), at_once);
      why.read_next =
          "How many blocks the GPU has room for at once, how many each launch has, and how many run side by side.";
      if (!chooser.empty()) tell_of_few_streams(run, operations, at_once, chooser, why);
    }
    return report::word_of(mistake::room_left_empty);
  }
  const trace::operation& next =
      recording.operation_at(first_starting_at(recording, operations, pause->second));
  why.observation += fmt::format(" The longest pause, {}, is before {}, which starts at {}.",
                                 duration_words(pause->second - pause->first), in_words(recording, next),
                                 duration_words(next.start - run.part().begin));
  if (const std::string reason = reason_to_wait(run, next); !reason.empty()) why.observation += ' ' + reason;
  if (tell_of_later_record(run, next, why)) return report::word_of(explain::cause::event_recorded_again);
  const trace::location held_back_at = line_that_held_back(run, next);
  lead_to(why, recording,
          held_back_at.is_known() ? held_back_at : analysis::place_of_operation(recording, next.id));
  return report::word_of(held_back_at.is_known() ? mistake::host_waits_early : mistake::pause);
}

verdict judge_span(const run_facts& run, const operation_set& set, const std::string& chooser, double allowed,
                   trace::nanoseconds alone, const std::string& compared) {
  report::evidence why;
  why.required = fmt::format("The {} take at most {:.2f} times as long as {}, which is {}.", set.words,
                             allowed, compared, duration_words(alone));
  why.read_next = "The picture of your run: the lane of the kernels must not have holes.";
  const operation_ids operations = members(run.part(), set);
  if (operations.empty()) {
    say_there_is_none(run, set, why);
    return failed(run_verdict::too_slow, mistake::no_kernels, why);
  }
  const std::vector<interval> busy = united(running_times(run.recording(), operations));
  const trace::nanoseconds span = busy.back().second - busy.front().first;
  const double ratio = ratio_of(span, alone);
  if (ratio <= allowed) {
    return compared_with_calibration(
        passed(fmt::format("{:.2f} times as long as {}, allowed {:.2f}", ratio, compared, allowed),
               at_most(ratio, allowed)));
  }
  why.observation =
      fmt::format("From the start of the first to the end of the last it took {}, {:.2f} times as long.",
                  duration_words(span), ratio);
  const std::string_view found = tell_what_took_long(run, of_last_device(run.recording(), operations),
                                                     set.words, span - alone, chooser, why);
  return compared_with_calibration(failed(run_verdict::too_slow, found, why, at_most(ratio, allowed)));
}

// Of what calibration measured, which a piece of the work may be missing from: that is told by the data.
constexpr double full_share = 0.8;

/// The first item for which a numbered function of the contract was never called: "your function never called load() for 2". "" where
/// all were.
std::string call_left_out(const run_facts& run) {
  constexpr std::string_view prefix = "call:";
  for (const trace::mark& mark : run.recording().marks) {
    if (!mark.name.starts_with(prefix)) continue;
    const std::string function =
        mark.name.substr(prefix.size(), mark.name.find(':', prefix.size()) - prefix.size());
    if (!run.answer().has("calls." + function)) continue;
    // The last counts the calls for what does not exist.
    const auto& counts = run.answer().values<std::int64_t>("calls." + function);
    const auto missing = std::find(counts.begin(), std::prev(counts.end()), 0);
    if (missing != std::prev(counts.end()))
      return fmt::format("your function never called {}() for {}", function, missing - counts.begin());
  }
  return "";
}

enum class full_work { in_every_launch, together };

verdict judge_full_work(const run_facts& run, const operation_set& set, full_work counted,
                        trace::nanoseconds alone) {
  const trace::recording& recording = run.recording();
  report::evidence why;
  why.required =
      fmt::format("The {} work for as long as they are asked to: {} {}.", set.words, duration_words(alone),
                  counted == full_work::together ? "in all" : "in each launch");
  why.read_next = launch_decides_length;
  const operation_ids operations = members(run.part(), set);
  if (operations.empty()) {
    say_there_is_none(run, set, why);
    return failed(run_verdict::requirement_missed, mistake::no_kernels, why);
  }
  const auto length_of = [&](trace::operation_id id) {
    return recording.operation_at(id).end - recording.operation_at(id).start;
  };
  const trace::operation_id shortest =
      *std::min_element(operations.begin(), operations.end(),
                        [&](auto left, auto right) { return length_of(left) < length_of(right); });
  const trace::nanoseconds worked =
      counted == full_work::together ? length(running_times(recording, operations)) : length_of(shortest);
  if (ratio_of(worked, alone) >= full_share)
    return compared_with_calibration(passed(duration_words(worked) + " of work"));
  if (const std::string left_out = call_left_out(run); counted == full_work::together && !left_out.empty())
    return not_observable("not all of the work was done: " + left_out);
  const trace::operation& kernel = recording.operation_at(shortest);
  why.observation = fmt::format("The shortest, {}, took {}.", in_words(recording, kernel),
                                duration_words(length_of(shortest)));
  if (counted == full_work::together)
    why.observation = fmt::format("They worked for {} in all. {}", duration_words(worked), why.observation);
  lead_to(why, recording, kernel);
  return compared_with_calibration(failed(run_verdict::requirement_missed, mistake::short_kernels, why));
}

matcher full_work_matcher(const operation_set& set, full_work counted, trace::nanoseconds alone) {
  return {fmt::format("{} work for as long as they are asked to", set.words),
          [=](const run_facts& run) { return judge_full_work(run, set, counted, alone); }};
}

// Whether it was held back only by an operation of the same part, before it in its stream: then what matters
// is what held that one back.
bool only_follows(const analysis::part& part, const trace::operation& operation) {
  if (!operation.waited_for || operation.waited_for->empty()) return false;
  const trace::constraint& deciding = operation.waited_for->front();
  return deciding.kind == trace::constraint_kind::stream_order &&
         std::find(part.operations.begin(), part.operations.end(), deciding.operation) !=
             part.operations.end();
}

/// The work of the part that waited longest between its issue and its start; nullptr when it has none.
const trace::operation* longest_waiting(const run_facts& run) {
  const trace::operation* found = nullptr;
  for (trace::operation_id id : members(run.part(), device_work())) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (only_follows(run.part(), operation)) continue;
    if (found == nullptr || operation.start - operation.issued > found->start - found->issued)
      found = &operation;
  }
  return found;
}

trace::nanoseconds end_of_work(const run_facts& run) {
  trace::nanoseconds end = run.part().begin;
  for (trace::operation_id id : members(run.part(), device_work())) {
    end = std::max(end, run.recording().operation_at(id).end);
  }
  return end;
}

// The call in which the host spent most of the time from the end of the part's work to the end of the part;
// nothing when its work waited longer than that, or the host was in no call.
const trace::host_call* longest_call_after_the_work(const run_facts& run, const trace::operation& late,
                                                    trace::nanoseconds work_end) {
  const trace::host_call* found = nullptr;
  trace::nanoseconds longest = late.start - late.issued;
  std::map<std::tuple<trace::api_function, std::uint32_t, std::uint32_t>, trace::nanoseconds>
      of_places;  // a loop that asks
  for (trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    const trace::nanoseconds after = std::min(call.end, run.part().end) - std::max(call.start, work_end);
    if (after.count() <= 0) continue;
    trace::nanoseconds& sum = of_places[{call.function, call.where.file, call.where.line}];
    sum += after;
    if (sum <= longest) continue;
    longest = sum;
    found = &call;
  }
  return found;
}

/// The last call of the part in the learner's file; nullptr when there is none.
const trace::host_call* last_own_call(const run_facts& run) {
  const std::vector<trace::call_id>& calls = run.part().calls;
  const auto last = std::find_if(calls.rbegin(), calls.rend(), [&](trace::call_id id) {
    return run.recording().is_own(run.recording().call_at(id).where);
  });
  return last == calls.rend() ? nullptr : &run.recording().call_at(*last);
}

/// Adds what the part waited for. The word of the mistake. `next`: the part that begins after it, if any.
std::string_view explain_waiting(const run_facts& run, trace::nanoseconds zero,
                                 const std::optional<run_facts>& next, report::evidence& why) {
  const trace::operation* late = longest_waiting(run);
  if (late == nullptr) {
    why.observation += " No work at all was queued for it.";
    return report::word_of(mistake::nothing_queued);
  }
  const trace::nanoseconds done = end_of_work(run);
  if (const trace::host_call* call = longest_call_after_the_work(run, *late, done)) {
    const trace::location& ended_at = run.part().ended_at;
    if (trace::effect_of(*call) == trace::call_effect::works_on_host &&
        run.recording().leads_to_line(ended_at)) {
      why.observation +=
          fmt::format(" All its work was done at {}, but it was ended only at {} ({}), behind {}.",
                      duration_words(done - zero), duration_words(run.part().end - zero),
                      run.recording().describe(ended_at), in_words(run.recording(), *call));
      lead_to(why, run.recording(), {ended_at, call->where});
      return report::word_of(mistake::late_end);
    }
    why.observation += fmt::format(
        " All its work was done at {}. The host was in {} until {}: that call waits for more than that work.",
        duration_words(done - zero), in_words(run.recording(), *call), duration_words(call->end - zero));
    lead_to(why, run.recording(), call->where);
    return report::word_of(mistake::needless_wait);
  }
  const trace::operation& first = run.recording().operation_at(members(run.part(), device_work()).front());
  if (const trace::nanoseconds idle = first.issued - run.part().begin; idle > late->start - late->issued) {
    why.observation += fmt::format(" The first of its work, {}, was queued only {} after it had begun.",
                                   in_words(run.recording(), first), duration_words(idle));
    lead_to(why, run.recording(), first);
    return report::word_of(mistake::late_start);
  }
  if (next && next->part().begin < run.part().end) {
    why.observation +=
        " The next one had begun before it ended: it was not ended as soon as its work was done.";
    if (const trace::host_call* const last = last_own_call(run)) {
      why.observation +=
          fmt::format(" The last call before its end was {}.", in_words(run.recording(), *last));
      lead_to(why, run.recording(), last->where);
    }
    return report::word_of(mistake::late_end);
  }
  why.observation += fmt::format(" Of its work, {} waited longest: queued at {}, started at {}.",
                                 in_words(run.recording(), *late), duration_words(late->issued - zero),
                                 duration_words(late->start - zero));
  const std::string reason = reason_to_wait(run, *late);
  if (!reason.empty()) why.observation += ' ' + reason;
  lead_to(why, run.recording(), *late);
  if (!late->waited_for || late->waited_for->empty()) return "";
  const trace::constraint& deciding = late->waited_for->front();
  if (deciding.kind == trace::constraint_kind::no_room && deciding.operation != 0)
    return report::word_of(
        tell_of_taken_room(run, *late, run.recording().operation_at(deciding.operation), why));
  const trace::stream& stream = run.recording().stream_at(late->stream);
  if (deciding.kind == trace::constraint_kind::legacy_default && stream.created_by != 0) {
    const trace::host_call& made = run.recording().call_at(stream.created_by);
    if (run.recording().is_own(made.where)) {
      why.observation += fmt::format(" The stream comes from {}.", in_words(run.recording(), made));
      lead_to(why, run.recording(), made.where);
    }
    return report::word_of(mistake::blocking_stream);
  }
  return trace::word_of(deciding.kind);
}

verdict judge_parts(const run_facts& run, const std::string& name, int count, double allowed,
                    trace::nanoseconds attainable) {
  report::evidence why;
  why.required = fmt::format("Each {} takes at most {:.2f} times what is attainable at worst, which is {}.",
                             name, allowed, duration_words(attainable));
  why.read_next = "The picture of your run, and the section \"The idea\" in the lesson's text.";
  std::optional<run_facts> slowest;
  int number_of_slowest = 0;
  for (int number = 0; number < count; ++number) {
    const std::optional<run_facts> inner = inner_part(run, fmt::format("{} {}", name, number));
    if (!inner) {
      why.observation = fmt::format("{} {} never began or was never ended. Their numbers are 0 to {}.",
                                    report::capitalized(name), number, count - 1);
      return compared_with_calibration(failed(run_verdict::requirement_missed, mistake::part_missing, why));
    }
    const auto length = [](const run_facts& one) { return one.part().end - one.part().begin; };
    if (slowest && length(*inner) <= length(*slowest)) continue;
    slowest = inner;
    number_of_slowest = number;
  }
  const trace::nanoseconds length = slowest->part().end - slowest->part().begin;
  const double ratio = ratio_of(length, attainable);
  if (ratio <= allowed) {
    return compared_with_calibration(
        passed(fmt::format("the slowest took {:.2f} times the attainable, allowed {:.2f}", ratio, allowed),
               at_most(ratio, allowed)));
  }
  why.observation = fmt::format("{} {} took {}, {:.2f} times as long.", report::capitalized(name),
                                number_of_slowest, duration_words(length), ratio);
  const std::optional<run_facts> next = inner_part(run, fmt::format("{} {}", name, number_of_slowest + 1));
  const std::string_view found = explain_waiting(*slowest, run.part().begin, next, why);
  return compared_with_calibration(failed(run_verdict::too_slow, found, why, at_most(ratio, allowed)));
}

}  // namespace

Lasts::Lasts(operation_set operations) : operations_(std::move(operations)) {}

Lasts Lasts::in_streams_from(std::string chooser) const {
  Lasts made = *this;
  made.chooser_ = std::move(chooser);
  return made;
}

matcher Lasts::at_most(double times, trace::nanoseconds alone, std::string compared) const {
  return {fmt::format("{} take at most {} times as long as {}", operations_.words, times, compared),
          [set = operations_, chooser = chooser_, times, alone, compared](const run_facts& run) {
            return judge_span(run, set, chooser, times, alone, compared);
          }};
}

WorkInFull::WorkInFull(operation_set operations) : operations_(std::move(operations)) {}

matcher WorkInFull::in_every_launch(trace::nanoseconds alone) const {
  return full_work_matcher(operations_, full_work::in_every_launch, alone);
}

matcher WorkInFull::together(trace::nanoseconds alone) const {
  return full_work_matcher(operations_, full_work::together, alone);
}

PartsLast::PartsLast(std::string name, int count) : name_(std::move(name)), count_(count) {}

matcher PartsLast::at_most(double times, trace::nanoseconds attainable) const {
  return {fmt::format("each {} takes at most {} times what is attainable", name_, times),
          [name = name_, count = count_, times, attainable](const run_facts& run) {
            return judge_parts(run, name, count, times, attainable);
          }};
}

}  // namespace matchers
