// exit_status.h: the exit statuses of our programs.
#pragma once

namespace report {

/// Used by streamlings and the check program. ctest counts not_observable as a skipped test.
struct exit_status {
  enum value : int { passed = 0, failed = 1, undecided = 2, time_limit = 3, not_observable = 77 };
};

}  // namespace report
