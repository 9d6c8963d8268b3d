// class_checks.h: runs the checks of a class that have no record yet.
//
//     runner::run_checks(checkout, plan, settings, results, {.jobs = 2});
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "course/checkout.h"
#include "report/result.h"
#include "runner/grade/class_plan.h"
#include "runner/grade/results_folder.h"

namespace runner {

/// Every count-th check of a class, from the one with that index: the share of one of several machines.
struct shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// Which of the checks this process does, and how many at once.
struct check_share {
  std::size_t jobs = 1;  ///< at a time
  runner::shard shard = {};
  bool is_collecting = false;  ///< then nothing is run
};

/// What became of the checks.
struct check_counts {
  std::size_t run = 0;
  std::size_t known = 0;     ///< their records were there
  std::size_t left_out = 0;  ///< without a record, and not in this share
};

/// Runs them, with a line of progress on standard error. What could not be decided because of this machine, or what a limit of real
/// time has ended, is tried once more, one check at a time: a busy machine can be the reason. What could not be decided even then is
/// tried when the class is graded again. Throws interrupted after Ctrl-C: what had ended is kept.
check_counts run_checks(const course::checkout& checkout, const class_plan& plan,
                        const grade_settings& settings, const results_folder& results,
                        const check_share& share);

/// The record of a check; nothing when there is none that can be read.
std::optional<report::result> record_of(const results_folder& results, const planned_check& check);

/// "4 min", "1 h 20 min": the time that `left` checks take at a rate, for people.
std::string time_left(std::size_t left, double per_second);

}  // namespace runner
