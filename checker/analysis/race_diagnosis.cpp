#include "analysis/race_diagnosis.h"

#include <algorithm>

#include "analysis/announcements.h"
#include "analysis/late_sources.h"
#include "analysis/places.h"

namespace analysis {
namespace {

class diagnostician {
 public:
  diagnostician(const trace::recording& recording, const ordering& order, const race_cause& cause,
                const std::optional<part>& function)
      : recording_(recording), cause_(cause), function_(function) {
    result_.cause = cause;
    if (is_of_one_stream()) return;  // no wait of the device orders calls of the host
    result_.useless = find_useless_wait(recording, order, cause, function_);
    if (!result_.useless) result_.useless = find_announcement(order);
  }

  race_diagnosis diagnose() {
    result_.first = actor_of(cause_.example.first);
    result_.second = actor_of(cause_.example.second);
    result_.to = actor_of(cause_.to);
    result_.is_inside_one_graph = are_in_one_graph(recording_, cause_.from, cause_.to);
    result_.later_stream_made_by = later_creation();
    result_.is_exempt_from_barrier = is_exempt_from_barrier();
    result_.is_read_before_result = is_read_before_result();
    if (result_.to != race_actor::caller && !result_.is_inside_one_graph) result_.pieces = find_pieces();
    result_.mistake = mistake();
    if (result_.mistake == race_mistake::source_written_late) result_.useless.reset();
    if (result_.mistake == race_mistake::unfinished_at_return && !result_.useless)
      result_.useless = last_wait_of_function();
    if (!result_.useless) result_.useless = find_destruction();
    find_places();
    return std::move(result_);
  }

 private:
  /// Of a thread that reads what an operation writes too early.
  std::optional<useless_wait> find_announcement(const ordering& order) const {
    const bool host_comes_first = cause_.from.operation == 0;
    const race_side& device = host_comes_first ? cause_.to : cause_.from;
    const race_side& host = host_comes_first ? cause_.from : cause_.to;
    if (host.operation != 0 || device.operation == 0) return std::nullopt;
    const trace::host_access& access = recording_.host_accesses->at(host.host_access);
    if (access.access.mode != trace::access_mode::read) return std::nullopt;
    if (host_comes_first && !is_read_before_result()) return std::nullopt;
    return find_useless_announcement(recording_, order, recording_.operation_at(device.operation), access);
  }

  trace::call_id last_call_of_the_function() const {
    return function_->calls.empty() ? 0 : function_->calls.back();
  }

  race_actor actor_of(const race_side& side) const {
    if (is_caller(side)) return race_actor::caller;
    const bool is_callee =
        side.operation == 0 && recording_.is_external(recording_.host_accesses->at(side.host_access).where);
    return is_callee ? race_actor::callee : race_actor::own_function;
  }

  bool is_caller(const race_side& side) const {
    if (!function_) return false;
    const trace::call_id last = last_call_of_the_function();
    if (side.operation != 0) return recording_.operation_at(side.operation).issued_by > last;
    // A host statement is known by the last call before it only; the function's own last statements look like
    // the caller's first ones, unless they have a line of the user's.
    const trace::host_access& access = recording_.host_accesses->at(side.host_access);
    return access.after >= last && !recording_.leads_to_line(access.where);
  }

  bool is_of_one_stream() const {
    return cause_.from.operation != 0 && cause_.to.operation != 0 &&
           recording_.operation_at(cause_.from.operation).stream ==
               recording_.operation_at(cause_.to.operation).stream &&
           !are_in_one_graph(recording_, cause_.from, cause_.to);
  }

  trace::call_id later_creation() const {
    if (cause_.from.operation == 0 || cause_.to.operation == 0) return 0;
    const trace::operation& first = recording_.operation_at(cause_.from.operation);
    const trace::stream& from = recording_.stream_at(first.stream);
    const trace::stream& to = recording_.stream_at(recording_.operation_at(cause_.to.operation).stream);
    if (from.created_by == 0 || to.created_by <= first.issued_by) return 0;
    const trace::host_call& one = recording_.call_at(from.created_by);
    const trace::host_call& other = recording_.call_at(to.created_by);
    return one.thread == other.thread && one.where.is_same_line(other.where) &&
                   recording_.leads_to_line(other.where)
               ? other.id
               : 0;
  }

