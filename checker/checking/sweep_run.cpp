#include "checking/sweep_run.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "analysis/part.h"
#include "checking/build_exercise.h"
#include "checking/criterion.h"
#include "checking/run_failure.h"
#include "course/checkout.h"
#include "course/profile_lookup.h"
#include "course/record.h"
#include "exercise/launch.h"
#include "matchers/facts/attainable_time.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "trace/words.h"

namespace checking {

namespace {

const sweep_declaration& declaration_in(const rubric& rubric) {
  if (!rubric.sweep) throw std::runtime_error("check.cpp of this lesson declares no SWEEP(...)");
  return *rubric.sweep;
}

exercise::message message_for(const sweep_request& request, const rubric& rubric) {
  random_values values(request.seed);
  exercise::message message = rubric.make_request(values, {});
  for (std::size_t i = 0; i < 2; ++i) {
    const course::sweep_parameter& parameter = declaration_in(rubric).parameters[i];
    std::vector<std::int64_t> column;
    for (const report::setting& setting : request.settings) {
      if (setting[i] < parameter.min || setting[i] > parameter.max) {
        throw std::runtime_error(fmt::format("{} {} are not from {} to {}", setting[i], parameter.name,
                                             parameter.min, parameter.max));
      }
      column.push_back(setting[i]);
    }
    message.set("sweep." + parameter.name, std::move(column));
  }
  return message;
}

matchers::scheduled_run run_of(const course::lesson& lesson, const sweep_request& request,
                               const exercise::message& message) {
  exercise::launch_options options;
  options.program = exercise_program(request.record);
  options.own_sources = {request.source};
  options.requests.emplace(std::vector{message});
  options.backend.profile = course::find_profile(course::profiles_folder(lesson.checkout), request.profile);
  // A check calls the function a few times within the usual limits; here each setting adds a call.
  options.limits.cpu_time += std::chrono::seconds{static_cast<std::int64_t>(request.settings.size())};
  options.limits.real_time = 3 * options.limits.cpu_time;
  return {.outcome = exercise::launch(options)};
}

std::optional<report::setting> chosen_in(const exercise::message& answer, const sweep_declaration& declared) {
  const auto name_of = [&](std::size_t i) { return "sweep.chosen." + declared.parameters[i].name; };
  if (!answer.has(name_of(0))) return std::nullopt;
  return report::setting{static_cast<int>(answer.integer(name_of(0))),
                         static_cast<int>(answer.integer(name_of(1)))};
}

std::vector<report::sweep_point> points_of(const exercise::outcome& outcome, const sweep_request& request,
                                           std::int64_t expected_digest) {
  const std::vector<std::int64_t>& digests = outcome.answer().values<std::int64_t>("sweep.digests");
  if (digests.size() != request.settings.size())
    throw std::runtime_error("drive.cpp answers another number of digests than there are settings");
  std::vector<report::sweep_point> points;
  for (std::size_t i = 0; i < request.settings.size(); ++i) {
    const analysis::part part = analysis::part_of(*outcome.recording, fmt::format("sweep {}", i));
    points.push_back({request.settings[i], part.duration(), digests[i] == expected_digest});
  }
  return points;
}

sweep_bounds bounds_of(const sweep_declaration& declared, const exercise::message& request,
                       const exercise::outcome& outcome) {
  if (declared.bounds) return declared.bounds(*outcome.recording, request, outcome.answer());
  const matchers::attainable limit = matchers::attainable_time(*outcome.recording);
  return {limit.serial, limit.time};
}

}  // namespace

sweep_outcome sweep_run(const course::lesson& lesson, const rubric& rubric, const sweep_request& request) {
  sweep_outcome done;
  const sweep_declaration& declared = declaration_in(rubric);
  const exercise::message message = message_for(request, rubric);
  {
    const course::record_lock lock(request.record);
    const build_outcome built = build_exercise(lesson, {request.source,
                                                        request.record,
                                                        request.compiler,
                                                        trace::backend::virtual_gpu,
                                                        {},
                                                        rubric.null_stream});
    done.compiler_output = built.compiler_output;
    done.failure = built.failure;
    if (done.failure) return done;
    done.sweep.source_hash = processes::content_hash(processes::read_whole(request.source));
  }
  const matchers::scheduled_run run = run_of(lesson, request, message);
  done.failure = failure_of(run);
  if (done.failure) return done;

  const sweep_bounds bounds = bounds_of(declared, message, run.outcome);
  done.sweep.lesson = lesson.number;
  done.sweep.title = lesson.title;
  done.sweep.source = course::relative_path(lesson.checkout, request.source);
  done.sweep.profile = run.outcome.recording->profile;
  done.sweep.seed = request.seed;
  done.sweep.function = declared.function;
  done.sweep.parameters = {declared.parameters[0].name, declared.parameters[1].name};
  done.sweep.chosen = chosen_in(run.outcome.answer(), declared);
  done.sweep.serial = bounds.serial;
  done.sweep.attainable = bounds.attainable;
  done.sweep.points = points_of(run.outcome, request, declared.expected(message));
  return done;
}

}  // namespace checking
