#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "processes/cannot_do.h"
#include "report/text_layout.h"
#include "runner/learner/prediction_tables.h"
#include "runner/learner/predictions.h"
#include "runner/learner/progress.h"
#include "runner/terminal/terminal.h"
#include "runner/verbs.h"

namespace runner {
namespace {

struct predict_arguments {
  std::string lesson;
  std::vector<std::string> answers;  ///< "ID=VALUE" or "NUMBER=VALUE"
  bool is_skipped = false;
  bool as_json = false;
  bool is_worksheet = false;
  std::filesystem::path class_folder;
};

/// `words` is "ID=VALUE", or "NUMBER=VALUE" with the number of the question on the page.
void keep_answer(const std::vector<question>& questions, predictions& kept, const std::string& words) {
  const std::size_t equals = words.find('=');
  const std::string name = words.substr(0, equals);
  std::string names;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const question& one = questions[i];
    const std::string number = std::to_string(i + 1);
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", number, one.id);
    if ((one.id != name && number != name) || equals == words.npos) continue;
    const std::string answer = words.substr(equals + 1);
    const std::string problem = problem_of_answer(one, answer);
    if (!problem.empty()) throw processes::cannot_do(fmt::format("{}: {}", name, problem));
    if (kept.measured.count(one.id) != 0)
      throw processes::cannot_do(
          fmt::format("{}: a run has measured it, so it cannot be predicted any more.", name));
    kept.answers[one.id] = answer;
    return;
  }
  throw processes::cannot_do(
      fmt::format("write --answer NUMBER=VALUE or ID=VALUE. The questions are: {}.", names));
}

/// Asks on the terminal. An empty line leaves a question open; "skip" and the end of the input skip all.
void ask(const std::vector<question>& questions, predictions& kept) {
  const std::vector<question> wanted = questions_to_ask(questions, kept);
  if (wanted.empty()) return;
  fmt::print("Enter leaves a question open, \"skip\" skips all.\n");
  for (std::size_t i = 0; i < wanted.size();) {
    fmt::print("\n{}{}> ", report::hanging("", wanted[i].text, report_width()),
               wanted[i].is_measured() ? wanted[i].unit : "");
    std::fflush(stdout);
    std::string answer;
    if (!std::getline(std::cin, answer) || answer == "skip") {
      fmt::print("\n");
      kept.is_skipped = true;
      return;
    }
    const std::string problem = answer.empty() ? "" : problem_of_answer(wanted[i], answer);
    if (!problem.empty()) {
      fmt::print("{}\n", problem);
      continue;
    }
    if (!answer.empty()) kept.answers[wanted[i].id] = answer;
    ++i;
  }
  fmt::print("\n");
}

void print_text(const course::lesson& lesson, const std::vector<question>& questions,
                const predictions& kept) {
  fmt::print("Lesson {} {}{}\n", lesson.two_digits(), lesson.title,
             kept.is_skipped ? ": predictions skipped" : "");
  const int width = report_width();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const question& one = questions[i];
    fmt::print("\n{}{}",
               report::hanging(fmt::format("{}. {}: ", i + 1, one.id), report::escaped(one.text), width),
               report::hanging("  -> ", report::escaped(comparison_of(one, kept)), width));
  }
  if (!questions_to_ask(questions, kept).empty())
    fmt::print("\nTo answer: ./streamlings predict {} in a terminal, or with --answer NUMBER=VALUE\n",
               lesson.two_digits());
}