  bool is_exempt_from_barrier() const {
    if (cause_.from.operation == 0 || cause_.to.operation == 0) return false;
    const trace::stream& from = recording_.stream_at(recording_.operation_at(cause_.from.operation).stream);
    const trace::stream& to = recording_.stream_at(recording_.operation_at(cause_.to.operation).stream);
    const auto is_exempt = [](const trace::stream& legacy, const trace::stream& other) {
      return legacy.kind == trace::stream_kind::legacy_default &&
             other.blocking == trace::stream_blocking::non_blocking;
    };
    return is_exempt(from, to) || is_exempt(to, from);
  }

  /// Whether the host reads what no operation of the function wrote that was issued earlier: then it came
  /// before the result, and not the result too early.
  bool is_read_before_result() const {
    if (cause_.from.operation != 0 || cause_.to.operation == 0 ||
        cause_.example.first.mode != trace::access_mode::read) {
      return false;
    }
    const race& example = cause_.example;
    const auto bytes = trace::byte_set::range(example.bytes.begin, example.bytes.end - example.bytes.begin);
    const auto writes_them = [&](const trace::operation& operation) {
      const auto& accesses = operation.accesses;
      return accesses && std::any_of(accesses->begin(), accesses->end(), [&](const trace::access& access) {
               return access.allocation == example.allocation && access.mode != trace::access_mode::read &&
                      access.bytes.overlaps(bytes);
             });
    };
    const bool has_begin = function_ && !function_->operations.empty();
    const trace::operation_id first = has_begin ? function_->operations.front() : 1;
    return std::none_of(recording_.operations.begin() + (first - 1),
                        recording_.operations.begin() + (cause_.to.operation - 1), writes_them);
  }

  /// Whether the function had put nothing into the source of the first side when that was queued.
  bool is_source_written_late() const {
    if (!function_ || cause_.to.operation != 0 || cause_.kind != race_kind::source_overwritten) return false;
    const race& example = cause_.example;
    const trace::access read{
        example.allocation, trace::access_mode::read,
        trace::byte_set::range(example.bytes.begin, example.bytes.end - example.bytes.begin)};
    return late_source_of(*function_, recording_.operation_at(example.first.operation), read) != nullptr;
  }

  /// What the operation does with the memory of the race, in one of the two ways; nullptr: nothing.
  const trace::access* access_to(const trace::operation& operation, bool is_write) const {
    if (!operation.accesses) return nullptr;
    const auto found = std::find_if(
        operation.accesses->begin(), operation.accesses->end(), [&](const trace::access& access) {
          return access.allocation == cause_.example.allocation &&
                 access.mode != (is_write ? trace::access_mode::read : trace::access_mode::write);
        });
    return found == operation.accesses->end() ? nullptr : &*found;
  }

  /// Of a side that writes, and an operation of the same line that is the other side, or writes what that one reads.
  std::optional<overlapping_pieces> find_pieces() const {
    const race& example = cause_.example;
    if (example.first.operation == 0 || example.second.operation == 0) return std::nullopt;
    for (const auto& [writer, user] :
         {std::pair(&example.second, &example.first), std::pair(&example.first, &example.second)}) {
      const trace::operation& written = recording_.operation_at(writer->operation);
      const trace::operation& used = recording_.operation_at(user->operation);
      const trace::location line = place_of_operation(recording_, written.id);
      const trace::access* const write = access_to(written, true);
      if (write == nullptr || !recording_.leads_to_line(line)) continue;
      for (const trace::operation& piece : recording_.operations) {
        if (function_ &&
            !std::binary_search(function_->operations.begin(), function_->operations.end(), piece.id))
          continue;
        const bool is_like_it = piece.id != written.id && piece.kind == written.kind &&
                                piece.name == written.name &&
                                place_of_operation(recording_, piece.id).is_same_line(line);
        const trace::access* const other = is_like_it ? access_to(piece, true) : nullptr;
        if (other == nullptr || !other->bytes.overlaps(write->bytes) ||
            other->bytes.bounds().begin == write->bytes.bounds().begin)
          continue;
        const trace::access* const read = access_to(used, false);
        if (piece.id == used.id || (read != nullptr && read->bytes.overlaps(other->bytes)))
          return overlapping_pieces{std::min(piece.id, written.id), std::max(piece.id, written.id)};
      }
    }
    return std::nullopt;
  }

