// result.h: the verdicts, their precedence, and the result record of a check with its JSON.
//
// Not here: how verdicts are found (matchers/) and printed (verdict_text.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/exit_status.h"

namespace report {

/// The verdict on a run, in order of precedence: the first that applies counts.
enum class run_verdict {
  infra_error,         ///< our own mistake; never counts against the learner
  missing_file,        ///< the lesson's file is not there
  compile_error,       ///< the file does not compile (or lacks the function of the contract)
  unsupported,         ///< CUDA that the virtual GPU does not model
  own_main,            ///< the file defines main()
  crashed,             ///< ended by a signal
  timeout,             ///< ran into the time limit
  output_limit,        ///< printed too much
  ended_early,         ///< exited before the check was over
  channel_damaged,     ///< wrote into the private channel
  cuda_error,          ///< a CUDA call failed and the program did not check it
  wrong_answer,        ///< the data are wrong under some schedule
  race_detected,       ///< two conflicting accesses are not ordered
  requirement_missed,  ///< the program does not do something that the lesson asks for
  no_overlap,          ///< work that should overlap does not
  too_slow,            ///< slower than asked, relative to what is attainable
  inconclusive,        ///< could not be decided; never counts against the learner
  not_measurable,      ///< this device cannot show it; never counts against the learner
  pass,
};

/// The verdict on one criterion.
enum class criterion_verdict { pass, fail, not_observable };

/// The stable word of a verdict: "wrong_answer".
std::string_view word_of(run_verdict verdict);
std::string_view word_of(criterion_verdict verdict);
/// The verdict in a heading for people: "wrong answer", "time limit".
std::string words_of(run_verdict verdict);
/// Throws std::invalid_argument when no verdict has that word.
run_verdict run_verdict_from_word(std::string_view word);
/// Throws std::invalid_argument when no verdict has that word.
criterion_verdict criterion_verdict_from_word(std::string_view word);

/// A place and the lines from which the function that it is in was called.
struct called_place {
  std::string place;               ///< "async_copy.cu:12"
  std::vector<std::string> lines;  ///< "async_copy.cu:25"
  /// Each line is in a function that the next one calls, the innermost first; else each calls the function of the place.
  bool is_chain = false;
  bool operator==(const called_place&) const = default;
};

/// A line of the source, 1-based.
struct source_line {
  int line = 0;
  std::string text;
  bool operator==(const source_line&) const = default;
};

/// A failure message has four parts; each is one or more plain sentences and none repeats another.
struct evidence {
  std::string required;
  std::string observation;  ///< what the run did: operation, stream, time
  std::string where;        ///< "async_copy.cu:41", or "" when not known
  std::string read_next;
  std::string quoted =
      "";  ///< the line of the source at the first place; "" when it is not in the checked file
  std::vector<called_place>
      called_from{};                  ///< of places of `where`; none where no calls around them are known
  std::vector<source_line> values{};  ///< the lines that gave the variables at the first place their values
  bool operator==(const evidence&) const = default;
};

/// "async_copy.cu:41" and "async_copy.cu:12" of "async_copy.cu:41, async_copy.cu:12".
std::vector<std::string> places_in(const evidence& why);

/// Puts the place ahead of the others, where it then does not stand again; "" changes nothing.
void lead_first_to(evidence& why, const std::string& place);

/// The place of the evidence with its callers; nullptr where they are not known.
const called_place* called_place_of(const evidence& why, const std::string& place);

/// The lines from which the function that the place is in was called; empty where that is not known.
std::vector<std::string> callers_of_place(const evidence& why, const std::string& place);

/// What a criterion measured, in the words of a table.
struct measurement {
  std::string value;     ///< "0.86", "5 of 6"
  std::string required;  ///< "at least 0.60", "6 of 6"
  bool operator==(const measurement&) const = default;
};

/// What a check says of one criterion.
struct criterion_result {
  std::string name{};   ///< "CopiesOverlapKernels"
  std::string title{};  ///< "copies run while kernels run"
  int points = 0;     ///< of the lesson's 100
  criterion_verdict verdict = criterion_verdict::not_observable;
  /// The verdict on the run that this criterion leads to. Not observable: inconclusive or not_measurable, or pass when
  /// the run can pass without it.
  run_verdict failure = run_verdict::pass;
  evidence why{};  ///< failures
  /// Failures: the probable mistake, a word of mistake.h that selects the hint; "" when not known.
  std::string mistake{};
  /// Failures: the criterion whose failure can be their cause and is reported first; "" when none is known.
  std::string comes_of{};
  std::string note{};  ///< not observable: the reason; pass: what was measured, e.g. "0.92 of 0.60"
  std::optional<measurement> measured{};  ///< criteria that measure something
  bool operator==(const criterion_result&) const = default;
};

/// Something about the use of CUDA that no criterion asks for.
struct remark {
  std::string title;    ///< "A stream is never destroyed"
  std::string message;  ///< what was done, and what to do
  std::string where;    ///< "async_copy.cu:41"
  bool operator==(const remark&) const = default;
};

/// Everything known about one check of one file.
struct result {
  int lesson = 0;
  std::string slug{};          ///< "async_copy"
  std::string title{};         ///< "Asynchronous copies"
  std::string source{};        ///< the checked file, relative to the checkout when inside it
  std::string source_hash{};   ///< content_hash() of it, for freshness
  std::string lesson_hash{};   ///< lesson_hash() of the lesson
  std::string backend{};       ///< "virtual" or "gpu"
  std::string profile{};       ///< of the virtual GPU: its short name; "" on a real one
  std::string profile_file{};  ///< of the virtual GPU: its path, when the profile is not from the course
  std::string compiler{};      ///< of the .cu file; "" for the default
  std::vector<std::string> environment{};  ///< "CUDA_LAUNCH_BLOCKING=1": variables that change what runs
  std::uint64_t seed = 0;                ///< repeats the run with --seed
  run_verdict verdict = run_verdict::infra_error;
  evidence why{};  ///< the first reason, when the run did not pass
  /// A limit of real time led to the verdict: on a machine that is less busy it may be another.
  bool is_over_real_time = false;
  std::vector<criterion_result> criteria{};  ///< empty when the run did not get that far
  std::vector<remark> remarks{};             ///< they cost no points
  std::vector<std::string> schedules{};
  std::string compiler_output{};  ///< errors and warnings, as printed
  std::string program_output{};   ///< what the learner's program printed (cut)
  std::string recording{};        ///< file name of the recording beside the record, "" when there is none
  std::string checked_at{};       ///< local time: "2026-11-22 14:30:05"
  /// What this check and the one before it in the same folder do not agree in: "CopiesOverlapKernels 0.00 -> 0.86".
  std::vector<std::string> changes{};
  std::string
      solution_time{};  ///< of the solution's part on this profile, as its page says: "715 us"; "": not known, or there is none
  std::map<std::string, double>
      figures{};             ///< of the learner's part, as figures_of() of figures.h; empty without one
  std::string timeline{};    ///< the text timeline of the learner's part, "" when there is none
  double build_seconds = 0;  ///< real time, for people
  double run_seconds = 0;    ///< real time of all runs
  /// How far the program was kept from the machine: a word of processes/sandbox.h.
  std::string isolation = "none";
  bool operator==(const result&) const = default;
};

/// What the later check of a file says otherwise than the earlier one, in the order of the criteria: what a criterion measured,
/// or its verdict.
std::vector<std::string> changes_between(const result& earlier, const result& later);

/// Points of the criteria that passed.
int points_of(const result& result);

/// The verdict of the criteria on the run: the failure with the highest precedence; when none failed, the verdict of
/// those that could not be decided; else `pass` when at least one passed, and `inconclusive` when none did.
run_verdict verdict_of(const std::vector<criterion_result>& criteria);

/// The criteria that failed: consequences of other failures last, else the gravest first.
std::vector<const criterion_result*> failures_in_report_order(const result& result);

/// 0 passed, 1 a verdict against the learner, 2 could not be decided, 3 time limit.
exit_status::value exit_status_of(run_verdict verdict);

/// Replaces the file atomically (temporary file and rename).
void save(const std::filesystem::path& file, const result& result);
/// Throws std::runtime_error with the file and the reason when the file is missing, cut off or of another version.
result load(const std::filesystem::path& file);
/// The JSON text that --json prints.
std::string to_json(const result& result);
/// Throws std::exception when the text is not a record or of another version.
result from_json(std::string_view text);

}  // namespace report
