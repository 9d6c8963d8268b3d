#include "runner/verify/answer_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <system_error>

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

void fill_in(answer_outcome& outcome, const nlohmann::json& printed) {
  outcome.is_as_declared = printed.at("as_expected");
  outcome.declared_failure = printed.at("expected").at("must_fail");
  outcome.difference = printed.at("difference");
  outcome.result = report::from_json(printed.at("result").dump());
}

/// Without a declaration a wrong answer that passes everything would count as caught.
void require_declaration_of_its_set(answer_outcome& outcome, answer_set set) {
  const bool must_declare = set == answer_set::wrong || set == answer_set::skeleton;
  if (must_declare == !outcome.declared_failure.empty()) return;
  outcome.is_as_declared = false;
  outcome.difference = (must_declare ? "It does not say in its first line what it fails.\n"
                                     : "It declares a failure, and everything here has to pass.\n") +
                       outcome.difference;
}

}  // namespace

std::vector<answer> answers_of(const course::lesson& lesson) {
  const std::string number = lesson.two_digits();
  std::vector<answer> answers{{lesson.number, answer_set::skeleton, "skeleton" + number, lesson.skeleton()},
                              {lesson.number, answer_set::solution, "solution" + number, lesson.solution()}};
  const fs::path folder = lesson.skeleton().parent_path();
  for (const fs::path& file : answers_in(folder / "wrong"))
    answers.push_back(
        {lesson.number, answer_set::wrong, "wrong" + number + "." + file.stem().string(), file});
  for (const fs::path& file : answers_in(folder / "right"))
    answers.push_back(
        {lesson.number, answer_set::right, "right" + number + "." + file.stem().string(), file});
  return answers;
}

fs::path record_of(const course::checkout& checkout, const answer& what) {
  const fs::path check = checkout.program("streamlings-check");
  return check.parent_path().parent_path() / "records" / what.name;
}

std::vector<std::string> command_for(const course::checkout& checkout, const answer& what,
                                     const std::string& compiler) {
  const fs::path check = checkout.program("streamlings-check");
  std::vector<std::string> command{check.string(), checkout.find(std::to_string(what.lesson)).folder, "expect",
                                   "--source",     what.source.string(),
                                   "--record",     record_of(checkout, what).string(),
                                   "--json"};
  if (what.set == answer_set::skeleton) command.push_back("--skeleton");
  if (!compiler.empty()) command.insert(command.end(), {"--compiler", compiler});
  return command;
}

answer_outcome answer_outcome_of(const answer& what, const processes::outcome& printed) {
  answer_outcome outcome;
  try {
    fill_in(outcome, nlohmann::json::parse(printed.output));
    require_declaration_of_its_set(outcome, what.set);
  } catch (const std::exception&) {
    outcome = {};
    outcome.difference = fmt::format("The check program came to no result (exit status {}):\n{}",
                                     printed.exit_status, printed.output);
  }
  return outcome;
}

}  // namespace runner
