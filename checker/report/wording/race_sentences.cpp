#include "report/wording/race_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/misuse.h"
#include "analysis/places.h"
#include "report/wording/names.h"
#include "report/wording/region_sentences.h"
#include "trace/call_promise.h"

namespace report {
namespace {

using analysis::race_actor;
using analysis::race_side;

std::string_view verb_of(trace::access_mode mode) {
  static constexpr std::string_view verbs[] = {"reads", "writes", "atomically updates"};
  return verbs[static_cast<int>(mode)];
}

class race_text {
 public:
  race_text(const trace::recording& recording, const analysis::race_diagnosis& race)
      : recording_(recording), race_(race), from_(race.cause.from), to_(race.cause.to) {}

  std::string both_sides() const {
    const analysis::race& example = race_.cause.example;
    const bool is_one_byte = example.bytes.end - example.bytes.begin == 1;
    return fmt::format("{} {} {} of {}, and {} {} {}{}. ", capitalized(side(example.first, race_.first)),
                       verb_of(example.first.mode), range_in_words(example.bytes),
                       allocation_in_words(recording_, example.allocation),
                       side(example.second, race_.second), verb_of(example.second.mode),
                       is_one_byte ? "it" : "them",
                       race_.second == race_actor::caller ? ", after your function has returned" : "");
  }

  std::string text() const {
    const std::string sides = both_sides();
    if (is_cured_in_region()) return sides + region_sentences(recording_, race_.cause.example);
    if (race_.mistake == analysis::race_mistake::host_code_unordered) return sides + host_code();
    if (from_.operation == 0 && to_.operation == 0)
      return sides + "Nothing makes that wait for it. Join that thread before you return.";
    if (race_.cause.example.first.operation == 0) return sides + host_before_device();
    if (race_.mistake == analysis::race_mistake::source_written_late) return sides + late_source();
    if (race_.mistake == analysis::race_mistake::queued_unordered) return sides + order_of_calls();
    if (race_.pieces) return sides + overlapping_pieces();
    return sides + missing_edge() + useless_wait() + streams_of_one_line() + cures();
  }

 private:
  /// Whether a barrier or a critical region of OpenMP is the cure.
  bool is_cured_in_region() const {
    return race_.to != race_actor::caller && race_.mistake != analysis::race_mistake::source_written_late &&
           !race_.pieces && !race_.is_inside_one_graph && !is_announcement() && !is_cured_there() &&
           is_within_region(recording_, race_.cause.example);
  }

  const trace::operation& operation_of(const race_side& side) const {
    return recording_.operation_at(side.operation);
  }
  const trace::host_access& access_of(const race_side& side) const {
    return recording_.host_accesses->at(side.host_access);
  }
  std::string stream_of(const race_side& side) const {
    return stream_in_words(recording_, operation_of(side).stream);
  }

  std::string side(const race_side& side, race_actor actor) const {
    if (side.operation != 0) {
      if (actor == race_actor::caller)
        return "the caller's " + without_stream_in_words(recording_, operation_of(side))
                                     .substr(std::string_view("the ").size());
      const std::string statement = recording_.describe(side.statement);
      return in_words(recording_, operation_of(side)) +
             in_parentheses(recording_, analysis::place_of_operation(recording_, side.operation)) +
             (statement.empty() ? "" : " at " + statement);
    }
    if (actor == race_actor::caller) return "the caller";
    const trace::host_access& access = access_of(side);
    const std::string place = in_parentheses(recording_, access.where);
    std::string thread = thread_in_words(recording_, side);
    const trace::region_thread* const part = region_thread_of(recording_, side);
    if (part != nullptr && !is_within_region(recording_, race_.cause.example)) {
      const std::string region = recording_.describe(part->where);
      thread += region.empty() ? " of a parallel region" : " of the parallel region of " + region;
    }
    if (actor != race_actor::callee) return thread + place;
    return fmt::format("{}, in {},", thread,
                       place.empty() ? "code that is not yours" : "a function that yours calls" + place);
  }

  /// Of a host access: whether the learner's line that called the code is known.
  bool leads_to_line(const race_side& side) const { return recording_.leads_to_line(access_of(side).where); }

  std::string place_or(const race_side& side, std::string_view otherwise) const {
    const std::string place =
        recording_.describe(side.operation != 0 ? analysis::place_of_issue(recording_, side.operation)
                                                : analysis::place_of(recording_, side));
    return place.empty() ? std::string(otherwise) : place;
  }

  std::string order_of_calls() const {
    const auto issuer_of = [&](const race_side& side) { return thread_in_words(recording_, side); };
    return fmt::format(
        "Both are in {}, which runs them in the order of the calls. {} makes the one call and {} the other, and nothing orders the "
        "two: in another run the other is first. Let one mutex guard all that a thread queues together, or give each thread a stream "
        "and memory of its own.",
        stream_of(from_), capitalized(issuer_of(from_)), issuer_of(to_));
  }

