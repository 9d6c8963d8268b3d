#include "runner/verify/lesson_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "parsing/pattern.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "report/mistake.h"
#include "report/result.h"
#include "runner/learner/lesson_hints.h"
#include "runner/verify/answer_sets.h"
#include "runner/verify/asked_sentences.h"
#include "runner/verify/done_table.h"
#include "runner/verify/markdown.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t min_hints = 3;
constexpr std::size_t min_wrong_answers = 8;
constexpr std::size_t min_right_answers = 3;

/// In the order in which a learner needs them.
constexpr const char* required_sections[] = {"## Predict first",   "## The idea",     "## The task",
                                             "## Done means",      "## The surprise", "## The calls",
                                             "## Where it is used"};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The problems of one lesson, as they are found.
class lesson_reader {
 public:
  lesson_reader(const course::checkout& checkout, const course::lesson& lesson, const lesson_rubric& rubric)
      : checkout_(checkout), lesson_(lesson), rubric_(rubric) {}

  std::vector<course_problem> problems() {
    look_for_files();
    look_at_the_contract();
    look_at_todos();
    look_at_points();
    look_at_hints();
    look_at_answers();
    look_at_sentences();
    look_at_the_readme();
    return std::move(problems_);
  }

 private:
  fs::path lesson_folder() const { return lesson_.source().parent_path(); }
  fs::path checker_folder() const { return lesson_.skeleton().parent_path(); }
  fs::path contract() const { return lesson_folder() / (lesson_.slug + ".h"); }

  void add(const fs::path& file, std::string message, std::string next) {
    problems_.push_back({checkout_.relative_path(file), std::move(message), std::move(next)});
  }

  void look_for_files() {
    // The learner's own file may be gone: `reset` brings it back.
    for (const fs::path& file :
         {lesson_folder() / "README.md", contract(), lesson_.solution(), lesson_.skeleton(),
          checker_folder() / "check.cpp", checker_folder() / "drive.cpp", lesson_.hints()}) {
      if (!fs::is_regular_file(file))
        add(file, "The file is missing.", "Write it; lesson 03 shows the form.");
    }
  }

  void look_at_the_contract() {
    const std::string line = "#include \"" + lesson_.slug + ".h\"";
    for (const fs::path& file : {lesson_.skeleton(), lesson_.solution()}) {
      const std::optional<std::string> text = processes::content_of(file);
      if (text && ("\n" + *text).find("\n" + line) == std::string::npos)
        add(file, "It does not include the contract of the lesson.", "Add the line: " + line);
    }
  }

  void look_at_todos() {
    const fs::path skeleton = lesson_.skeleton();
    const fs::path solution = lesson_.solution();
    if (!fs::is_regular_file(skeleton) || !fs::is_regular_file(solution)) return;
    const processes::outcome outcome =
        processes::run_child({checkout_.program("streamlings-check").string(), lesson_.folder, "todos",
                              "--skeleton", skeleton.string(), "--solution", solution.string()},
                             checkout_.root());
    if (outcome.exit_status != 0)
      add(skeleton, outcome.output, "Make skeleton and solution equal outside of their TODO regions.");
  }

  void look_at_points() {
    if (rubric_.points == 100) return;
    add(checker_folder() / "check.cpp", fmt::format("The points of the criteria sum to {}.", rubric_.points),
        "Make them sum to 100.");
  }

  void look_at_hints() {
    const fs::path file = lesson_.hints();
    const std::optional<std::string> text = processes::content_of(file);
    if (!text) return;
    const std::vector<hint> hints = report::parse_hints(*text);
    if (hints.size() < min_hints)
      add(file, fmt::format("It has {} hints; a lesson has at least {}.", hints.size(), min_hints),
          "Add sections that begin with \"## \", the weakest hint first.");
    for (const hint& hint : hints) {
      if (hint.text.empty())
        add(file, fmt::format("The hint \"{}\" says nothing.", hint.heading),
            "Write a few sentences below it.");
      for (const hint_topic& topic : hint.helps_with) look_at_topic(file, hint, topic);
      if (hint.helps_with.empty() && hint.level != static_cast<int>(hints.size()))
        add(file, fmt::format("The hint \"{}\" is for nothing, and others follow it.", hint.heading),
            "Name below its heading what it is for; only the last hint may be for everything.");
    }
    for (const std::string& criterion : rubric_.criteria) {
      const bool has_a_weak_one = std::any_of(hints.begin(), hints.end(), [&](const hint& hint) {
        return hint.level != static_cast<int>(hints.size()) &&
               std::any_of(hint.helps_with.begin(), hint.helps_with.end(),
                           [&](const hint_topic& topic) { return topic.name == criterion; });
      });
      if (!has_a_weak_one)
        add(file, fmt::format("No hint before the last is for {}.", criterion),
            "Who fails it would begin with the strongest hint: write a weaker one, or name it in one.");
    }
  }

