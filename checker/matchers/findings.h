// findings.h: what the matchers of one criterion have to say beyond pass or fail.
//
// A matcher files evidence here while it matches; whoever evaluates the criterion (evaluate.h) opens a scope
// before and reads it after. Filing outside a scope does nothing.
//
//     matchers::findings_scope scope;
//     EXPECT_THAT(seen(), Overlaps(copies(), kernels()).at_least(0.6));
//     scope.failures();   // one finding when it failed
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/result.h"

namespace matchers {

/// Why a matcher failed, and what that makes of the run.
struct finding {
  report::run_verdict failure =
      report::run_verdict::requirement_missed;  ///< the verdict on a run with this finding
  report::evidence why;                         ///< what was required, seen, where, and what to read
  std::string mistake{};                        ///< see report::criterion_result
  bool operator==(const finding&) const = default;
};

/// Collects everything filed while it lives. Scopes nest; the innermost collects.
class findings_scope {
 public:
  findings_scope();
  ~findings_scope();
  findings_scope(const findings_scope&) = delete;
  findings_scope& operator=(const findings_scope&) = delete;

  /// What matchers filed, in that order.
  const std::vector<finding>& failures() const { return failures_; }
  /// What was measured by the matchers that passed.
  const std::vector<std::string>& notes() const { return notes_; }
  /// What was measured first, whether it was enough or not.
  const std::optional<report::measurement>& measured() const { return measured_; }
  /// Why something could not be judged.
  const std::vector<std::string>& not_observable() const { return not_observable_; }
  /// What that makes of the run: inconclusive, not_measurable, or, when it says nothing of the run, pass.
  report::run_verdict undecided() const { return undecided_; }
  /// Whether the data that came back were looked at.
  bool judged_data() const { return judged_data_; }
  /// Whether of the recording only the lengths of parts were looked at.
  bool judged_lengths() const { return judged_lengths_; }
  /// Whether times were compared with those of the calibration in the same run.
  bool compared_with_calibration() const { return compared_with_calibration_; }

 private:
  friend void file_failure(finding);
  friend void file_note(std::string);
  friend void file_measurement(report::measurement);
  friend void file_not_observable(std::string, report::run_verdict);
  friend void file_data_judged();
  friend void file_lengths_judged();
  friend void file_compared_with_calibration();
  findings_scope* outer_;
  std::vector<finding> failures_;
  std::vector<std::string> notes_;
  std::optional<report::measurement> measured_;
  std::vector<std::string> not_observable_;
  report::run_verdict undecided_ = report::run_verdict::pass;
  bool judged_data_ = false;
  bool judged_lengths_ = false;
  bool compared_with_calibration_ = false;
};

/// Files the reason of a failure; the same one twice counts once.
void file_failure(finding what);
/// Files what was measured, for a criterion that passes: "0.97, required 0.60"; the same one twice counts
/// once.
void file_note(std::string what);
/// Files what the criterion measured, whether it passes or not.
void file_measurement(report::measurement what);
/// The same for a number with that many decimals; one that is not enough is never rounded up to the limit.
void file_at_least(double seen, double required, int decimals = 2);
/// The same for an upper limit.
void file_at_most(double seen, double allowed, int decimals = 2);
/// Files why nothing can be said, the same reason twice once: the recording lacks what the matcher would have
/// to look at (the run may pass all the same), the device cannot show it (`undecided` is not_measurable), or
/// the measurement contradicts itself (inconclusive).
void file_not_observable(std::string reason, report::run_verdict undecided = report::run_verdict::pass);
/// Files that the matcher looked at the data that came back, which needs no recording.
void file_data_judged();
/// Files that the matcher looked at nothing of the recording but how long parts and undisturbed operations
/// took, which events tell where nothing else could be recorded.
void file_lengths_judged();
/// Files that the matcher compared times with those of the calibration in the same run. Where other programs
/// used the GPU that took too long as well, so that passing proves nothing.
void file_compared_with_calibration();

}  // namespace matchers
