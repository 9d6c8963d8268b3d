// result.h: verdicts, and the result record from which every view of a check is made.
//
// Here: the words for what can be said about a run and about one criterion, their precedence, and the
// record's JSON. Not here: how they are found (matchers/) and how they are printed (verdict_text.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/exit_status.h"

namespace report {

/// What is said of a run as a whole. In order of precedence: the first that applies is the verdict of the run.
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
  cuda_error,          ///< a CUDA call failed and nobody asked
  wrong_answer,        ///< the data are wrong under some schedule
  race_detected,       ///< nothing orders two conflicting accesses
  requirement_missed,  ///< something the lesson asks for is not done
  no_overlap,          ///< work that should overlap does not
  too_slow,            ///< slower than asked, relative to what is attainable
  inconclusive,        ///< could not be decided; never counts against the learner
  not_measurable,      ///< this device cannot show it; never counts against the learner
  pass,
};

/// What is said of one criterion.
enum class criterion_verdict { pass, fail, not_observable };

/// The stable word of a verdict ("wrong_answer"), and back; from_word throws std::invalid_argument.
std::string_view word_of(run_verdict verdict);
/// The same for criteria.
std::string_view word_of(criterion_verdict verdict);
/// The verdict in a heading for people: "wrong answer", "time limit".
std::string words_of(run_verdict verdict);
/// The verdict of that word; throws std::invalid_argument when there is none.
run_verdict run_verdict_from_word(std::string_view word);
/// The same for criteria.
criterion_verdict criterion_verdict_from_word(std::string_view word);

/// A failure message has four parts; each is one or more plain sentences and none repeats another.
struct evidence {
  std::string required;     ///< what was required
  std::string observation;  ///< what the run did: operation, stream, time
  std::string where;        ///< "async_copy.cu:41", or "" when not known
  std::string read_next;    ///< what to read next
  bool operator==(const evidence&) const = default;
};

/// What a criterion measured, in the words of a table.
struct measurement {
  std::string value;     ///< "0.86", "5 of 6"
  std::string required;  ///< "at least 0.60", "6 of 6"
  bool operator==(const measurement&) const = default;
};

/// What a check says of one criterion.
struct criterion_result {
  std::string name;                                               ///< "CopiesOverlapKernels"
  std::string title;                                              ///< "copies run while kernels run"
  int points = 0;                                                 ///< of the lesson's 100
  criterion_verdict verdict = criterion_verdict::not_observable;  ///< pass, fail, or not observable
  /// What a failure of this criterion makes of the run. Not observable: inconclusive or not_measurable when
  /// that is what the run becomes, pass when the criterion says nothing of it.
  run_verdict failure = run_verdict::pass;
  evidence why;  ///< failures
  /// Failures: what most likely is wrong, a word of mistake.h by which a hint is chosen; "" where it is not known.
  std::string mistake;
  std::string note;  ///< not observable: the reason; pass: what was measured, e.g. "0.92 of 0.60"
  std::optional<measurement> measured;  ///< of criteria that measure something; passed or not
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
  int lesson = 0;                        ///< 3
  std::string slug;                      ///< "async_copy"
  std::string title;                     ///< "Asynchronous copies"
  std::string source;                    ///< the checked file, relative to the checkout when inside it
  std::string source_hash;               ///< content_hash() of it, for freshness
  std::string lesson_hash;               ///< lesson_hash() of the lesson that it was checked against
  std::string backend;                   ///< "virtual" or "gpu"
  std::string profile;                   ///< of the virtual GPU: its short name; "" on a real one
  std::string profile_file;              ///< of the virtual GPU: where it is, when it is none of the course
  std::string compiler;                  ///< of the .cu file; "" for the usual one
  std::vector<std::string> environment;  ///< "CUDA_LAUNCH_BLOCKING=1": variables that change what runs
  std::uint64_t seed = 0;                ///< repeats the run with --seed
  run_verdict verdict = run_verdict::infra_error;  ///< on the run as a whole
  evidence why;                                    ///< the first reason, when the run did not pass
  std::vector<criterion_result> criteria;          ///< empty when the run did not get that far
  std::vector<remark> remarks;                     ///< they cost no points
  std::vector<std::string> schedules;              ///< the schedules the program ran under
  std::string compiler_output;                     ///< errors and warnings, as printed
  std::string program_output;                      ///< what the learner's program printed (cut)
  std::string recording;     ///< file name of the recording beside the record, "" when there is none
  std::string timeline;      ///< the text timeline of the learner's part, "" when there is none
  double build_seconds = 0;  ///< real time, for people
  double run_seconds = 0;    ///< real time of all runs
  bool operator==(const result&) const = default;
};

/// Points of the criteria that passed.
int points_of(const result& result);

/// The verdict of a run whose criteria are known: the failure with the highest precedence; when none failed,
/// what those that could not be decided make of the run; else `pass` when at least one passed, and `inconclusive`.
run_verdict verdict_of(const std::vector<criterion_result>& criteria);

/// 0 passed, 1 a verdict against the learner, 2 could not be decided, 3 time limit.
exit_status::value exit_status_of(run_verdict verdict);

/// Writes the record so that a reader sees the old one or the new one, never half (temporary file and
/// rename).
void save(const std::filesystem::path& file, const result& result);
/// Throws std::runtime_error (with the file and the reason) when the file is missing, cut off or of another
/// version.
result load(const std::filesystem::path& file);
/// The record as JSON text, as printed by --json.
std::string to_json(const result& result);
/// The record of that text. Throws std::exception when it is none, or of another version.
result from_json(std::string_view text);

}  // namespace report
