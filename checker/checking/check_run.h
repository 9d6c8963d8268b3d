// check_run.h: one check of one file: build, run under every schedule, judge, and leave the record.
//
//     report::result result = checking::check_run(lesson, rubric, {.source =
//     "lessons/03_async_copy/async_copy.cu",
//                                                         .record = ".streamlings/records/03"});
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "checking/criterion.h"
#include "course/lesson.h"
#include "processes/sandbox.h"
#include "report/result.h"
#include "trace/backend.h"

namespace checking {

/// Which file to check, where to leave the record, and on what to run it.
struct check_request {
  std::filesystem::path source;
  std::filesystem::path record;  ///< folder for everything the check leaves behind
  std::filesystem::path cache;   ///< of objects; "": record/../cache
  trace::backend backend = trace::backend::virtual_gpu;
  /// Of the virtual GPU: name of a profile of the course, or a file.
  std::string profile{trace::usual_profile};
  std::optional<std::uint64_t> seed;  ///< absent: a fresh one is drawn
  std::string compiler;               ///< of .cu files; "": the default
  /// How many times the virtual GPU's usual work, an odd number; absent: 1 there, 9 on a real GPU, so that
  /// the calls of the host (2 to 5 us each, measured on an H200 with the recorder) take far less time than
  /// the work.
  std::optional<int> work_scale;
  /// Of the program on the virtual GPU; absent: the best that this machine allows.
  std::optional<processes::isolation> isolation;
  /// Keeps the recordings of the other schedules too, for pictures.
  bool keeps_schedules = false;
  /// Of the whole check, compiling and judging included. A check that reaches it ends the process, with the verdict
  /// infra_error.
  std::chrono::milliseconds limit{};
};

/// Checks the file, on a real GPU by several runs, and writes record/result.json, record/report.txt and, when
/// there is one, record/recording.jsonl. Holds the lock of the record while it works. What goes wrong on our
/// side becomes the verdict infra_error; a machine without a usable GPU gives not_measurable without a run.
/// Throws only when the record itself cannot be written.
report::result check_run(const course::lesson& lesson, const rubric& rubric, const check_request& request);

}  // namespace checking