  void look_at_topic(const fs::path& file, const hint& where, const hint_topic& topic) {
    const bool is_criterion = holds(rubric_.criteria, topic.name);
    if (!is_criterion && (!is_verdict(topic.name) || !topic.way.empty()))
      add(file, fmt::format("The hint \"{}\" is for '{}', which is no criterion.", where.heading, topic.name),
          fmt::format("The criteria are: {}.", fmt::join(rubric_.criteria, ", ")));
    if (!topic.way.empty() && !is_verdict(topic.way) && !report::is_mistake_word(topic.way))
      add(file,
          fmt::format("The hint \"{}\" is for '{}', which is no verdict and no mistake.", where.heading,
                      topic.way),
          "Verdicts are words as in docs/verdicts.md: wrong_answer, race_detected, ... Mistakes are the words of "
          "checker/report/mistake.h.");
  }

  static bool is_verdict(const std::string& word) {
    try {
      static_cast<void>(report::run_verdict_from_word(word));
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  void look_at_answers() {
    std::size_t wrong = 0;
    std::size_t right = 0;
    std::set<std::string> caught;
    for (const answer& answer : answers_of(lesson_)) {
      if (answer.set == answer_set::right) ++right;
      if (answer.set != answer_set::wrong) continue;
      ++wrong;
      caught.insert(declared_failure_of(answer));
    }
    require_count(wrong, min_wrong_answers, "wrong");
    require_count(right, min_right_answers, "right");
    for (const std::string& criterion : rubric_.criteria) {
      if (caught.count(criterion) == 0)
        add(checker_folder() / "wrong", fmt::format("No wrong answer is declared to fail {}.", criterion),
            "A criterion that nothing fails proves nothing: write an answer that fails it.");
    }
  }

  /// "" when the answer does not declare one.
  std::string declared_failure_of(const answer& answer) {
    static const parsing::pattern failure(R"(// fails: (\S+).*)");
    static const parsing::pattern target(R"(// where: (\d+|none)( cause: (\S+))?)");
    std::istringstream text(processes::content_of(answer.source).value_or(""));
    std::string first_line, second_line;
    std::getline(text, first_line);
    std::getline(text, second_line);
    const auto failing = failure.match(first_line);
    if (!failing) {
      add(answer.source, "Its first line does not say what it fails.", "Begin it with: // fails: CRITERION");
      return "";
    }
    const auto leading = target.match(second_line);
    if (!leading) {
      add(answer.source, "Its second line does not say where the report leads.",
          "Write behind the first: // where: LINE cause: WORD");
    } else if (holds(rubric_.criteria, failing->at(1)) && !report::is_mistake_word(leading->at(3))) {
      add(answer.source, fmt::format("'{}' is no word for a mistake.", leading->at(3)),
          "Use one of checker/report/mistake.h.");
    }
    return failing->at(1);
  }

  void look_at_sentences() {
    const fs::path check = checker_folder() / "check.cpp";
    const std::string asked_in = processes::content_of(contract()).value_or("");
    const std::string skeleton = processes::content_of(lesson_.skeleton()).value_or("");
    const std::vector<quoted_sentence> quoted = quoted_sentences(processes::content_of(check).value_or(""));
    const std::string sources = comment_text(asked_in) + ' ' + comment_text(skeleton);
    std::set<std::string> known;
    for (const quoted_sentence& sentence : quoted) {
      known.insert(sentence.text);
      if (sources.find(sentence.text) == sources.npos)
        add(check, fmt::format("It quotes \"{}\", which neither contract nor skeleton says.", sentence.text),
            "Quote the sentence as it is.");
      if (sentence.criterion.empty() && sentence.reason.empty())
        add(check, fmt::format("It does not say why \"{}\" is not judged.", sentence.text),
            "Write the reason behind the sentence.");
    }
    for (const std::string& sentence : asked_sentences(asked_in, skeleton)) {
      if (known.count(sentence) == 0)
        add(check, fmt::format("No criterion judges \"{}\".", sentence),
            "Quote it above the CRITERION that judges it, or write: // Not judged: \"...\" and the reason.");
    }
  }

  void require_count(std::size_t found, std::size_t min_count, const char* set) {
    if (found >= min_count) return;
    add(checker_folder() / set,
        fmt::format("There are {} {} answers; a lesson has at least {}.", found, set, min_count),
        "Write more of them, each different in what it does.");
  }

  void look_at_the_readme() {
    const fs::path file = lesson_folder() / "README.md";
    const std::optional<std::string> text = processes::content_of(file);
    if (!text) return;
    const std::vector<std::string> headings = headings_in(*text);
    if (headings.empty() || headings.front().rfind("# ", 0) != 0)
      add(file, "It does not begin with the title of the lesson.", "Begin it with a line \"# Title\".");
    if (text->find("\n**Goal.**") == std::string::npos)
      add(file, "It does not state the goal.", "Add a paragraph that begins with \"**Goal.**\".");
    for (const char* section : required_sections) {
      if (!holds(headings, section))
        add(file, fmt::format("It has no section \"{}\".", section),
            "Add the section; lesson 03 shows the form.");
    }
    if (text->find("\n" + std::string(done_table_head) + "\n") == std::string::npos)
      add(file, "The table of \"Done means\" has not the columns of the other lessons.",
          fmt::format("Head it {}; verify --update fills the last three columns.", done_table_head));
    for (const std::string& criterion : rubric_.criteria) {
      if (text->find("`" + criterion + "`") == std::string::npos)
        add(file, fmt::format("It does not say what {} asks.", criterion),
            "Add it to the table of \"Done means\".");
    }
  }

  const course::checkout& checkout_;
  const course::lesson& lesson_;
  const lesson_rubric& rubric_;
  std::vector<course_problem> problems_;
};

bool is_file_of(const course::checkout& checkout, const fs::path& target) {
  const fs::path inside =
      fs::weakly_canonical(target).lexically_relative(fs::weakly_canonical(checkout.root()));
  return !inside.empty() && *inside.begin() != ".." && fs::exists(target);
}

sweep_options sweep_options_in(const nlohmann::json& sweep) {
  sweep_options options{.function = sweep.at("of"), .parameters = {}};
  for (std::size_t i = 0; i < options.parameters.size(); ++i) {
    const nlohmann::json& parameter = sweep.at("parameters").at(i);
    options.parameters[i] = {parameter.at("name"), parameter.at("least"), parameter.at("most"),
                             parameter.at("usual")};
  }
  return options;
}

}  // namespace

lesson_rubric rubric_of(const course::checkout& checkout, const course::lesson& lesson) {
  const std::string program = checkout.program("streamlings-check").string();
  const processes::outcome outcome =
      processes::run_child({program, lesson.folder, "criteria", "--json"}, checkout.root());
  try {
    lesson_rubric rubric;
    const nlohmann::json answer = nlohmann::json::parse(outcome.output);
    for (const nlohmann::json& criterion : answer.at("criteria")) {
      rubric.criteria.push_back(criterion.at("name"));
      rubric.points += criterion.at("points").get<int>();
    }
    if (answer.contains("sweep")) rubric.sweep = sweep_options_in(answer.at("sweep"));
    return rubric;
  } catch (const nlohmann::json::exception&) {
    throw processes::cannot_do(
        fmt::format("{} does not list its criteria. It said:\n{}", lesson.folder, outcome.output));
  }
}

std::vector<course_problem> problems_of_lesson(const course::checkout& checkout, const course::lesson& lesson,
                                               const lesson_rubric& rubric) {
  return lesson_reader(checkout, lesson, rubric).problems();
}

std::vector<course_problem> problems_of_links(const course::checkout& checkout, const fs::path& page,
                                              std::set<std::string>& outside) {
  static const parsing::pattern with_scheme("[a-z]+:.*");
  std::vector<course_problem> problems;
  for (const markdown_link& link : links_in(processes::content_of(page).value_or(""))) {
    const std::string path = link.target.substr(0, link.target.find('#'));
    if (link.target.rfind("https://", 0) == 0) {
      outside.insert(link.target);
    } else if (with_scheme.match(link.target)) {
      problems.push_back({checkout.relative_path(page),
                          fmt::format("Line {}: {} is not https.", link.line, link.target),
                          "Link to an https address, or to a file of the course."});
    } else if (!path.empty() && !is_file_of(checkout, page.parent_path() / path)) {
      problems.push_back({checkout.relative_path(page),
                          fmt::format("Line {}: {} is no file of the course.", link.line, link.target),
                          "Links are relative to the page; correct or remove it."});
    }
  }
  return problems;
}

}  // namespace runner
