// `run_twins PROGRAM` runs the twins of one chapter, broken and correct, under each schedule. The broken one
// must be reported for its rule and nothing else, at a line of the chapter; the correct one must not be
// reported. Prints a line for each twin. Exit status: 0 all pass, 1 one does not.
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "exercise/launch.h"
#include "report/finding.h"
#include "trace/words.h"

namespace {

constexpr trace::schedule_kind schedules[] = {trace::schedule_kind::as_is, trace::schedule_kind::slow_copies,
                                              trace::schedule_kind::slow_kernels,
                                              trace::schedule_kind::late_pageable};

struct twin {
  std::string name;
  std::string rule;
};

exercise::outcome run(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      trace::schedule_kind schedule) {
  exercise::launch_options options;
  options.program = program;
  options.arguments = arguments;
  options.backend.schedule = schedule;
  return exercise::launch(options);
}

std::vector<twin> twins_of(const std::filesystem::path& program) {
  std::istringstream lines(run(program, {"list"}, trace::schedule_kind::as_is).output);
  std::vector<twin> result;
  for (twin listed; lines >> listed.name >> listed.rule;) result.push_back(listed);
  return result;
}

bool is_in_chapter(const report::finding& finding, const std::string& chapter) {
  for (const report::source_place& place : finding.places) {
    if (std::filesystem::path(place.file).filename() == chapter) return true;
  }
  return false;
}

/// What is wrong with the findings of one run; "" when they are right.
std::string problem_of(const exercise::outcome& outcome, const std::string& chapter,
                       const std::string& expected_rule) {
  if (!outcome.recording) return "left no recording: " + outcome.detail;
  std::set<std::string> rules;
  std::string text;
  const analysis::mistakes mistakes =
      analysis::mistakes_in(*outcome.recording, analysis::program_end::by_itself);
  for (const report::finding& finding : report::findings_of(*outcome.recording, mistakes)) {
    rules.insert(finding.rule);
    text += fmt::format("\n      {}: {}", finding.rule, finding.message);
    if (!is_in_chapter(finding, chapter))
      return fmt::format("is reported without a line of {}:{}", chapter, text);
  }
  if (expected_rule.empty()) return rules.empty() ? "" : "is reported:" + text;
  if (rules.empty()) return "is not reported";
  return rules == std::set{expected_rule} ? "" : "is not reported for that alone:" + text;
}

bool passes(const std::filesystem::path& program, const std::string& chapter, const twin& tested) {
  std::string problems;
  for (const trace::schedule_kind schedule : schedules) {
    for (const std::string variant : {"broken", "correct"}) {
      const std::string expected = variant == "broken" ? tested.rule : "";
      const std::string problem =
          problem_of(run(program, {tested.name, variant}, schedule), chapter, expected);
      if (!problem.empty())
        problems += fmt::format("\n  {} under {}: the {} one {}", tested.name, trace::word_of(schedule),
                                variant, problem);
    }
  }
  fmt::print("{} {} ({}){}\n", problems.empty() ? "pass" : "fail", tested.name, tested.rule, problems);
  return problems.empty();
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    fmt::print(stderr, "usage: run_twins PROGRAM\n");
    return 2;
  }
  const std::filesystem::path program = arguments[1];
  const std::string chapter = program.stem().string() + ".cu";
  const std::vector<twin> twins = twins_of(program);
  bool all_pass = !twins.empty();
  for (const twin& tested : twins) all_pass = passes(program, chapter, tested) && all_pass;
  fmt::print("{} twins\n", twins.size());
  return all_pass ? 0 : 1;
}
