// sample_races.h: the sentences of the only race of a recording, for tests.
//
//     text_of(program.recording());
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "report/wording/race_sentences.h"

namespace report {

/// `function`: the user's; without it the whole program is.
inline analysis::race_diagnosis diagnosis_of(const trace::recording& recording,
                                             const std::optional<analysis::part>& function = {}) {
  const auto races =
      analysis::diagnose_races(analysis::part_of(recording, ""), analysis::ordering(recording), function);
  EXPECT_EQ(races->size(), 1u);
  return races->at(0);
}

/// The sentences of the only race.
inline std::string text_of(const trace::recording& recording,
                           const std::optional<analysis::part>& function = {}) {
  return race_sentences(recording, diagnosis_of(recording, function));
}

/// The places of the only race, each with a blank behind it.
inline std::string places_in(const trace::recording& recording,
                             const std::optional<analysis::part>& function = {}) {
  std::string text;
  for (const auto& place : diagnosis_of(recording, function).places) text += recording.describe(place) + " ";
  return text;
}

}  // namespace report
