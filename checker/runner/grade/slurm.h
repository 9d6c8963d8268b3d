// slurm.h: grades a class on a cluster: an array job whose tasks do a share of the checks each, and a job that collects after it.
//
// Slurm distributes; what a share is and how shares meet in one folder is class_checks.h.
//
//     runner::submit({.results = "results", .tasks = 16, .grade = {"streamlings", "grade", "in", "-o", "results"}});
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace runner {

/// What is submitted.
struct slurm_request {
  std::filesystem::path results;  ///< of `grade`; the scripts and logs of the jobs go into its folder slurm
  std::size_t tasks = 1;
  std::size_t max_at_once = 0;   ///< tasks; 0: as many as the cluster has room for
  bool needs_gpu = false;        ///< each task gets one
  std::optional<int> jobs = {};  ///< processors of a task; absent: what sbatch gives
  std::vector<std::string> sbatch_options = {};
  /// The command that grades the class, with absolute paths, without --jobs, --shard and --collect.
  std::vector<std::string> grade;
};

/// "16" or "16%4", as sbatch writes the tasks of an array that run at a time. Throws cannot_do.
slurm_request slurm_tasks(const std::string& text);

/// Numbers that Slurm has given to the two jobs.
struct slurm_jobs {
  std::string checks;
  std::string collection;
};

/// Writes the scripts RESULTS/slurm/checks.sh and collect.sh and submits both, the second for when the first has ended, however.
/// Throws cannot_do.
slurm_jobs submit(const slurm_request& request);

}  // namespace runner
