// race_words.h: what the sentences about one race are made of: its sides, with their streams and
// places, and the wait that does not help.
//
// Only for race_sentences.h and what it is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/race_diagnosis.h"
#include "trace/recording.h"

namespace report {

/// One race. The texts about it derive from this.
class race_words {
 public:
  race_words(const trace::recording& recording, const analysis::race_diagnosis& race)
      : recording_(recording), race_(race), from_(race.cause.from), to_(race.cause.to) {}

 protected:
  using race_side = analysis::race_side;

  const trace::operation& operation_of(const race_side& side) const {
    return recording_.operation_at(side.operation);
  }
  const trace::host_access& access_of(const race_side& side) const {
    return recording_.host_accesses->at(side.host_access);
  }
  std::string stream_of(const race_side& side) const;
  /// Of a host access: whether the learner's line that called the code is known.
  bool leads_to_line(const race_side& side) const { return recording_.leads_to_line(access_of(side).where); }
  std::string place_or(const race_side& side, std::string_view otherwise) const;
  /// Whether a host function took the place of a wait.
  bool is_announcement() const;
  /// What it was to announce.
  const race_side& announced() const { return from_.operation == 0 ? to_ : from_; }
  /// Whether a wait in place of the query does for all the races of the cause.
  bool is_cured_there() const;
  /// "`a`, `b` and `c`".
  std::string in_words_of(const std::vector<trace::stream_id>& streams) const;
  /// The streams for which a wait is missing: at the return those of all the races of the cause, elsewhere that of each round.
  std::vector<trace::stream_id> streams_to_wait_for() const;
  /// Whether the user's function was not called again between the two calls.
  bool is_in_same_part(trace::call_id one, trace::call_id other) const;

  const trace::recording& recording_;
  const analysis::race_diagnosis& race_;
  const race_side& from_;
  const race_side& to_;
};

}  // namespace report