  race_mistake mistake() const {
    if (result_.to == race_actor::caller) return race_mistake::unfinished_at_return;
    if (is_of_one_stream()) return race_mistake::queued_unordered;
    if (result_.is_read_before_result) return race_mistake::result_read_early;
    const bool is_on_host = runs_on_host(recording_, cause_.from) && runs_on_host(recording_, cause_.to);
    const bool has_useless = result_.useless && result_.useless->kind != useless_wait_kind::too_early &&
                             result_.useless->kind != useless_wait_kind::too_late;
    if (is_on_host && !has_useless) return race_mistake::host_code_unordered;
    if (cause_.from.operation == 0) return race_mistake::host_not_awaited;
    if (is_source_written_late()) return race_mistake::source_written_late;
    if (result_.is_exempt_from_barrier) return race_mistake::default_stream_unordered;
    if (result_.useless) {
      switch (result_.useless->kind) {
        case useless_wait_kind::in_another_stream:
        case useless_wait_kind::wrong_way:
          return race_mistake::wait_in_another_stream;
        case useless_wait_kind::for_another_stream:
          return race_mistake::wait_for_another_stream;
        case useless_wait_kind::recorded_too_early:
          return race_mistake::recorded_too_early;
        case useless_wait_kind::recorded_unordered:
        case useless_wait_kind::never_recorded:
        case useless_wait_kind::recorded_later:
          return race_mistake::never_recorded;
        case useless_wait_kind::failed:  // as good as none
        case useless_wait_kind::for_another_device:
        case useless_wait_kind::of_other_way:
        case useless_wait_kind::announced_in_another_stream:
        case useless_wait_kind::announced_too_early:
        case useless_wait_kind::only_asked:
        case useless_wait_kind::only_of_a_stream:
        case useless_wait_kind::only_destroyed:
        case useless_wait_kind::too_early:
        case useless_wait_kind::too_late:
          break;
      }
    }
    if (cause_.to.operation == 0) {
      return cause_.kind == race_kind::source_overwritten ? race_mistake::source_overwritten
                                                          : race_mistake::result_read_early;
    }
    return cause_.example.second.mode == trace::access_mode::write ? race_mistake::buffer_reused
                                                                   : race_mistake::result_not_awaited;
  }

  /// What destroys the first side's stream, before the caller or a host thread uses what that works on.
  std::optional<useless_wait> find_destruction() const {
    const bool is_for_caller = result_.to == race_actor::caller;
    if (cause_.from.operation == 0 || (!is_for_caller && cause_.to.operation != 0)) return std::nullopt;
    const trace::operation& first = recording_.operation_at(cause_.from.operation);
    const trace::call_id destroyed_by = recording_.stream_at(first.stream).destroyed_by;
    const trace::call_id end = is_for_caller ? last_call_of_the_function()
                                             : recording_.host_accesses->at(cause_.to.host_access).after;
    if (destroyed_by < first.issued_by || destroyed_by > end) return std::nullopt;
    return useless_wait{useless_wait_kind::only_destroyed, destroyed_by, 0};
  }

