// outcome.h: how a program ended and what it printed.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace processes {

/// How a program ended.
struct outcome {
  /// errno of the attempt to start the program; 0 when it was started.
  int start_error = 0;
  /// The signal that ended it, or 0.
  int signal = 0;
  /// As a shell counts: 128 + signal when a signal ended it, 127 when it was not started.
  int exit_status = 0;
  /// It was killed because its time limit was over.
  bool is_over_limit = false;
  /// Of the program and all that it started and waited for.
  std::chrono::nanoseconds cpu_time{0};
  /// The most memory that one of these has held.
  std::size_t resident_bytes = 0;
  /// What it printed, as far as it was captured: both streams in the order of printing, or stdout alone.
  std::string output;
  /// Its stderr when that was captured apart.
  std::string errors;
  /// What it printed beyond the limits of run().
  std::size_t dropped_output_bytes = 0;
  std::size_t dropped_error_bytes = 0;

  bool succeeded() const { return exit_status == 0; }
};

/// The outcome of a program that could not be started.
outcome outcome_of_failed_start(int error);

/// The outcome that wait4() describes.
outcome outcome_from(int wait_status, const rusage& usage);

/// Waits for a child of this process and reaps it.
outcome wait_for(pid_t child);

}  // namespace processes
