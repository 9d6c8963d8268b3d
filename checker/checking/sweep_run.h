// sweep_run.h: times the learner's function with some settings of its two parameters, on the virtual GPU.
//
//     const checking::sweep_outcome done = checking::sweep_run(lesson, rubric, request);
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checking/criterion.h"
#include "checking/run_failure.h"
#include "course/lesson.h"
#include "report/sweep.h"

namespace checking {

/// Which file to run with which settings.
struct sweep_request {
  std::filesystem::path source;
  std::filesystem::path record;           ///< folder for the program
  std::string profile = "teaching";       ///< name of a profile of the course, or a file
  std::string compiler;                   ///< of .cu files; "": the default
  std::uint64_t seed = 0;                 ///< of the inputs
  std::vector<report::setting> settings;  ///< each is run once
};

/// The points, or why there are none.
struct sweep_outcome {
  std::optional<run_failure>
      failure;                  ///< why there are no points: it does not compile, or a run did not finish
  std::string compiler_output;  ///< errors and warnings, as printed
  report::sweep sweep;          ///< when there is no failure
};

/// Builds the file under the lock of the record and runs it once, outside the lock, so that several sweeps of
/// one file can run side by side. Throws std::runtime_error when the lesson declares no sweep, a value is
/// outside of what it declares, or its two halves disagree.
sweep_outcome sweep_run(const course::lesson& lesson, const rubric& rubric, const sweep_request& request);

}  // namespace checking