  std::string missing_edge() const {
    const bool is_of_caller = race_.to == race_actor::caller;
    if (is_of_caller || to_.operation == 0) {
      return fmt::format("Nothing makes {} wait for it. {}",
                         is_of_caller ? "that" : thread_in_words(recording_, to_), promise_of_call());
    }
    if (race_.is_inside_one_graph) {
      return fmt::format("No edges lead from {} to {}, so they may run in either order, or at once. ",
                         node_in_words(operation_of(from_)), node_in_words(operation_of(to_)));
    }
    return fmt::format("Nothing makes {} wait for {}{}. {}", stream_of(to_), stream_of(from_),
                       race_.is_exempt_from_barrier
                           ? " (a non-blocking stream and the default stream do not wait for each other)"
                           : "",
                       end_of_staged_copy_in_words(recording_, operation_of(from_)));
  }

  /// @see CUDA Runtime API, "API synchronization behavior": with pageable memory, a copy "might be synchronous".
  std::string promise_of_call() const {
    if (from_.operation == 0) return "";
    const std::string staged = end_of_staged_copy_in_words(recording_, operation_of(from_));
    if (!staged.empty()) return staged;
    return trace::copies_pageable_memory(operation_of(from_))
               ? "The call may wait, because this memory is pageable, but CUDA does not promise that. "
               : "";
  }

  std::string useless_wait() const {
    if (!race_.useless) return "";
    const trace::host_call& call = recording_.call_at(race_.useless->wait);
    if (race_.useless->kind == analysis::useless_wait_kind::only_asked) return last_answer(call);
    if (race_.useless->kind == analysis::useless_wait_kind::of_other_way) {
      return fmt::format("{} makes {} wait for {}, which is needed too: a second wait is missing. ",
                         in_words(recording_, call), stream_of(from_), stream_of(to_));
    }
    const std::string wait =
        is_announcement() ? fmt::format("{}{}, which lets {} go on,", capitalized(name_of_announcement()),
                                        in_parentheses(recording_, call.where),
                                        thread_in_words(recording_, from_.operation == 0 ? from_ : to_))
                          : in_words(recording_, call);
    return wait + " does not help: " + why_useless(call) + ". ";
  }

  /// Whether a wait in place of the query does for all the races of the cause.
  bool is_cured_there() const {
    return race_.useless && race_.useless->kind == analysis::useless_wait_kind::only_asked &&
           streams_to_wait_for().size() == 1;
  }

  /// Whether the thread had asked the same at that line, and did nothing else with CUDA since then but ask: in a loop that waits.
  bool is_asked_again(const trace::host_call& query) const {
    for (trace::call_id id = query.id - 1; id > 0; --id) {
      const trace::host_call& earlier = recording_.call_at(id);
      if (earlier.thread != query.thread) continue;
      if (trace::effect_of(earlier) != trace::call_effect::queries) return false;
      if (earlier.where.is_same_line(query.where) && earlier.stream == query.stream &&
          earlier.event == query.event)
        return true;
    }
    return false;
  }

  /// Of a query that was answered that there is work left.
  std::string last_answer(const trace::host_call& query) const {
    const std::string subject =
        query.captured != 0 ? "the event behind that work" : stream_in_words(recording_, query.stream);
    if (is_asked_again(query)) {
      return fmt::format(
          "The loop{} ended while {} still answered cudaErrorNotReady: it must go on until each answers cudaSuccess.{}",
          in_parentheses(recording_, query.where), subject, is_cured_there() ? "" : " ");
    }
    return fmt::format(
        "{} asks about {} and returns at once: it waits for nothing. Its last answer was cudaErrorNotReady: the work had not ended. "
        "Use {} there, or ask in a loop until the answer is cudaSuccess.{}",
        in_words(recording_, query), subject,
        query.captured != 0 ? "cudaEventSynchronize" : "cudaStreamSynchronize", is_cured_there() ? "" : " ");
  }

  /// Where the stream is destroyed in place of a wait; "" where it is not.
  std::string place_of_destruction() const {
    const bool is_destroyed =
        race_.useless && race_.useless->kind == analysis::useless_wait_kind::only_destroyed;
    return is_destroyed ? recording_.describe(recording_.call_at(race_.useless->wait).where) : "";
  }

  /// Whether a host function took the place of a wait.
  bool is_announcement() const {
    return race_.useless &&
           (race_.useless->kind == analysis::useless_wait_kind::announced_in_another_stream ||
            race_.useless->kind == analysis::useless_wait_kind::announced_too_early);
  }

  /// What it was to announce.
  const race_side& announced() const { return from_.operation == 0 ? to_ : from_; }

  std::string name_of_announcement() const {
    return without_stream_in_words(recording_, recording_.operation_at(race_.useless->record));
  }