void print_json(const course::lesson& lesson, const std::vector<question>& questions,
                const predictions& kept) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const question& one : questions) {
    nlohmann::ordered_json stored{{"id", one.id}, {"question", one.text}};
    if (one.is_measured()) {
      stored["unit"] = one.unit;
      stored["tolerance"] = one.tolerance;
    }
    const auto answer = kept.answers.find(one.id);
    const auto measured = kept.measured.find(one.id);
    if (answer != kept.answers.end()) stored["answer"] = answer->second;
    if (measured != kept.measured.end()) stored["measured"] = measured->second;
    if (answer != kept.answers.end() && measured != kept.measured.end())
      stored["is_right"] = is_near(one, answer->second, measured->second);
    list.push_back(std::move(stored));
  }
  const nlohmann::ordered_json all{{"version", 1},
                                   {"lesson", lesson.number},
                                   {"slug", lesson.slug},
                                   {"is_skipped", kept.is_skipped},
                                   {"questions", std::move(list)}};
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::vector<course::lesson> named_or_all(const course::checkout& checkout, const std::string& name) {
  return name.empty() ? checkout.lessons() : std::vector{checkout.find(name)};
}

int print_class_table(const course::checkout& checkout, const predict_arguments& arguments) {
  std::string tables;
  for (const course::lesson& lesson : named_or_all(checkout, arguments.lesson)) {
    const std::string table =
        class_table(lesson, questions_of(lesson), predictions_of_class(arguments.class_folder, lesson));
    tables += (tables.empty() || table.empty() ? "" : "\n") + table;
  }
  if (tables.empty()) {
    throw processes::cannot_do(
        "no folder in " + arguments.class_folder.string() +
        " holds predictions: .streamlings/predictions/NN_slug.json, or that file itself.");
  }
  fmt::print("{}", tables);
  return 0;
}

int predict(const predict_arguments& arguments) {
  const course::checkout checkout = course::checkout::open();
  if (arguments.is_worksheet) {
    fmt::print("{}", worksheet(named_or_all(checkout, arguments.lesson)));
    return 0;
  }
  if (!arguments.class_folder.empty()) return print_class_table(checkout, arguments);
  const course::lesson& lesson = named_or_current(checkout, arguments.lesson);
  const std::vector<question> questions = questions_of(lesson);
  if (questions.empty())
    throw processes::cannot_do("lesson " + lesson.two_digits() + " asks for no predictions.");
  const std::filesystem::path file = predictions_file(checkout, lesson);
  predictions kept = load_predictions(file);
  const predictions before = kept;
  for (const std::string& words : arguments.answers) keep_answer(questions, kept, words);
  if (arguments.is_skipped) kept.is_skipped = true;
  const bool can_ask =
      arguments.answers.empty() && !arguments.is_skipped && !arguments.as_json && can_watch();
  if (can_ask) ask(questions, kept);
  if (kept != before) save_predictions(file, kept);
  arguments.as_json ? print_json(lesson, questions, kept) : print_text(lesson, questions, kept);
  return 0;
}

}  // namespace

void add_predict(parsing::command& program) {
  parsing::command& verb =
      program.verb("predict", "The questions of a lesson: what you expect, beside what was measured");
  verb.footer(
      "Example: streamlings predict 03\n"
      "In a terminal it asks what is not answered yet; elsewhere it prints what is kept. Checks of your file measure the\n"
      "numbers. For instructors: --worksheet prints the questions with room for answers, --class the answers of a class.");
  const auto arguments = std::make_shared<predict_arguments>();
  verb.option("lesson", arguments->lesson,
              "Number, slug or folder; without it the current lesson, or with --worksheet and --class all");
  const parsing::argument answer = verb.option("--answer", arguments->answers,
                                               "Keep an answer: NUMBER=VALUE or ID=VALUE; may be repeated");
  const parsing::argument skip =
      verb.flag("--skip", arguments->is_skipped, "Skip the questions of this lesson");
  skip.excludes(answer);
  const parsing::argument json = verb.flag("--json", arguments->as_json, "Print JSON");
  const parsing::argument worksheet =
      verb.flag("--worksheet", arguments->is_worksheet, "Print a worksheet, as Markdown");
  const parsing::argument students = verb.option(
      "--class", arguments->class_folder,
      "Print a table, as Markdown, of this folder, which has a folder for each student with their .streamlings");
  for (const parsing::argument& other : {answer, skip, json}) {
    worksheet.excludes(other);
    students.excludes(other);
  }
  worksheet.excludes(students);
  verb.does([arguments] { return predict(*arguments); });
}

}  // namespace runner
