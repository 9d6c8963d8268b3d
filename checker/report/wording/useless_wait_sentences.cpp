#include "report/wording/useless_wait_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "analysis/misuse.h"
#include "analysis/places.h"
#include "report/wording/names.h"
#include "report/wording/region_sentences.h"

namespace report {
namespace {

using analysis::race_actor;

class useless_wait_text : public race_words {
 public:
  explicit useless_wait_text(const race_words& race) : race_words(race) {}

  std::string text() const {
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

 private:
  std::string name_of_announcement() const {
    return without_stream_in_words(recording_, recording_.operation_at(race_.useless->record));
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
};

}  // namespace

std::string useless_wait_sentences(const race_words& race) { return useless_wait_text(race).text(); }

}  // namespace report