  std::string why_useless(const trace::host_call& wait) const {
    const trace::operation_id record = race_.useless->record;
    const std::string recorded_at =
        record == 0 ? "" : in_parentheses(recording_, analysis::place_of_operation(recording_, record));
    switch (race_.useless->kind) {
      case analysis::useless_wait_kind::failed: {
        const trace::host_call* const end = analysis::destruction_before(recording_, wait);
        return fmt::format(
            "it failed with {}{}", trace::error_name_of(wait),
            end == nullptr ? "" : fmt::format(": {} had destroyed what it uses", in_words(recording_, *end)));
      }
      case analysis::useless_wait_kind::in_another_stream:
        // The caller's stream is none that the user knows: the host has to wait before the function returns.
        return fmt::format("it makes {} wait, not {}", stream_in_words(recording_, wait.stream),
                           race_.to == race_actor::caller ? "the host" : stream_of(to_));
      case analysis::useless_wait_kind::for_another_stream:
        if (record == 0) {
          return fmt::format("it waits for {}, not for {}", streams_of_line(wait),
                             in_words_of(streams_to_wait_for()));
        }
        return record_elsewhere(recording_.operation_at(record), recorded_at);
      case analysis::useless_wait_kind::for_another_device:
        return fmt::format("it waits for device {} only, which is current there", wait.device);
      case analysis::useless_wait_kind::recorded_too_early:
        return fmt::format("its event was recorded{} before {} was issued", recorded_at,
                           in_words(recording_, operation_of(from_)));
      case analysis::useless_wait_kind::recorded_unordered:
        return fmt::format(
            "another thread records its event{}, and nothing makes that come first: in another run there is no record yet, and it "
            "waits for nothing",
            recorded_at);
      case analysis::useless_wait_kind::never_recorded:
        return "its event had not been recorded then, so it waits for nothing" +
               (record == 0 ? "" : later_rounds_of(wait) + "; " + record_behind_wait());
      case analysis::useless_wait_kind::recorded_later:
        if (const std::string served = served_by(wait); !served.empty()) {
          return fmt::format("it was called for {}, and not again after the record{} behind {}", served,
                             in_parentheses(recording_, analysis::place_of_operation(recording_, record)),
                             report::name_of(recording_, operation_of(from_)));
        }
        return earlier_record_of(wait) + later_rounds_of(wait) + "; " + record_behind_wait();
      case analysis::useless_wait_kind::wrong_way:
        return fmt::format(
            "it makes {} wait for {}, where its event was recorded{}: that is the wrong way round",
            stream_of(from_), stream_of(to_), recorded_at);
      case analysis::useless_wait_kind::announced_in_another_stream:
        return fmt::format("it is in {}, not behind {} in {}",
                           stream_in_words(recording_, recording_.operation_at(record).stream),
                           without_stream_in_words(recording_, operation_of(announced())),
                           stream_of(announced()));
      case analysis::useless_wait_kind::announced_too_early:
        return fmt::format("it was queued before {}, and so runs before it",
                           without_stream_in_words(recording_, operation_of(announced())));
      case analysis::useless_wait_kind::only_of_a_stream:
        return fmt::format("it makes only {} wait, and the host goes on at once",
                           stream_in_words(recording_, wait.stream));
      case analysis::useless_wait_kind::only_destroyed:
        return "it returns at once, and waits for no work";
      case analysis::useless_wait_kind::too_early:
        return fmt::format("it comes before {} is queued, and does not wait for what is queued later",
                           report::name_of(recording_, operation_of(from_)));
      case analysis::useless_wait_kind::only_asked:    // see last_answer()
      case analysis::useless_wait_kind::of_other_way:  // see useless_wait()
        break;
      case analysis::useless_wait_kind::too_late:
        if (const trace::call_id other = race_.useless->in_its_place; other != 0) {
          return fmt::format("between the two it makes {} wait, and {} only after {} is queued",
                             stream_in_words(recording_, recording_.call_at(other).stream),
                             stream_in_words(recording_, wait.stream),
                             report::name_of(recording_, operation_of(to_)));
        }
        if (is_made_between(wait)) return "it comes too late";
        return is_made_before(wait) ? "it is not called between the two"
                                    : "it is not called between the two, only later";
    }
    throw std::logic_error("a useless wait without a reason");
  }

  /// Of a wait for an event that was recorded last in another stream than that of the first side.
  std::string record_elsewhere(const trace::operation& last, const std::string& recorded_at) const {
    const std::string stream = stream_in_words(recording_, last.stream);
    const auto is_replaced = [&](const trace::operation& one) {
      return one.kind == trace::operation_kind::event_record && one.event == last.event &&
             one.stream == operation_of(from_).stream;
    };
    const auto behind_first = recording_.operations.begin() + from_.operation;
    const auto replaced =
        from_.operation < last.id
            ? std::find_if(behind_first, recording_.operations.begin() + (last.id - 1), is_replaced)
            : recording_.operations.end();
    if (replaced == recording_.operations.end() || replaced->id >= last.id)
      return fmt::format("its event was recorded in {}{}, not in {}", stream, recorded_at, stream_of(from_));
    const trace::location place = analysis::place_of_operation(recording_, replaced->id);
    const bool is_one_line = place.is_same_line(analysis::place_of_operation(recording_, last.id));
    return fmt::format(
        "its event was recorded in {}{}, and then again in {}{} before the wait, which takes the last record only: each of these "
        "streams needs an event of its own",
        stream_of(from_), in_parentheses(recording_, place), stream, is_one_line ? "" : recorded_at);
  }