  /// The last wait of the function that came behind the first side, where it failed or is for another stream.
  std::optional<useless_wait> last_wait_of_function() const {
    if (cause_.from.operation == 0) return std::nullopt;
    const trace::operation& first = recording_.operation_at(cause_.from.operation);
    for (auto id = function_->calls.rbegin(); id != function_->calls.rend() && *id > first.issued_by; ++id) {
      const trace::host_call& call = recording_.call_at(*id);
      if (trace::effect_of(call) != trace::call_effect::synchronizes) continue;
      const bool is_for_stream = trace::traits_of(call.function).waits_for == trace::wait_target::stream;
      if (call.error_code != 0) {
        if (is_for_stream && call.stream != 0 && call.stream != first.stream) continue;
        return useless_wait{useless_wait_kind::failed, *id, 0};
      }
      if (!is_for_stream || call.stream == 0 || call.stream == first.stream) return std::nullopt;
      const std::size_t end =
          cause_.to.operation != 0 ? recording_.host_accesses->size() : cause_.to.host_access;
      if (serves_next_reads(recording_, call, end)) return std::nullopt;
      return useless_wait{useless_wait_kind::for_another_stream, *id, 0};
    }
    return std::nullopt;
  }

  /// False of a wait that may be there for something else: one is missing then.
  bool is_wait_the_mistake() const {
    if (!result_.useless) return false;
    switch (result_.useless->kind) {
      case useless_wait_kind::for_another_stream:
        return cause_.to.operation == 0 || result_.to == race_actor::caller;
      case useless_wait_kind::of_other_way:
      case useless_wait_kind::too_early:
        return false;
      case useless_wait_kind::too_late:
        return result_.useless->in_its_place != 0;
      default:
        return true;
    }
  }

  void find_places() {
    std::vector<trace::location>& places = result_.places;
    const auto add = [&](const trace::location& place) {
      if (recording_.leads_to_line(place) && std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(place);
    };
    if (result_.later_stream_made_by != 0) add(place_of_call(recording_, result_.later_stream_made_by));
    if (is_wait_the_mistake()) {
      if (result_.useless->kind == useless_wait_kind::recorded_too_early)
        add(place_of_operation(recording_, result_.useless->record));
      add(place_of_call(recording_, result_.useless->wait));
    }
    const bool is_first_misplaced = result_.mistake == race_mistake::source_written_late;
    const race_side* const sides[] = {&cause_.example.second, &cause_.example.first};
    for (const race_side* side : {sides[is_first_misplaced ? 1 : 0], sides[is_first_misplaced ? 0 : 1]}) {
      if ((side == &cause_.example.second ? result_.second : result_.first) == race_actor::caller) continue;
      add(side->statement);
      // Outside of its graph, order is a matter of the launch.
      if (side->operation != 0 && !result_.is_inside_one_graph)
        add(place_of_issue(recording_, side->operation));
      add(place_of(recording_, *side));
    }
    if (!result_.useless) return;
    add(place_of_call(recording_, result_.useless->wait));
    if (result_.useless->record != 0 && result_.useless->kind != useless_wait_kind::in_another_stream)
      add(place_of_operation(recording_, result_.useless->record));
  }

  const trace::recording& recording_;
  const race_cause& cause_;
  const std::optional<part>& function_;
  race_diagnosis result_;
};

}  // namespace

const std::array<std::string_view, race_mistake_count> race_mistake_words{
    "unfinished_at_return",   "default_stream_unordered", "recorded_too_early", "never_recorded",
    "wait_in_another_stream", "wait_for_another_stream",  "result_read_early",  "source_overwritten",
    "source_written_late",    "host_code_unordered",      "host_not_awaited",   "buffer_reused",
    "result_not_awaited",     "queued_unordered"};

std::string_view word_of(race_mistake mistake) {
  return race_mistake_words.at(static_cast<std::size_t>(mistake));
}

std::optional<std::vector<race_diagnosis>> diagnose_races(const part& part, const ordering& order,
                                                          const std::optional<analysis::part>& function) {
  const auto races = find_races(part, order);
  if (!races) return std::nullopt;
  std::vector<race_diagnosis> result;
  for (const race_cause& cause : causes_of(*part.recording, order, *races))
    result.push_back(diagnostician(*part.recording, order, cause, function).diagnose());
  return result;
}

}  // namespace analysis
