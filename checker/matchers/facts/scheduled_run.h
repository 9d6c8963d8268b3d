// scheduled_run.h: one run of the exercise program, and the runs of a whole check: on the virtual GPU under
// one schedule each and on a second profile, on a real one several times the same.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "device/profile.h"
#include "exercise/launch.h"
#include "exercise/message.h"
#include "trace/recording.h"

namespace matchers {

/// One run of the exercise program.
struct scheduled_run {
  trace::schedule_kind schedule = trace::schedule_kind::as_is;
  std::string profile{};       ///< of a run on the second profile; "": on that of the check
  std::size_t gpu_number = 0;  ///< of a run on a real GPU, counted from 1
  exercise::outcome outcome{};
  /// What its recording says although the virtual GPU cannot have done it; "": nothing.
  std::string contradiction{};
};

/// Whether other programs used the GPU during a run that was recorded: what took too long proves nothing then.
bool was_disturbed(const scheduled_run& run);

/// The schedules that a check may run, the plain one first. The others are as legal: a right program is right under all.
inline constexpr std::array all_schedules{trace::schedule_kind::as_is, trace::schedule_kind::slow_copies,
                                          trace::schedule_kind::slow_kernels,
                                          trace::schedule_kind::late_pageable};

/// "as-is", "slow-copies", ..., "as-is on c2050"; "gpu-1", "gpu-2", ... on a real GPU.
std::string name_of(const scheduled_run& run);

/// "in the plain run", "in the run with copies ten times slower", "in the run on profile c2050", "in run 2 on the GPU", ... Of a program with
/// several threads: that they were interrupted, where they were.
std::string in_words(const scheduled_run& run);

/// The file that is checked, and the one that the learner began with.
struct learner_source {
  std::string file_name;  ///< without folders
  std::string text;
  std::string as_it_comes;
};

/// Everything that a check observed. On the virtual GPU the first run is the plain one.
struct observations {
  exercise::message request;  ///< what the repeated calls of all runs were fed from
  /// The same of the call with another plan; without it there is one call.
  std::optional<exercise::message> other_request{};
  /// The same of the first call: the same plan with data of its own, so that a result which was kept is wrong.
  std::optional<exercise::message> first_request{};
  std::vector<scheduled_run> runs{};
  learner_source source{};
  std::optional<device::profile> gpu{};  ///< of the virtual GPU; without it explanations do without a replay

  /// One for each call.
  std::vector<exercise::message> requests() const {
    std::vector<exercise::message> all;
    if (first_request) all.push_back(*first_request);
    all.push_back(request);
    if (other_request) all.push_back(*other_request);
    return all;
  }
  const exercise::message& request_of(exercise::call call) const {
    switch (call) {
      case exercise::call::first:
        return first_request.value();
      case exercise::call::repeated:
        break;
      case exercise::call::third:
        return other_request.value();
    }
    return request;
  }
};

/// "in the first call", "in the call with another plan (chunks 3, elements 70007)": what distinguishes its request, but for
/// numbers named "driver....", which the contract does not have. "" for the repeated one. In a part of the driver's with a plan of
/// its own: the name of that part instead.
std::string in_words(const observations& observed, exercise::call call, std::string_view part_name);

}  // namespace matchers