  /// The record that a stream waits for in the call. One of the same line as the record behind the first side needs no place.
  std::string earlier_record_of(const trace::host_call& wait) const {
    const trace::operation_id earlier = recording_.operation_at(wait.operation).captured;
    const trace::location place = analysis::place_of_operation(recording_, earlier);
    if (!recording_.leads_to_line(place)) return "it takes a record of its event by code that is not yours";
    if (place.is_same_line(analysis::place_of_operation(recording_, race_.useless->record)))
      return "it takes the record of an earlier round or call";
    return fmt::format("it takes the last record of its event before it{}, in {}",
                       in_parentheses(recording_, place),
                       stream_in_words(recording_, recording_.operation_at(earlier).stream));
  }

  /// What the wait was for, where work of the second side's line followed it before the first side was issued: "consume 1"; else "".
  std::string served_by(const trace::host_call& wait) const {
    if (from_.operation == 0 || to_.operation == 0) return "";
    const trace::location line = analysis::place_of_operation(recording_, to_.operation);
    for (trace::operation_id id = wait.operation + 1; wait.operation != 0 && id < from_.operation; ++id) {
      if (recording_.operation_at(id).stream == operation_of(to_).stream &&
          analysis::place_of_operation(recording_, id).is_same_line(line))
        return report::name_of(recording_, recording_.operation_at(id));
    }
    return "";
  }

  /// Of the first round of a loop in which the wait is ahead of the record: what it takes in the others; "" elsewhere.
  std::string later_rounds_of(const trace::host_call& wait) const {
    const auto is_at = [&](trace::operation_id record, const trace::location& place) {
      return record != 0 && place.is_same_line(analysis::place_of_operation(recording_, record));
    };
    const trace::location behind = analysis::place_of_operation(recording_, race_.useless->record);
    const bool takes_round_before =
        std::any_of(recording_.calls.begin(), recording_.calls.end(), [&](const trace::host_call& call) {
          return call.id > wait.id && call.function == wait.function && call.where.is_same_line(wait.where) &&
                 call.operation != 0 && is_at(recording_.operation_at(call.operation).captured, behind);
        });
    const bool is_first =
        wait.operation == 0 || !is_at(recording_.operation_at(wait.operation).captured, behind);
    return is_first && takes_round_before
               ? " (in each later round or call it takes the record of the one before)"
               : "";
  }

  /// "the record (a.cu:14) behind scale 1 comes only after it"
  std::string record_behind_wait() const {
    const trace::location place = analysis::place_of_operation(recording_, race_.useless->record);
    return fmt::format("the record{} behind {} comes only after it", in_parentheses(recording_, place),
                       report::name_of(recording_, operation_of(from_)));
  }

  /// Whether a stream waits for an event ahead of the record that it was to wait for.
  bool is_wait_ahead_of_record() const {
    return race_.useless && race_.useless->record != 0 &&
           (race_.useless->kind == analysis::useless_wait_kind::never_recorded ||
            race_.useless->kind == analysis::useless_wait_kind::recorded_later);
  }

  /// The streams that the line of the wait waits for behind the first side, up to that wait.
  std::string streams_of_line(const trace::host_call& wait) const {
    std::vector<trace::stream_id> streams;
    for (trace::call_id id = operation_of(from_).issued_by + 1; id <= wait.id; ++id) {
      const trace::host_call& call = recording_.call_at(id);
      const bool is_of_line = call.function == wait.function && call.where.is_same_line(wait.where);
      if (is_of_line && std::find(streams.begin(), streams.end(), call.stream) == streams.end())
        streams.push_back(call.stream);
    }
    return in_words_of(streams);
  }

  /// "`a`, `b` and `c`".
  std::string in_words_of(const std::vector<trace::stream_id>& streams) const {
    std::string words;
    for (const trace::stream_id stream : streams) {
      const bool is_last = stream == streams.back();
      words += (words.empty() ? "" : is_last ? " and " : ", ") + stream_in_words(recording_, stream);
    }
    return words;
  }

  /// The streams for which a wait is missing: at the return those of all the races of the cause, elsewhere that of each round.
  std::vector<trace::stream_id> streams_to_wait_for() const {
    return race_.to == race_actor::caller ? race_.cause.streams : std::vector{operation_of(from_).stream};
  }

  /// Whether the line of the wait, which comes after the second side, also waits between the two, such as for another round.
  bool is_made_between(const trace::host_call& wait) const {
    const trace::call_id end = to_.operation != 0 ? operation_of(to_).issued_by : access_of(to_).after;
    return is_line_reached(wait, operation_of(race_.cause.example.first).issued_by, end);
  }

  /// Whether the line of the wait is also reached before the first side, in the same call of the user's function.
  bool is_made_before(const trace::host_call& wait) const {
    const trace::call_id first = operation_of(race_.cause.example.first).issued_by;
    trace::call_id begin = 0;
    for (const trace::mark& mark : recording_.marks)
      if (mark.name.starts_with("begin:") && mark.after < first) begin = std::max(begin, mark.after);
    return is_line_reached(wait, begin, first);
  }

