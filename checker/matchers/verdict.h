// verdict.h: what a matcher says of a run: whether it passed, and the evidence.
//
//     if (fraction >= required) return passed("0.86, required 0.60", at_least(fraction, required));
//     return failed(report::run_verdict::no_overlap, report::mistake::host_waits_early, why, measured);
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/mistake.h"
#include "report/result.h"

namespace matchers {

/// What a verdict was found in.
enum class basis {
  recording,  ///< what ran when, which calls were made: nothing can be said where no timeline was recorded
  lengths,    ///< how long parts and undisturbed operations took, which events tell without a timeline
  data,       ///< what came back, which needs no recording
};

/// The result of one matcher.
struct verdict {
  report::criterion_verdict outcome = report::criterion_verdict::pass;
  /// What it makes of the run. Not observable: inconclusive or not_measurable, or pass when it says nothing.
  report::run_verdict run = report::run_verdict::pass;
  report::evidence why;  ///< of a failure
  std::string mistake;   ///< of a failure: see report::criterion_result
  std::string note;      ///< passed: what was measured; not observable: why
  std::optional<report::measurement> measured;
  basis found_in = basis::recording;
  /// Times were compared with those of the calibration in the same run. Where other programs used the GPU
  /// that took too long as well, so that passing proves nothing.
  bool compares_with_calibration = false;
  /// The first call of the learner's function is judged by the same.
  bool is_asked_of_first_call = false;
  /// It was found under the usual schedule and on the usual profile.
  bool is_of_usual_run = true;
  /// A failure: what happened is known, so that nobody has to guess.
  bool is_explained = false;
  bool operator==(const verdict&) const = default;
};

/// `note` is what was measured: "0.97, required 0.60".
verdict passed(std::string note = "", std::optional<report::measurement> measured = std::nullopt);

/// `failure` is what that makes of the run.
verdict failed(report::run_verdict failure, report::mistake mistake, report::evidence why,
               std::optional<report::measurement> measured = std::nullopt);
/// With the word of a mistake that another enum names: see report::is_mistake_word(); "" where none is known.
verdict failed(report::run_verdict failure, std::string_view mistake, report::evidence why,
               std::optional<report::measurement> measured = std::nullopt);

/// The recording lacks what the matcher would have to look at (the run may pass all the same), the device
/// cannot show it (`undecided` is not_measurable), or the measurement contradicts itself (inconclusive).
verdict not_observable(std::string reason, report::run_verdict undecided = report::run_verdict::pass,
                       std::optional<report::measurement> measured = std::nullopt);

/// A number beside its lower limit; one that is not enough is never rounded up to the limit.
report::measurement at_least(double value, double required, int decimals = 2);
/// A number beside its upper limit; one that is too much is never rounded down to the limit.
report::measurement at_most(double value, double allowed, int decimals = 2);

}  // namespace matchers
