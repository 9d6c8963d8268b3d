#include "runner/grade/slurm.h"

#include <fmt/format.h>

#include <algorithm>

#include "parsing/pattern.h"
#include "processes/cannot_do.h"
#include "processes/files.h"
#include "processes/run.h"
#include "report/text_layout.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::string job_script(const std::vector<std::string>& grade, const std::string& more) {
  std::string script = "#!/bin/bash\n# Written by streamlings grade --slurm.\nexec";
  for (const std::string& word : grade) script += ' ' + report::shell_word(word);
  return fmt::format("{} {}\n", script, more);
}

/// The path as sbatch takes it, to whom "%a" is the number of the task.
std::string without_patterns(const fs::path& path) {
  return parsing::pattern("%").replaced(path.string(), "%%");
}

/// The number of the job.
std::string submitted(std::vector<std::string> options, const fs::path& script) {
  options.insert(options.begin(), {"sbatch", "--parsable"});
  options.push_back(script.string());
  const processes::outcome done = processes::run({.arguments = options}, processes::capture::apart);
  if (done.start_error != 0)
    throw processes::cannot_do("--slurm needs Slurm's sbatch, which is not installed here.");
  if (!done.succeeded()) throw processes::cannot_do("sbatch: " + report::escaped(done.errors));
  // "NUMBER" or "NUMBER;CLUSTER"
  return done.output.substr(0, done.output.find_first_of(";\n"));
}

void require_options_of_both_jobs(const std::vector<std::string>& options) {
  static const parsing::pattern own("(?:-a|--array|-d|--dependency).*");
  for (const std::string& option : options) {
    if (own.match(option))
      throw processes::cannot_do(
          fmt::format("{} is set by --slurm. --slurm 16%4 runs four of sixteen tasks at a time.", option));
  }
}

}  // namespace

slurm_request slurm_tasks(const std::string& text) {
  static const parsing::pattern form(R"(([1-9]\d{0,4})(?:%([1-9]\d{0,4}))?)");
  const auto found = form.match(text);
  if (!found)
    throw processes::cannot_do(
        "--slurm is a number of tasks, such as 16, or 16%4 for four of them at a time.");
  slurm_request made;
  made.tasks = std::stoul(std::string((*found)[1]));
  if (!(*found)[2].empty()) made.max_at_once = std::stoul(std::string((*found)[2]));
  return made;
}

slurm_jobs submit(const slurm_request& request) {
  require_options_of_both_jobs(request.sbatch_options);
  const fs::path folder = request.results / "slurm";
  fs::create_directories(folder);
  const fs::path checks = folder / "checks.sh";
  const fs::path collect = folder / "collect.sh";
  // A task uses the processors that it was given, not all that its node has.
  const std::string jobs =
      request.needs_gpu ? std::to_string(request.jobs.value_or(1)) : "\"${SLURM_CPUS_ON_NODE:-1}\"";
  processes::write_whole(checks,
                         job_script(request.grade, fmt::format("--jobs {} --shard {}", jobs, request.tasks)));
  processes::write_whole(collect, job_script(request.grade, "--collect"));

  const auto options_of = [&](const std::string& name, const std::string& log,
                              const std::vector<std::string>& own) {
    std::vector<std::string> options{"--job-name=" + name,
                                     "--output=" + without_patterns(folder) + "/" + log};
    options.insert(options.end(), own.begin(), own.end());
    options.insert(options.end(), request.sbatch_options.begin(), request.sbatch_options.end());
    return options;
  };
  const std::string at_once = request.max_at_once > 0 ? fmt::format("%{}", request.max_at_once) : "";
  std::vector<std::string> own{fmt::format("--array=0-{}{}", request.tasks - 1, at_once)};
  if (request.needs_gpu) own.push_back("--gres=gpu:1");
  if (request.jobs) own.push_back(fmt::format("--cpus-per-task={}", *request.jobs));
  slurm_jobs made;
  made.checks = submitted(options_of("streamlings-grade", "task-%a.log", own), checks);
  std::vector<std::string> options =
      options_of("streamlings-collect", "collect.log", {"--dependency=afterany:" + made.checks});
  options.push_back("--gres=none");  // whatever the options of both say
  try {
    made.collection = submitted(std::move(options), collect);
  } catch (const processes::cannot_do& reason) {
    throw processes::cannot_do(
        fmt::format("{}Job {} does the checks all the same; scancel {} ends it, and --collect collects.",
                    reason.what(), made.checks, made.checks));
  }
  return made;
}

}  // namespace runner