  /// Whether the line of the call is reached behind the one call, up to the other.
  bool is_line_reached(const trace::host_call& wait, trace::call_id begin, trace::call_id end) const {
    return std::any_of(recording_.calls.begin(), recording_.calls.end(), [&](const trace::host_call& call) {
      return begin < call.id && call.id <= end && call.function == wait.function &&
             call.where.is_same_line(wait.where);
    });
  }

  std::string late_source() const {
    const std::string writer = place_or(to_, "the code that writes them");
    return fmt::format(
        "That is after {} was queued, and your function had put nothing there before: it brings what was there before your function "
        "began, or a part of the new data. Queue it behind {}. Only if it is to bring the old data, let the host wait before {}: "
        "cudaStreamSynchronize on {}.",
        report::name_of(recording_, operation_of(from_)), writer, writer, stream_of(from_));
  }

  /// Of streams that a line makes in a loop around the work.
  std::string streams_of_one_line() const {
    if (race_.later_stream_made_by == 0) return "";
    const trace::host_call& made = recording_.call_at(race_.later_stream_made_by);
    const auto count =
        std::count_if(recording_.streams.begin(), recording_.streams.end(), [&](const trace::stream& stream) {
          return stream.created_by != 0 &&
                 recording_.call_at(stream.created_by).where.is_same_line(made.where) &&
                 is_in_same_part(stream.created_by, made.id);
        });
    return fmt::format(
        "Both were made by {}, which made {} streams, {} only after {} had been queued. One stream keeps its work in order: if these "
        "steps belong in one, make it once, before the loop. ",
        in_words(recording_, made), count, stream_of(to_), report::name_of(recording_, operation_of(from_)));
  }

  /// Whether the user's function was not called again between the two calls.
  bool is_in_same_part(trace::call_id one, trace::call_id other) const {
    return std::none_of(recording_.marks.begin(), recording_.marks.end(), [&](const trace::mark& mark) {
      return mark.name.starts_with("begin:") && (mark.after < one) != (mark.after < other);
    });
  }

  std::string cure_of_announcement() const {
    return fmt::format("Queue that host function in {}, behind {}.", stream_of(announced()),
                       place_or(announced(), "that operation"));
  }

  /// The ways to put two operations in order.
  std::string order_of_two() const {
    const std::string from = stream_of(from_), to = stream_of(to_);
    const std::string first = place_or(from_, "the first one"), second = place_or(to_, "the second one");
    const std::string record = place_of_record_behind_first();
    const std::string by_event =
        record.empty()
            ? fmt::format("record an event in {} after {} (cudaEventRecord) and let {} wait for it before {}",
                          from, first, to, second)
            : fmt::format("let {} wait for the event that {} records in {} behind {}, before {}", to, record,
                          from, first, second);
    if (is_next_round_of_line()) {
      return fmt::format(
          "issue both into one stream, as the second needs what the first made; or {} (cudaStreamWaitEvent), if they "
          "belong in two; or let the host wait for {} in between (cudaStreamSynchronize), which holds up what it queues next.",
          by_event, from);
    }
    return fmt::format(
        "{} (cudaStreamWaitEvent); or issue both into one stream, if all else in the two may run one after the other; or let the "
        "host wait for {} in between (cudaStreamSynchronize), which holds up what it queues next.",
        by_event, from);
  }

  /// Whether one line queued both, and the second reads what the first writes: a round of a loop that needs the one before.
  bool is_next_round_of_line() const {
    const analysis::race& example = race_.cause.example;
    return from_.operation != 0 && to_.operation != 0 && example.second.mode == trace::access_mode::read &&
           analysis::place_of_operation(recording_, from_.operation)
               .is_same_line(analysis::place_of_operation(recording_, to_.operation));
  }

  /// Where an event is recorded right behind the first side in its stream, for which that event still stands when the second side comes:
  /// no other record is needed. "" when none is. A line above that of the first side is one of the next round.
  std::string place_of_record_behind_first() const {
    const trace::operation& first = operation_of(from_);
    const auto next = std::find_if(recording_.operations.begin() + first.id, recording_.operations.end(),
                                   [&](const trace::operation& one) { return one.stream == first.stream; });
    if (next == recording_.operations.end() || next->kind != trace::operation_kind::event_record) return "";
    const trace::call_id end = to_.operation != 0 ? operation_of(to_).issued_by : access_of(to_).after + 1;
    const trace::call_id destroyed = recording_.event_at(next->event).destroyed_by;
    const bool is_recorded_again =
        std::any_of(next + 1, recording_.operations.end(), [&](const trace::operation& one) {
          return one.kind == trace::operation_kind::event_record && one.event == next->event &&
                 one.issued_by < end;
        });
    const trace::location place = analysis::place_of_operation(recording_, next->id);
    const trace::location of_first = analysis::place_of_operation(recording_, first.id);
    const bool is_below = place.file == of_first.file && place.line > of_first.line;
    const bool holds = next->issued_by < end && (destroyed == 0 || destroyed >= end) && !is_recorded_again;
    return holds && is_below ? recording_.describe(place) : "";
  }

