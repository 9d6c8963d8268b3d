// build_exercise.h: makes the exercise program of a lesson out of one .cu file, unless the last one is still good.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "checking/default_stream.h"
#include "checking/run_failure.h"
#include "course/lesson.h"
#include "trace/backend.h"

namespace checking {

/// Which file to compile, where to, and for which backend.
struct build_request {
  std::filesystem::path source;  ///< the learner's file
  std::filesystem::path record;  ///< the program becomes record/exercise
  std::string compiler;  ///< of .cu files (on a real GPU: of their host part); "": the default of the tool
  trace::backend backend = trace::backend::virtual_gpu;
  std::filesystem::path cache = {};  ///< of objects; "": record/../cache
  default_stream null_stream = default_stream::legacy;
};

/// How compiling ended; it succeeded when there is no failure.
struct build_outcome {
  std::optional<run_failure> failure;  ///< missing_file, compile_error, unsupported, own_main or infra_error
  std::string compiler_output;         ///< errors and warnings, as printed
  double seconds = 0;                  ///< real time, for people
};

/// Compiles the source with the lesson's drive.cpp through streamlings-compile, or for a real GPU through
/// streamlings-compile-gpu, beside this program. When the
/// files that go into it are those of the last successful build, nothing is compiled and its warnings are
/// repeated. Throws std::runtime_error or std::system_error when the tool or a file of the lesson is missing.
build_outcome build_exercise(const course::lesson& lesson, const build_request& request);

/// The program that build_exercise made.
std::filesystem::path exercise_program(const std::filesystem::path& record);

}  // namespace checking
