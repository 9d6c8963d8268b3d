#include "runner/verify/answer_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "course/record.h"
#include "parsing/pattern.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "runner/learner/lesson_check.h"
#include "runner/terminal/terminal.h"
#include "trace/run_control.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> answers_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Entries by set and lesson, "^wrong03\\.": the list of all names would be too long for ctest.
std::string pattern_of(const std::vector<answer>& answers) {
  std::set<std::string> patterns;
  for (const answer& answer : answers) {
    const std::string entry = answer.entry();
    const std::size_t dot = entry.find('.');
    const bool is_one_of_many = answer.set == answer_set::wrong || answer.set == answer_set::right;
    patterns.insert('^' + entry.substr(0, dot) +
                    (is_one_of_many      ? "[.]"
                     : dot == entry.npos ? "$"
                                         : "[.]" + entry.substr(dot + 1) + "$"));
  }
  return fmt::format("{}", fmt::join(patterns, "|"));
}

/// "3 of 22 answers, wrong03.crashes", after the entry that ended last.
void show_progress(std::string_view printed) {
  static const parsing::pattern ended(R"( *(\d+)/(\d+) Test +#\d+: (\S+) .*)");
  const std::size_t end = printed.rfind('\n');
  std::istringstream lines{std::string(printed.substr(0, end == printed.npos ? 0 : end))};
  parsing::groups last;
  for (std::string line; std::getline(lines, line);) {
    if (const auto found = ended.match(line)) last = *found;
  }
  if (last.empty()) return;
  fmt::print(stderr, "{}{} of {} answers, {}", clear_line, last[1], last[2], last[3]);
  std::fflush(stderr);
}

/// What one entry of ctest printed if it failed; nothing where it was not run.
std::optional<std::string> output_of(const std::string& entry, const std::string& printed) {
  static const parsing::pattern header(R"( *(\d+/\d+ Test +#|Start +)\d+: .*|\d+% tests passed.*)");
  std::istringstream lines(printed);
  std::optional<std::string> output;
  bool is_of_entry = false;
  for (std::string line; std::getline(lines, line);) {
    if (header.match(line)) {
      is_of_entry = line.find(" Test ") != line.npos && line.find(": " + entry + ' ') != line.npos;
      if (is_of_entry && !output) output = "";
    } else if (is_of_entry) {
      *output += line + '\n';
    }
  }
  return output;
}

answer_outcome solution_outcome(const fs::path& record) {
  answer_outcome outcome;
  outcome.result = report::load(course::result_file_of(record));
  outcome.is_as_declared = outcome.result->verdict == report::run_verdict::pass;
  if (outcome.is_as_declared) return outcome;
  for (const report::criterion_result& criterion : outcome.result->criteria) {
    if (criterion.verdict == report::criterion_verdict::fail)
      outcome.difference += criterion.name + " failed\n";
  }
  outcome.difference += fmt::format("The verdict is {}.\n", report::word_of(outcome.result->verdict));
  return outcome;
}

answer_outcome declared_outcome(const fs::path& record) {
  const nlohmann::json stored =
      nlohmann::json::parse(processes::content_of(course::expectation_file_of(record)).value_or(""));
  const nlohmann::json& target = stored.at("leads_to");
  return {stored.at("as_expected"), stored.at("expected").at("must_fail"),
          target.at("line"),        target.at("cause"),
          stored.at("difference"),  report::from_json(stored.at("result").dump())};
}

/// A wrong answer must declare its failure: without, one that passes everything would count as caught.
void require_declaration_of_its_set(answer_outcome& outcome, answer_set set) {
  const bool must_declare = set == answer_set::wrong || set == answer_set::skeleton;
  if (must_declare == !outcome.declared_failure.empty()) return;
  outcome.is_as_declared = false;
  outcome.difference = (must_declare ? "It does not say in its first line what it fails.\n"
                                     : "It declares a failure, and everything here has to pass.\n") +
                       outcome.difference;
}

/// The file that says what the check of an answer came to.
fs::path outcome_file_of(const course::checkout& checkout, const answer& answer) {
  const fs::path record = record_of(checkout, answer);
  return answer.set == answer_set::solution ? course::result_file_of(record)
                                            : course::expectation_file_of(record);
}

/// Throws where the check came to no result.
answer_outcome outcome_in(const fs::path& record, answer_set set) {
  if (set == answer_set::solution) return solution_outcome(record);
  answer_outcome outcome = declared_outcome(record);
  require_declaration_of_its_set(outcome, set);
  return outcome;
}

answer_outcome no_outcome(const std::string& reason) {
  answer_outcome none;
  none.difference = reason;
  return none;
}

}  // namespace

std::vector<answer> answers_of(const course::lesson& lesson) {
  const std::string number = lesson.two_digits();
  std::vector<answer> answers{{answer_set::skeleton, "skeleton" + number, lesson.skeleton()},
                              {answer_set::solution, "solution" + number, lesson.solution()}};
  for (const fs::path& file : answers_in(lesson.checks() / "wrong"))
    answers.push_back({answer_set::wrong, "wrong" + number + "." + file.stem().string(), file});
  for (const fs::path& file : answers_in(lesson.checks() / "right"))
    answers.push_back({answer_set::right, "right" + number + "." + file.stem().string(), file});
  return answers;
}

fs::path record_of(const course::checkout& checkout, const answer& answer) {
  return checkout.build_folder() / "records" / answer.name;
}

std::string run_answers(const course::checkout& checkout, const std::vector<answer>& answers,
                        std::size_t jobs) {
  if (answers.empty()) return "";
  for (const answer& answer : answers) {
    std::error_code absent;
    fs::remove(outcome_file_of(checkout, answer), absent);
  }
  trace::share_cores(jobs);
  const bool has_terminal = is_terminal(output_stream::error);
  processes::progress_function show;
  if (has_terminal) show = [](const processes::child_progress& ctest) { show_progress(ctest.output); };
  const processes::outcome ctest = processes::run_child(
      {"/usr/bin/env", "ctest", "--test-dir", (checkout.build_folder() / "checker" / "lessons").string(),
       "--output-on-failure", "-j", std::to_string(jobs), "-R", pattern_of(answers)},
      checkout.root(), show);
  if (has_terminal) fmt::print(stderr, "{}", clear_line);
  return ctest.output;
}

answer_outcome outcome_of(const course::checkout& checkout, const answer& answer,
                          const std::string& printed) {
  try {
    return outcome_in(record_of(checkout, answer), answer.set);
  } catch (const std::exception&) {
    const std::optional<std::string> output = output_of(answer.entry(), printed);
    return no_outcome(output ? "The check program came to no result:\n" + *output
                             : "ctest has no entry for it. ./streamlings setup makes it.\n");
  }
}

answer_outcome recorded_outcome_of(const course::checkout& checkout, const course::lesson& lesson,
                                   const answer& answer) {
  try {
    const answer_outcome outcome = outcome_in(record_of(checkout, answer), answer.set);
    return is_fresh(lesson, answer.source, *outcome.result)
               ? outcome
               : no_outcome(
                     "It or the lesson has changed since the check that is recorded. Without --recorded it "
                     "is checked now.\n");
  } catch (const std::exception&) {
    return no_outcome("No check of it is recorded. Without --recorded it is checked now.\n");
  }
}

}  // namespace runner
