#include "report/wording/race_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/places.h"
#include "report/wording/host_race_sentences.h"
#include "report/wording/names.h"
#include "report/wording/race_cures.h"
#include "report/wording/race_words.h"
#include "report/wording/region_sentences.h"
#include "report/wording/useless_wait_sentences.h"
#include "trace/call_promise.h"

namespace report {
namespace {

using analysis::race_actor;

std::string_view verb_of(trace::access_mode mode) {
  static constexpr std::string_view verbs[] = {"reads", "writes", "atomically updates"};
  return verbs[static_cast<int>(mode)];
}

class race_text : public race_words {
 public:
  using race_words::race_words;

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
    if (race_.mistake == analysis::race_mistake::host_code_unordered)
      return sides + host_code_sentences(*this);
    if (from_.operation == 0 && to_.operation == 0)
      return sides + "Nothing makes that wait for it. Join that thread before you return.";
    if (race_.cause.example.first.operation == 0) return sides + host_before_device_sentences(*this);
    if (race_.mistake == analysis::race_mistake::source_written_late) return sides + late_source();
    if (race_.mistake == analysis::race_mistake::queued_unordered) return sides + order_of_calls();
    if (race_.pieces) return sides + cure_of_overlapping_pieces(*this);
    return sides + missing_edge() + useless_wait_sentences(*this) + streams_of_one_line() + race_cures(*this);
  }

 private:
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

  /// Whether a barrier or a critical region of OpenMP is the cure.
  bool is_cured_in_region() const {
    return race_.to != race_actor::caller && race_.mistake != analysis::race_mistake::source_written_late &&
           !race_.pieces && !race_.is_inside_one_graph && !is_announcement() && !is_cured_there() &&
           is_within_region(recording_, race_.cause.example);
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
