#include "matchers/verdict.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

namespace matchers {

namespace {

using report::criterion_verdict;

enum class limit { lower, upper };

double rounded(double value, double bound, limit kind, int decimals) {
  const double unit = std::pow(10, decimals);
  const double nearest = std::round(value * unit) / unit;
  if (kind == limit::lower && value < bound && nearest >= bound) return std::floor(value * unit) / unit;
  if (kind == limit::upper && value > bound && nearest <= bound) return std::ceil(value * unit) / unit;
  return nearest;
}

}  // namespace

verdict passed(std::string note, std::optional<report::measurement> measured) {
  verdict result;
  result.note = std::move(note);
  result.measured = std::move(measured);
  return result;
}

verdict failed(report::run_verdict failure, std::string_view mistake, report::evidence why,
               std::optional<report::measurement> measured) {
  verdict result;
  result.outcome = criterion_verdict::fail;
  result.run = failure;
  result.mistake = mistake;
  result.why = std::move(why);
  result.measured = std::move(measured);
  return result;
}

verdict failed(report::run_verdict failure, report::mistake mistake, report::evidence why,
               std::optional<report::measurement> measured) {
  return failed(failure, report::word_of(mistake), std::move(why), std::move(measured));
}

verdict not_observable(std::string reason, report::run_verdict undecided,
                       std::optional<report::measurement> measured) {
  verdict result;
  result.outcome = criterion_verdict::not_observable;
  result.run = undecided;
  result.note = std::move(reason);
  result.measured = std::move(measured);
  return result;
}

report::measurement at_least(double value, double required, int decimals) {
  return {fmt::format("{:.{}f}", rounded(value, required, limit::lower, decimals), decimals),
          fmt::format("at least {:.{}f}", required, decimals)};
}

report::measurement at_most(double value, double allowed, int decimals) {
  return {fmt::format("{:.{}f}", rounded(value, allowed, limit::upper, decimals), decimals),
          fmt::format("at most {:.{}f}", allowed, decimals)};
}

}  // namespace matchers
