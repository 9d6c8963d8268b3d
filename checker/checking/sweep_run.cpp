#include "checking/sweep_run.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "analysis/part.h"
#include "checking/build_exercise.h"
#include "checking/criterion.h"
#include "checking/record_lock.h"
#include "checking/run_failure.h"
#include "exercise/launch.h"
#include "matchers/attainable_time.h"
#include "processes/content_hash.h"

namespace checking {

namespace {

const sweep_declaration& declared() {
  const rubric& known = registered_rubric();
  if (!known.sweep) throw std::runtime_error("check.cpp of this lesson declares no SWEEP(...)");
  return *known.sweep;
}

exercise::message request_for(const sweep_request& what) {
  random_values values(what.seed);
  exercise::message request = registered_rubric().make_request(values);
  for (std::size_t i = 0; i < 2; ++i) {
    const sweep_parameter& parameter = declared().parameters[i];
    std::vector<std::int64_t> column;
    for (const report::setting& each : what.settings) {
      if (each[i] < parameter.least || each[i] > parameter.most) {
        throw std::runtime_error(fmt::format("{} {} are not from {} to {}", each[i], parameter.name,
                                             parameter.least, parameter.most));
      }
      column.push_back(each[i]);
    }
    request.set("sweep." + parameter.name, std::move(column));
  }
  return request;
}

matchers::scheduled_run run_of(const lesson_folders& lesson, const sweep_request& what,
                               const exercise::message& request) {
  exercise::launch_options options;
  options.program = exercise_program(what.record);
  options.own_sources = {what.source};
  options.request = request;
  options.environment = {{"STREAMLINGS_SCHEDULE", matchers::all_schedules().front()},
                         {"STREAMLINGS_PROFILE", lesson.profile(what.profile).string()}};
  // A check calls the function a few times within the usual limits; here each setting adds a call.
  options.limits.cpu_time += std::chrono::seconds{static_cast<std::int64_t>(what.settings.size())};
  options.limits.real_time = 3 * options.limits.cpu_time;
  return {matchers::all_schedules().front(), exercise::launch(options)};
}

std::optional<report::setting> chosen_in(const exercise::message& answer) {
  const auto name_of = [](std::size_t i) { return "sweep.chosen." + declared().parameters[i].name; };
  if (!answer.has(name_of(0))) return std::nullopt;
  return report::setting{static_cast<int>(answer.integer(name_of(0))),
                         static_cast<int>(answer.integer(name_of(1)))};
}

void read_points(report::sweep& into, const sweep_request& what, const exercise::message& request,
                 const exercise::outcome& seen) {
  const std::int64_t expected = declared().expected(request);
  const std::vector<std::int64_t>& digests = seen.answer.values<std::int64_t>("sweep.digests");
  if (digests.size() != what.settings.size())
    throw std::runtime_error("drive.cpp answers another number of digests than there are settings");
  for (std::size_t i = 0; i < what.settings.size(); ++i) {
    const analysis::part part = analysis::part_of(*seen.seen, fmt::format("sweep {}", i));
    into.points.push_back({what.settings[i], part.duration(), digests[i] == expected});
  }
}

}  // namespace

sweep_outcome sweep_run(const lesson_folders& lesson, const sweep_request& what) {
  sweep_outcome done;
  const exercise::message request = request_for(what);
  {
    const record_lock lock(what.record);
    const build_outcome built =
        build_exercise(lesson, {what.source, what.record, what.compiler, backend::virtual_gpu});
    done.compiler_output = built.compiler_output;
    done.failure = built.failure;
    if (done.failure) return done;
    done.seen.source_hash = processes::content_hash(content_of(what.source));
  }
  const matchers::scheduled_run run = run_of(lesson, what, request);
  done.failure = failure_of(run);
  if (done.failure) return done;

  const matchers::attainable limit = matchers::attainable_time(*run.outcome.seen);
  done.seen.lesson = lesson.number();
  done.seen.title = lesson.title();
  done.seen.source = lesson.shown(what.source);
  done.seen.profile = run.outcome.seen->profile;
  done.seen.seed = what.seed;
  done.seen.of = declared().of;
  done.seen.parameters = {declared().parameters[0].name, declared().parameters[1].name};
  done.seen.chosen = chosen_in(run.outcome.answer);
  done.seen.serial = limit.serial;
  done.seen.attainable = limit.time;
  read_points(done.seen, what, request, run.outcome);
  return done;
}

}  // namespace checking
