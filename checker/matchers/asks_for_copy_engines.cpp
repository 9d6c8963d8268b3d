#include "matchers/asks_for_copy_engines.h"

#include <fmt/core.h>

#include <algorithm>

#include "matchers/findings.h"

namespace matchers {

namespace {

bool asks_the_device(const analysis::part& part) {
  return std::any_of(part.calls.begin(), part.calls.end(), [&](trace::call_id id) {
    return trace::effect_of(part.seen->call_at(id)) == trace::call_effect::asks_about_device;
  });
}

}  // namespace

bool AsksForCopyEngines::MatchAndExplain(const scheduled_run& run, std::ostream* explanation) const {
  const trace::recording& seen = *run.outcome.seen;
  if (seen.devices.empty()) {
    file_not_observable("The recording does not say which device it ran on.");
    return true;
  }
  const auto engines = static_cast<std::int64_t>(seen.devices.front().copy_engines);
  const std::int64_t said = run.outcome.answer.integer(name_);
  const bool asked = asks_the_device(analysis::part_of(seen, "learner"));
  file_measurement({asked ? std::to_string(said) : "not asked", std::to_string(engines)});
  if (asked && said == engines) {
    file_note(fmt::format("{} on this device", engines));
    return true;
  }
  report::evidence why;
  why.required = "The plan says how many copy engines the device has, and the device itself was asked.";
  why.seen = fmt::format("The plan says {}, the device has {}, and it was {}.", said, engines,
                         asked ? "asked for something" : "not asked");
  why.read_next = "cudaDeviceGetAttribute in the section \"The calls\" in the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void AsksForCopyEngines::DescribeTo(std::ostream* out) const {
  *out << "asks the device for its copy engines and answers with their number as " << name_;
}

void AsksForCopyEngines::DescribeNegationTo(std::ostream* out) const {
  *out << "does not know the copy engines of the device";
}

}  // namespace matchers
