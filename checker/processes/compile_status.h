// compile_status.h: the exit statuses of streamlings-compile and streamlings-compile-gpu.
#pragma once

namespace processes {

/// How a compilation ended.
enum class compile_status {
  done = 0,
  /// The compiler or linker refused the files.
  refused = 1,
  /// Nothing about the files: no compiler, no linker, disk full. The first line of the messages is the reason, the
  /// second what to do.
  failed = 2,
  /// A construct that the virtual GPU does not have.
  unsupported = 3,
  /// The files define main(), which a lesson must not.
  own_main = 4,
  missing_file = 5,
  /// The file of a lesson reads a file that is not the lesson's.
  foreign_file = 6,
  /// A step was ended after its real time, in which it computed little: the file waits for something, or the machine is busy.
  over_real_time = 7,
};

}  // namespace processes
