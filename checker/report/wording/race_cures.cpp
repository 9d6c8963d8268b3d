#include "report/wording/race_cures.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/places.h"
#include "report/wording/names.h"

namespace report {
namespace {

using analysis::race_actor;

class cure_text : public race_words {
 public:
  explicit cure_text(const race_words& race) : race_words(race) {}

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

  std::string cure_of_announcement() const {
    return fmt::format("Queue that host function in {}, behind {}.", stream_of(announced()),
                       place_or(announced(), "that operation"));
  }

 private:
  /// Whether a stream waits for an event ahead of the record that it was to wait for.
  bool is_wait_ahead_of_record() const {
    return race_.useless && race_.useless->record != 0 &&
           (race_.useless->kind == analysis::useless_wait_kind::never_recorded ||
            race_.useless->kind == analysis::useless_wait_kind::recorded_later);
  }

  /// Where the stream is destroyed in place of a wait; "" where it is not.
  std::string place_of_destruction() const {
    const bool is_destroyed =
        race_.useless && race_.useless->kind == analysis::useless_wait_kind::only_destroyed;
    return is_destroyed ? recording_.describe(recording_.call_at(race_.useless->wait).where) : "";
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
};

}  // namespace

std::string race_cures(const race_words& race) { return cure_text(race).cures(); }

std::string cure_of_overlapping_pieces(const race_words& race) { return cure_text(race).overlapping_pieces(); }

std::string cure_of_announcement(const race_words& race) { return cure_text(race).cure_of_announcement(); }

}  // namespace report