  /// The bytes that the operation writes of the memory of the race.
  std::string written_by(const trace::operation& operation) const {
    for (const trace::access& access : *operation.accesses) {
      const bool is_write = access.mode != trace::access_mode::read;
      if (is_write && access.allocation == race_.cause.example.allocation)
        return range_in_words(access.bytes.bounds());
    }
    return "";
  }

  std::string overlapping_pieces() const {
    const trace::operation& one = recording_.operation_at(race_.pieces->one);
    const trace::operation& other = recording_.operation_at(race_.pieces->other);
    return fmt::format(
        "{} and {}, both issued at {}, write {} and {} there: the two pieces overlap. Look first at how the offset and the length "
        "of each are computed. Only if the pieces are to overlap, {}",
        report::name_of(recording_, one), report::name_of(recording_, other),
        recording_.describe(analysis::place_of_operation(recording_, one.id)), written_by(one),
        written_by(other), order_of_two());
  }

  std::string cures() const {
    static constexpr std::string_view addresses =
        " If the two were not meant to share bytes, look at the addresses passed.";
    if (race_.is_inside_one_graph) {
      return std::string(
                 "Let the second depend on the first. In a capture: issue both into the same stream, or record "
                 "an event after the first and let the stream of the second wait for it (cudaStreamWaitEvent). "
                 "In a graph built by hand: name the first among the dependencies of the second, or call "
                 "cudaGraphAddDependencies.")
          .append(addresses);
    }
    const std::string from = stream_of(from_);
    if (is_announcement()) return cure_of_announcement();
    if (is_cured_there()) return std::string(addresses);
    if (to_.operation == 0 || race_.to == race_actor::caller) {
      const std::string destruction = place_of_destruction();
      const std::string before = !destruction.empty()             ? destruction
                                 : race_.to == race_actor::caller ? "you return"
                                 : race_.to == race_actor::callee
                                     ? (leads_to_line(to_) ? "that call" : "that")
                                     : place_or(to_, "the host goes on");
      return fmt::format("Let the host wait before {}: {}.", before, waits_of_host());
    }
    if (is_wait_ahead_of_record()) {
      return fmt::format("Queue the wait{} behind that record, before {}.{}",
                         in_parentheses(recording_, recording_.call_at(race_.useless->wait).where),
                         place_or(to_, "the second one"), addresses);
    }
    if (race_.useless && race_.useless->kind == analysis::useless_wait_kind::recorded_unordered) {
      return fmt::format(
          "Call the two from one thread, or let this thread wait for the other before {} (a std::promise or a condition variable "
          "that is set behind the record).",
          recording_.describe(recording_.call_at(race_.useless->wait).where));
    }
    const std::string order = order_of_two();
    if (race_.mistake == analysis::race_mistake::buffer_reused) {
      return cure_of_early_read() +
             "If the two were not meant to share bytes, give each its own. Else: " + order;
    }
    if (race_.is_exempt_from_barrier) {
      const bool is_from_default =
          recording_.stream_at(operation_of(from_).stream).kind == trace::stream_kind::legacy_default;
      const std::vector<race_side> in_default = is_from_default ? race_.cause.firsts : race_.cause.seconds;
      return fmt::format(
          "Name a stream in {}, here {}{}: what names no stream is in the default stream. Or {}{}",
          places_of_all(in_default), stream_of(is_from_default ? to_ : from_),
          with_stream_instead(in_default), order, addresses);
    }
    if (const race_side* const stray = stray_side()) {
      return fmt::format(
          "All else that uses the data of {0}, before and behind it, is in {1}: name {1} in {2}. Or {3}{4}",
          report::name_of(recording_, operation_of(*stray)), stream_of(stray == &to_ ? from_ : to_),
          place_or(*stray, "that call"), order, addresses);
    }
    return report::capitalized(order).append(addresses);
  }

  /// Of device memory that nothing had written when the first side read it, how that side gets what the second writes; "" of other memory.
  std::string cure_of_early_read() const {
    const analysis::race& race = race_.cause.example;
    const bool is_device_memory =
        recording_.allocation_at(race.allocation).kind == trace::memory_kind::device;
    if (race_.useless || to_.operation == 0 || from_.operation == 0 || !is_device_memory) return "";
    const trace::byte_set bytes = trace::byte_set::range(race.bytes.begin, race.bytes.end - race.bytes.begin);
    const trace::operation& reader = operation_of(from_);
    const bool is_written_before = std::any_of(
        recording_.operations.begin(), recording_.operations.end(), [&](const trace::operation& other) {
          return other.id < reader.id && other.accesses &&
                 std::any_of(other.accesses->begin(), other.accesses->end(),
                             [&](const trace::access& access) {
                               return access.mode != trace::access_mode::read &&
                                      access.allocation == race.allocation && access.bytes.overlaps(bytes);
                             });
        });
    if (is_written_before) return "";
    return fmt::format(
        "Nothing had written these bytes before: if {} is to have what {} writes, issue {} first, and let {} wait for an event that is "
        "recorded behind it. ",
        report::name_of(recording_, reader), report::name_of(recording_, operation_of(to_)),
        place_or(to_, "that"), stream_of(from_));
  }

