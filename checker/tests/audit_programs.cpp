// `audit_programs KIND DEVICES PROFILE PROGRAM...` runs honest programs under each schedule and does their recordings again: none
// may be refused. KIND: whole (the program as it is), rules (each rule of a chapter of the conformance suite), twins (each twin of
// a theme, broken and correct). Prints a line for each run that is refused. Exit status: 0 none is, 1 one is, or none came to its end.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "device/profile.h"
#include "exercise/launch.h"
#include "trace/words.h"

namespace {

constexpr trace::schedule_kind schedules[] = {trace::schedule_kind::as_is, trace::schedule_kind::slow_copies,
                                              trace::schedule_kind::slow_kernels,
                                              trace::schedule_kind::late_pageable};

using command_line = std::vector<std::string>;

/// The arguments of each run. Programs list names at the beginnings of lines: a rule once for each of its checks, which run together.
std::vector<command_line> command_lines(const exercise::launch_options& options, const std::string& kind) {
  if (kind == "whole") return {{}};
  exercise::launch_options asks = options;
  asks.arguments = {"list"};
  std::istringstream listed(exercise::launch(asks).output);
  std::vector<command_line> result;
  for (std::string line; std::getline(listed, line);) {
    const std::string name = line.substr(0, line.find(' '));
    if (kind == "rules") {
      const command_line rule{"here", name};
      if (std::find(result.begin(), result.end(), rule) == result.end()) result.push_back(rule);
    } else {
      result.insert(result.end(), {{name, "broken"}, {name, "correct"}});
    }
  }
  return result;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 5) {
    fmt::print(stderr, "usage: audit_programs KIND DEVICES PROFILE PROGRAM...\n");
    return 2;
  }
  exercise::launch_options options;
  options.backend.devices = static_cast<std::uint32_t>(std::atoi(arguments[2]));
  options.backend.profile = arguments[3];
  const device::profile gpu = device::load_profile(options.backend.profile);
  int refused = 0, finished = 0, others = 0;
  for (int i = 4; i < argument_count; ++i) {
    options.program = arguments[i];
    for (const command_line& line : command_lines(options, arguments[1])) {
      options.arguments = line;
      for (const trace::schedule_kind schedule : schedules) {
        options.backend.schedule = schedule;
        const exercise::outcome outcome = exercise::launch(options);
        if (outcome.how != exercise::ending::finished) {
          ++others;
          continue;
        }
        ++finished;
        const auto problem = audit::first_contradiction(*outcome.recording, gpu, options.backend);
        if (!problem) continue;
        ++refused;
        fmt::print("{} {} {}: {}\n", options.program.filename().string(), fmt::join(line, " "),
                   trace::word_of(schedule), *problem);
      }
    }
  }
  fmt::print("{} of {} recordings refused; {} runs did not come to their end\n", refused, finished, others);
  return refused == 0 && finished > 0 ? 0 : 1;
}
