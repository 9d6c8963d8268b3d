#include "checking/virtual_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "audit/audit.h"
#include "checking/run_failure.h"
#include "trace/api_functions.h"
#include "trace/run_control.h"

namespace checking {

namespace {

using exercise::sealed_requests;
using matchers::scheduled_run;

scheduled_run done(scheduled_run run, const sealed_requests& requests, exercise::launch_options options,
                   const std::filesystem::path& profile, std::size_t at_once) {
  options.requests = requests;
  options.backend.profile = profile;
  options.backend.schedule = run.schedule;
  options.backend.sharing = trace::sharing_for(at_once);
  options.backend.variables = trace::cuda_variables_here();
  run.outcome = exercise::launch(options);
  const exercise::outcome& outcome = run.outcome;
  if (outcome.how == exercise::ending::finished && outcome.recording)
    run.contradiction =
        audit::first_contradiction(*outcome.recording, device::load_profile(profile), options.backend)
            .value_or("");
  return run;
}

/// Calls do_one(i, at once) for each number below `count`, as many at once as there are cores.
template <typename DoOne>
void side_by_side(std::size_t count, DoOne do_one) {
  const std::size_t at_once = std::min<std::size_t>(count, trace::usable_cores());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) do_one(i, at_once);
  };
  std::vector<std::future<void>> others;
  while (others.size() + 1 < at_once) others.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void>& other : others) other.get();
}

void require_usable(const exercise::message& answer) {
  for (const auto& [name, value] : answer.scalars()) {
    if (name.rfind(exercise::calibrated_prefix, 0) != 0) continue;
    if (const double number = answer.number(name); !(number > 0))
      throw std::runtime_error(fmt::format("The calibration gave {} = {}.", name, number));
  }
}

/// Asynchronous, and not by the copy engines alone.
bool may_be_late(const trace::recording& recorded, const trace::operation& copy) {
  const auto is_staged = [](const std::optional<trace::memory_kind>& kind) {
    return kind == trace::memory_kind::pageable || kind == trace::memory_kind::managed;
  };
  return (is_staged(copy.source) || is_staged(copy.destination)) &&
         trace::traits_of(recorded.call_at(copy.issued_by).function).waits_for !=
             trace::wait_target::own_operation;
}

}  // namespace

bool can_change(trace::schedule_kind schedule, const trace::recording& plain) {
  if (schedule != trace::schedule_kind::late_pageable || !plain.host_edges.empty()) return true;
  return std::any_of(plain.operations.begin(), plain.operations.end(), [&](const trace::operation& each) {
    return each.kind == trace::operation_kind::copy && may_be_late(plain, each);
  });
}

std::vector<scheduled_run> virtual_runs(const matchers::observations& observed,
                                        exercise::launch_options options, const virtual_gpus& profiles) {
  options.backend.devices = profiles.devices;
  matchers::observations repeated{.request = observed.request, .other_request = observed.other_request};
  const sealed_requests all_calls(observed.requests()), of_second(repeated.requests());
  scheduled_run plain;
  scheduled_run second{.profile = profiles.second.stem().string()};
  side_by_side(profiles.second.empty() ? 1 : 2, [&](std::size_t i, std::size_t at_once) {
    if (i == 0) {
      plain = done(std::move(plain), all_calls, options, profiles.usual, at_once);
    } else {
      second = done(std::move(second), of_second, options, profiles.second, at_once);
    }
  });
  std::vector<scheduled_run> runs;
  runs.push_back(std::move(plain));
  if (failure_of(runs.front())) return runs;

  const exercise::message& answer = runs.front().outcome.answer();
  require_usable(answer);
  repeated.request.take_calibration(answer);
  const sealed_requests calibrated(repeated.requests());
  for (const trace::schedule_kind schedule : matchers::all_schedules) {
    const bool is_another = schedule != trace::schedule_kind::as_is;
    if (is_another && can_change(schedule, *runs.front().outcome.recording))
      runs.push_back({.schedule = schedule});
  }
  side_by_side(runs.size() - 1, [&](std::size_t i, std::size_t at_once) {
    runs[i + 1] = done(std::move(runs[i + 1]), calibrated, options, profiles.usual, at_once);
  });
  if (!profiles.second.empty()) runs.push_back(std::move(second));
  return runs;
}

}  // namespace checking
