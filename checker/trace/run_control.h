// run_control.h: what the program that started a program on a backend asks of the backend.
//
// The exercise program's half of the channel sets it before any code of the learner runs. A program that was started alone
// has none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/recording.h"

namespace trace {

/// Settings of the virtual GPU for one run.
struct backend_settings {
  /// A file; "": the default.
  std::string profile;
  schedule_kind schedule = schedule_kind::as_is;
  /// 1 to 64.
  std::uint32_t devices = 1;
  /// 0: no limit.
  nanoseconds virtual_time_limit{0};
};

/// Ends the process because the run cannot go on: `kind` is a stable word, `sentence` is for people.
/// Kinds: "virtual_time_limit"; "fault" (ends as a segmentation fault, as on hardware); "signal 6" (ends by that signal) and
/// "cpu_time_limit", both without a sentence; "could_not_start" (the backend, so there is no recording); "lesson_broken" (our
/// own mistake).
using fatal_handler = void (*)(std::string_view kind, std::string_view sentence);

/// What the program that was started by a runner tells the backend.
struct run_control {
  backend_settings settings;
  fatal_handler end_run = nullptr;
};

/// Called once, before the backend begins.
void set_run_control(run_control control);

/// nullptr in a program that was started alone.
const run_control* current_run_control();

}  // namespace trace