  /// "program.cu:6 and program.cu:7".
  std::string places_of_all(const std::vector<race_side>& sides) const {
    std::vector<std::string> places;
    for (const race_side& side : sides) {
      if (std::string place = place_or(side, "that call");
          std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(std::move(place));
    }
    const std::string last = places.back();
    places.pop_back();
    return places.empty() ? last : fmt::format("{} and {}", fmt::join(places, ", "), last);
  }

  /// The calls by which the host can wait for the first side, and at the return for all like it.
  std::string waits_of_host() const {
    const std::vector<trace::stream_id> streams = streams_to_wait_for();
    const bool has_several = streams.size() > 1;
    const std::string place = place_or(from_, "it");
    const std::string record = place_of_record_behind_first();
    const std::uint32_t device = operation_of(from_).device;
    const bool has_others =
        std::any_of(recording_.operations.begin(), recording_.operations.end(),
                    [&](const trace::operation& other) { return other.device != device; });
    return fmt::format(
        "cudaEventSynchronize on {}{}, or cudaStreamSynchronize on {}, or cudaDeviceSynchronize{}",
        record.empty() ? fmt::format("an event recorded after {}", place)
                       : fmt::format("the event that {} records behind {}", record, place),
        has_several ? " in each of " + in_words_of(streams) : "",
        has_several ? "each of them" : in_words_of(streams),
        !has_others   ? ""
        : has_several ? " while the device of each is current: it waits for no other"
                      : fmt::format(" while device {} is current: it waits for no other", device));
  }

  /// The side that is in another stream than all else that uses its data: work of its kind, and something before and behind it.
  /// nullptr when that is neither.
  const race_side* stray_side() const {
    if (race_.useless || race_.cause.firsts.size() > 1 || race_.cause.seconds.size() > 1) return nullptr;
    const bool is_later = is_stray(operation_of(to_), operation_of(from_));
    const bool is_earlier = is_stray(operation_of(from_), operation_of(to_));
    return is_later == is_earlier ? nullptr : is_later ? &to_ : &from_;
  }

  bool is_stray(const trace::operation& one, const trace::operation& neighbour) const {
    if (one.issued_by == 0) return false;
    const trace::location line = analysis::place_of_operation(recording_, one.id);
    bool is_before = false, is_behind = false, is_of_kind = false;
    for (const trace::operation& other : recording_.operations) {
      if (other.issued_by == 0 || !is_in_same_part(other.issued_by, one.issued_by) ||
          analysis::place_of_operation(recording_, other.id).is_same_line(line) ||
          !analysis::share_data(one, other))
        continue;
      if (other.stream != neighbour.stream) return false;
      (other.id < one.id ? is_before : is_behind) = true;
      is_of_kind |= other.kind == one.kind;
    }
    return is_before && is_behind && is_of_kind;
  }

  /// ", with cudaMemcpyAsync instead of cudaMemcpy, which takes no stream" for each function of the calls that takes none.
  std::string with_stream_instead(const std::vector<race_side>& sides) const {
    std::string words;
    for (const race_side& side : sides) {
      if (operation_of(side).issued_by == 0) continue;
      const std::string name(name_of(recording_.call_at(operation_of(side).issued_by)));
      const std::string instead = fmt::format(", with {0}Async instead of {0}, which takes no stream", name);
      const bool is_known = words.find(instead) != std::string::npos;
      if (!is_known && trace::function_named(name + "Async") != trace::api_function::other) words += instead;
    }
    return words;
  }

  /// Threads and host functions that share data.
  std::string host_code() const {
    if (are_on_one_line()) {
      return "Nothing orders the two: each thread comes to that line when it likes. If each means bytes of its own, give each thread its "
             "own. If they share them, let each hold one mutex from its first use of them to its last, or make them a std::atomic.";
    }
    const bool has_two_functions = from_.operation != 0 && to_.operation != 0;
    const std::string wait =
        from_.operation == 0 && to_.operation == 0 ? "join the one thread before the other goes on"
        : has_two_functions ? "let the second stream wait for the first (cudaStreamWaitEvent)"
                            : fmt::format("let the thread wait for {} first (cudaStreamSynchronize)",
                                          stream_of(from_.operation != 0 ? from_ : to_));
    const std::string guard = fmt::format(
        "uard both with one mutex (and wait with a condition variable), or make the variable a std::atomic, or {}.",
        wait);
    if (do_hand_over()) {
      return "Nothing orders the two here, although these threads hand things over to each other: these bytes are handed over too "
             "early, before the one has used them for the last time, or are in two hands at once. If they are not handed over, g" +
             guard;
    }
    return fmt::format(
        "Nothing orders the two{}: a plain or volatile variable does not, however long the one waits. G{} If these bytes are handed "
        "over between the two, it happens too early: before the one has used them for the last time.",
        has_two_functions ? " (host functions of different streams may run in either order, or at once)" : "",
        guard);
  }

  /// Whether both are threads that do the same: what a line hands over, no thread takes at that line.
  bool are_on_one_line() const {
    return from_.operation == 0 && to_.operation == 0 && leads_to_line(from_) &&
           access_of(from_).where.is_same_line(access_of(to_).where);
  }

  /// Whether both are threads, and each let the other go on, other than by its begin or end. One way only, as by a mutex that an
  /// earlier thread left behind, is no exchange.
  bool do_hand_over() const {
    if (from_.operation != 0 || to_.operation != 0) return false;
    const trace::thread_id one = access_of(from_).thread, other = access_of(to_).thread;
    return lets_go_on(one, other) && lets_go_on(other, one);
  }

  bool lets_go_on(trace::thread_id from, trace::thread_id to) const {
    const std::vector<trace::host_edge>& edges = recording_.host_edges;
    const auto is_to = [&](const trace::host_edge& edge) { return edge.to == to; };
    // The first edge to a thread is its begin.
    const auto begin = to == 1 ? edges.begin() : std::find_if(edges.begin(), edges.end(), is_to);
    return std::any_of(begin, edges.end(), [&](const trace::host_edge& edge) {
      const bool is_begin = to != 1 && edge.to_step == begin->to_step;
      return is_to(edge) && edge.from == from && !edge.is_join && !is_begin;
    });
  }

  /// Whether the thread that issues the second side writes to the memory that this reads at the same line as the first.
  bool is_for_what_its_thread_wrote() const {
    const trace::call_id issued_by = operation_of(to_).issued_by;
    const race_side& first = race_.cause.example.first;
    if (issued_by == 0 || first.operation != 0 || race_.cause.example.second.mode != trace::access_mode::read)
      return false;
    const trace::thread_id issuer = recording_.call_at(issued_by).thread;
    const trace::host_access& other = access_of(first);
    return std::any_of(recording_.host_accesses->begin(), recording_.host_accesses->end(),
                       [&](const trace::host_access& one) {
                         return one.thread == issuer && one.thread != other.thread && one.after < issued_by &&
                                one.access.mode != trace::access_mode::read &&
                                one.where.is_same_line(other.where) &&
                                one.access.allocation == other.access.allocation;
                       });
  }

  std::string host_before_device() const {
    const std::string thread = thread_in_words(recording_, from_);
    if (is_announcement())
      return fmt::format("Nothing makes {} wait for the result. ", thread) + useless_wait() +
             cure_of_announcement();
    if (race_.is_read_before_result) {
      return fmt::format(
          "Nothing makes {} wait for the result. Let it go on only when that operation is complete: by an "
          "event or a host function behind it in its stream, or by a wait for that stream.",
          thread);
    }
    const trace::call_id issued_by = operation_of(to_).issued_by;
    if (is_for_what_its_thread_wrote()) {
      const std::string reader = report::name_of(recording_, operation_of(to_));
      return fmt::format(
          "{} writes there too before it issues {}, which is to read what that thread has put there. No other thread may write "
          "there until {} is done: hold one mutex from the write until then.",
          capitalized(thread_in_words(recording_, to_)), reader, reader);
    }
    const std::string issuer = issued_by == 0
                                   ? "the thread that issues it"
                                   : fmt::format("host thread {}", recording_.call_at(issued_by).thread);
    if (issued_by != 0 && is_handed_over_before(issued_by)) {
      const std::string use = place_or(from_, "that");
      return fmt::format(
          "Nothing makes it start after {0} is done. {1} and {2} hand things over to each other, but {0} does so before {3}, and not "
          "between that and {4}. If that hands these bytes over, it is too early: hand them over only behind {3}.",
          thread, capitalized(thread), issuer, use, place_or(to_, "the operation"));
    }
    return fmt::format(
        "Nothing makes it start after {} is done: let {} wait for that thread (a join, a mutex or an atomic "
        "flag) before it issues the operation.",
        thread, issuer);
  }

  /// Whether the thread of the first side and the one that makes the call hand things over to each other, and the former did so
  /// before the first side.
  bool is_handed_over_before(trace::call_id call) const {
    const trace::host_access& use = access_of(from_);
    const trace::thread_id issuer = recording_.call_at(call).thread;
    return lets_go_on(issuer, use.thread) && lets_go_on(use.thread, issuer) &&
           std::any_of(recording_.host_edges.begin(), recording_.host_edges.end(),
                       [&](const trace::host_edge& edge) {
                         return edge.from == use.thread && edge.to == issuer && edge.from_step < use.step &&
                                edge.to_after < call;
                       });
  }

  const trace::recording& recording_;
  const analysis::race_diagnosis& race_;
  const race_side& from_;
  const race_side& to_;
};

}  // namespace

std::string_view title_of(analysis::race_kind kind) {
  switch (kind) {
    case analysis::race_kind::unordered:
      return "Nothing orders two accesses to the same bytes";
    case analysis::race_kind::result_read_early:
      return "A result is read before it is ready";
    case analysis::race_kind::source_overwritten:
      return "The source of a copy is overwritten before the copy has run";
  }
  throw std::logic_error("a kind of race without a title");
}

std::string race_sides(const trace::recording& recording, const analysis::race_diagnosis& race) {
  return race_text(recording, race).both_sides();
}

std::string race_sentences(const trace::recording& recording, const analysis::race_diagnosis& race) {
  return race_text(recording, race).text();
}

}  // namespace report
