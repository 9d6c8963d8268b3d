// place_text.h: a place in words, with the lines from which the function that it is in was called.
//
//     report::lead_to(why, recording, operation);      // why.where is "a.cu:12", why.called_from names a.cu:25
//     report::places_with_callers(why);                // "a.cu:12 (called from line 25)"
#pragma once

#include <string>
#include <vector>

#include "report/finding.h"
#include "report/result.h"
#include "trace/recording.h"

namespace report {

/// The lines of the user's around that place: "a.cu:25", the innermost first.
std::vector<std::string> callers_of(const trace::recording& recording, const trace::location& place);

/// "called from line 25", "called from line 25 or 31", of a chain "called from line 25, and that from line 31"; with the files when
/// one is another than that of the place. `callers` is not empty.
std::string callers_in_words(const std::string& place, const std::vector<std::string>& callers,
                             bool is_chain);

/// "a.cu:12 (called from line 25)"; "a.cu:12" without callers.
std::string place_with_callers(const std::string& place, const std::vector<std::string>& callers,
                               bool is_chain);
std::string place_with_callers(const trace::recording& recording, const trace::location& place);
std::string place_with_callers(const source_place& place);

/// The same for a text in parentheses: "a.cu:12, called from line 25". "" when no line of the user's is known.
std::string place_and_callers(const trace::recording& recording, const trace::location& place);

/// "a.cu:12 was called from line 25."; "" without callers.
std::string callers_sentence(const source_place& place);

/// The places of the evidence, with their callers.
std::string places_with_callers(const evidence& why);

/// "4: const std::size_t bytes = ...", with numbers of one width.
std::vector<std::string> values_in_words(const evidence& why);

/// The evidence leads to that place and no other; to none when no line of the user's is known.
void lead_to(evidence& why, const trace::recording& recording, const trace::location& place);
/// To the line that issued the operation.
void lead_to(evidence& why, const trace::recording& recording, const trace::operation& operation);
/// To all of them, first to the first.
void lead_to(evidence& why, const trace::recording& recording, const std::vector<trace::location>& places);

/// Adds what is known of the calls around a place that the evidence names.
void add_callers(evidence& why, const trace::recording& recording, const trace::location& place);

/// Adds those of the calls in lines that the evidence names and of which nothing is known yet.
void add_callers_of_calls(evidence& why, const trace::recording& recording,
                          const std::vector<trace::call_id>& calls);

}  // namespace report
