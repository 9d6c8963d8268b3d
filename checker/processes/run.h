// run.h: runs a program of ours to its end and keeps what it prints.
//
// For compilers and tools. Programs with code of learners run under exercise::launch.
//
//     const auto compiler = processes::run({.arguments = {"g++", "--version"}});
//     if (compiler.succeeded()) use(compiler.output);
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "processes/outcome.h"
#include "processes/start.h"

namespace processes {

/// What run() keeps: both streams as one text, each as a text of its own, or stdout alone (stderr is dropped).
enum class capture { together, apart, output_only };

/// What a program may take, beside the limits of start_options; 0: no limit.
struct run_limits {
  /// Then it is killed with all that it has started.
  std::chrono::milliseconds real_time{0};
  /// Of its output, and of its errors when they are captured apart. The rest is read and dropped.
  std::size_t output_bytes = 0;
  std::size_t error_bytes = 0;
};

/// Starts the program and waits for its end and for the end of what it prints. `input` is all it can read; when
/// there is none, `options.input` decides. May be called from several threads. Throws std::system_error when
/// this process is out of descriptors or memory.
outcome run(start_options options, capture streams = capture::together, std::string_view input = "",
            run_limits limits = {});

/// Runs a program and keeps both streams as one text. Throws std::system_error with the program's name when it
/// cannot be started.
outcome run_tool(std::vector<std::string> arguments);

}  // namespace processes
