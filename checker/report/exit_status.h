// exit_status.h: what the exit statuses of our programs mean.
#pragma once

namespace report {

/// Of streamlings and the check program; ctest takes not_observable for a test that was skipped.
struct exit_status {
  enum value : int { passed = 0, failed = 1, undecided = 2, time_limit = 3, not_observable = 77 };
};

}  // namespace report
