#include "matchers/facts/scheduled_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "trace/words.h"

namespace matchers {

bool was_disturbed(const scheduled_run& run) {
  if (!run.outcome.recording) return false;
  const auto& notes = run.outcome.recording->diagnostics;
  return std::any_of(notes.begin(), notes.end(),
                     [](const auto& note) { return note.kind == trace::diagnostic_kind::other_work; });
}

std::string name_of(const scheduled_run& run) {
  if (run.gpu_number != 0) return "gpu-" + std::to_string(run.gpu_number);
  return std::string(trace::word_of(run.schedule)) + (run.profile.empty() ? "" : " on " + run.profile);
}

std::string in_words(const scheduled_run& run) {
  if (run.gpu_number != 0) return "in run " + std::to_string(run.gpu_number) + " on the GPU";
  if (!run.profile.empty()) return "in the run on profile " + run.profile;
  const bool has_threads = run.outcome.recording && !run.outcome.recording->host_edges.empty();
  const std::string interrupted = has_threads ? " and threads interrupted between their steps" : "";
  switch (run.schedule) {
    case trace::schedule_kind::as_is:
      return "in the plain run";
    case trace::schedule_kind::slow_copies:
      return "in the run with copies ten times slower" + interrupted;
    case trace::schedule_kind::slow_kernels:
      return "in the run with kernels ten times slower" + interrupted;
    case trace::schedule_kind::late_pageable:
      return "in the run with pageable copies done as late as allowed" + interrupted;
  }
  throw std::logic_error("a schedule without words");
}

std::string in_words(const observations& observed, exercise::call call, std::string_view part_name) {
  if (call == exercise::call::repeated) return "";
  if (call == exercise::call::first) return "in the first call";
  if (!part_name.empty()) return fmt::format("in the call with another plan ({})", part_name);
  const auto& usual = observed.request.scalars();
  std::string differences;
  for (const auto& [name, value] : observed.request_of(call).scalars()) {
    const auto* number = std::get_if<std::int64_t>(&value);
    const auto same = usual.find(name);
    const bool is_of_contract = !name.starts_with("driver.");
    if (!is_of_contract || number == nullptr || (same != usual.end() && same->second == value)) continue;
    differences += (differences.empty() ? "" : ", ") + name + " " + std::to_string(*number);
  }
  return "in the call with another plan" + (differences.empty() ? "" : " (" + differences + ")");
}

}  // namespace matchers
