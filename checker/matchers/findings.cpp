#include "matchers/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace matchers {

namespace {

findings_scope* innermost = nullptr;

double rounded_to(double value, int decimals) {
  const double unit = std::pow(10, decimals);
  return std::round(value * unit) / unit;
}

}  // namespace

findings_scope::findings_scope() : outer_(innermost) { innermost = this; }

findings_scope::~findings_scope() { innermost = outer_; }

void file_failure(finding what) {
  if (!innermost) return;
  std::vector<finding>& failures = innermost->failures_;
  // GoogleMock matches a value that failed once more, to explain it.
  if (std::find(failures.begin(), failures.end(), what) == failures.end())
    failures.push_back(std::move(what));
}

void file_note(std::string what) {
  if (!innermost) return;
  std::vector<std::string>& notes = innermost->notes_;
  if (std::find(notes.begin(), notes.end(), what) == notes.end()) notes.push_back(std::move(what));
}

void file_measurement(report::measurement what) {
  if (innermost && !innermost->measured_) innermost->measured_ = std::move(what);
}

void file_at_least(double seen, double required, int decimals) {
  double rounded = rounded_to(seen, decimals);
  const double unit = std::pow(10, decimals);
  if (seen < required && rounded >= required) rounded = std::floor(seen * unit) / unit;
  file_measurement(
      {fmt::format("{:.{}f}", rounded, decimals), fmt::format("at least {:.{}f}", required, decimals)});
}

void file_at_most(double seen, double allowed, int decimals) {
  double rounded = rounded_to(seen, decimals);
  const double unit = std::pow(10, decimals);
  if (seen > allowed && rounded <= allowed) rounded = std::ceil(seen * unit) / unit;
  file_measurement(
      {fmt::format("{:.{}f}", rounded, decimals), fmt::format("at most {:.{}f}", allowed, decimals)});
}

void file_not_observable(std::string reason, report::run_verdict undecided) {
  if (!innermost) return;
  std::vector<std::string>& reasons = innermost->not_observable_;
  if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
    reasons.push_back(std::move(reason));
  innermost->undecided_ = std::min(innermost->undecided_, undecided);
}

void file_data_judged() {
  if (innermost) innermost->judged_data_ = true;
}

void file_lengths_judged() {
  if (innermost) innermost->judged_lengths_ = true;
}

void file_compared_with_calibration() {
  if (innermost) innermost->compared_with_calibration_ = true;
}

}  // namespace matchers
