// Runs the twins of one chapter and judges the judge: `run_twins PROGRAM` runs every broken program and every
// correct one under each schedule. The broken one has to be reported for its rule and for nothing else, on a
// line of the chapter; the correct one not at all. Prints a line for each twin; exit status 0 when all is so.
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "exercise/launch.h"
#include "report/finding.h"

namespace {

constexpr const char* schedules[] = {"as-is", "slow-copies", "slow-kernels", "late-pageable"};

struct twin {
  std::string name;
  std::string rule;
};

exercise::outcome run(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      const std::string& schedule) {
  exercise::launch_options what;
  what.program = program;
  what.arguments = arguments;
  what.environment = {{"STREAMLINGS_SCHEDULE", schedule}};
  return exercise::launch(what);
}

std::vector<twin> twins_of(const std::filesystem::path& program) {
  std::istringstream lines(run(program, {"list"}, "as-is").output);
  std::vector<twin> result;
  for (twin each; lines >> each.name >> each.rule;) result.push_back(each);
  return result;
}

bool is_in_chapter(const report::finding& found, const std::string& chapter) {
  for (const report::source_place& each : found.places) {
    if (std::filesystem::path(each.file).filename() == chapter) return true;
  }
  return false;
}

/// What is wrong with the report on one run; "" when it is right.
std::string problem_of(const exercise::outcome& ran, const std::string& chapter,
                       const std::string& expected_rule) {
  if (!ran.seen) return "left no recording: " + ran.detail;
  std::set<std::string> rules;
  std::string text;
  const analysis::mistakes mistakes = analysis::mistakes_in(*ran.seen, analysis::program_end::by_itself);
  for (const report::finding& each : report::findings_of(*ran.seen, mistakes)) {
    rules.insert(each.rule);
    text += fmt::format("\n      {}: {}", each.rule, each.message);
    if (!is_in_chapter(each, chapter))
      return fmt::format("is reported without a line of {}:{}", chapter, text);
  }
  if (expected_rule.empty()) return rules.empty() ? "" : "is reported:" + text;
  if (rules.empty()) return "is not reported";
  return rules == std::set{expected_rule} ? "" : "is not reported for that alone:" + text;
}

bool passes(const std::filesystem::path& program, const std::string& chapter, const twin& of) {
  std::string problems;
  for (const char* const schedule : schedules) {
    for (const std::string variant : {"broken", "correct"}) {
      const std::string expected = variant == "broken" ? of.rule : "";
      const std::string problem = problem_of(run(program, {of.name, variant}, schedule), chapter, expected);
      if (!problem.empty())
        problems += fmt::format("\n  {} under {}: the {} one {}", of.name, schedule, variant, problem);
    }
  }
  fmt::print("{} {} ({}){}\n", problems.empty() ? "pass" : "fail", of.name, of.rule, problems);
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
  for (const twin& each : twins) all_pass = passes(program, chapter, each) && all_pass;
  fmt::print("{} twins\n", twins.size());
  return all_pass ? 0 : 1;
}
