#include "runner/verify/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "parsing/pattern.h"
#include "processes/cannot_do.h"
#include "processes/files.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_svg.h"
#include "report/wording/run_summary.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/lesson_hints.h"
#include "runner/learner/prediction_tables.h"
#include "runner/learner/predictions.h"
#include "runner/terminal/terminal.h"
#include "runner/verify/done_table.h"
#include "runner/verify/pictures.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// What an author does when an answer does not come out as declared.
std::string next_step(const answer& answer) {
  const std::string alone =
      fmt::format(" Alone: ctest --test-dir build -R '^{}' --output-on-failure", answer.name);
  switch (answer.set) {
    case answer_set::skeleton:
      return "Correct the skeleton, or SKELETON_FAILS in check.cpp." + alone;
    case answer_set::solution:
      return "Correct the solution, or the criterion." + alone;
    case answer_set::wrong:
      return "Correct its first line when the answer is caught for a better reason, else the criterion." +
             alone;
    case answer_set::right:
      return "Correct the criterion that refuses a right answer, or the answer." + alone;
  }
  throw std::logic_error("a set without a next step");
}

class verifier {
 public:
  verifier(const course::checkout& checkout, const verify_options& options)
      : checkout_(checkout), options_(options) {}

  verification look_at(const std::vector<course::lesson>& lessons) {
    found_.extent = options_.extent;
    for (const course::lesson& lesson : lessons)
      found_.lessons.push_back({lesson, {}, answers_of(lesson), {}});
    for (verified_lesson& lesson : found_.lessons) look_at_files(lesson);
    check_answers();
    for (const verified_lesson& lesson : found_.lessons) {
      look_at_outcomes(lesson);
      look_at_choice_of_hints(lesson);
    }
    look_at_pages();
    for (const verified_lesson& lesson : found_.lessons) look_at_predictions(lesson);
    return std::move(found_);
  }

 private:
  fs::path page_of(const course::lesson& lesson) const { return lesson.source().parent_path() / "README.md"; }

  void look_at_files(verified_lesson& lesson) {
    try {
      lesson.rubric = rubric_of(checkout_, lesson.course_lesson);
      add(problems_of_lesson(checkout_, lesson.course_lesson, lesson.rubric));
    } catch (const processes::cannot_do& reason) {
      found_.problems.push_back({"checker/lessons/" + lesson.course_lesson.folder, reason.what(),
                                 "Build the checks: cmake --build build --target streamlings-check checks"});
    }
  }

  bool is_wanted(const answer& answer) const {
    return options_.extent == verify_extent::everything || answer.set == answer_set::skeleton ||
           answer.set == answer_set::solution;
  }

  void check_answers() {
    std::vector<answer> wanted;
    for (const verified_lesson& lesson : found_.lessons) {
      if (lesson.rubric.criteria.empty()) continue;
      std::copy_if(lesson.answers.begin(), lesson.answers.end(), std::back_inserter(wanted),
                   [&](const answer& answer) { return is_wanted(answer); });
    }
    std::optional<std::string> printed;
    if (options_.checks == answer_checks::run_now) printed = run_answers(checkout_, wanted, options_.jobs);
    for (verified_lesson& lesson : found_.lessons) {
      if (lesson.rubric.criteria.empty()) continue;
      // Skeleton and solution come first, so those that are wanted are the first so many.
      for (const answer& answer : lesson.answers) {
        if (is_wanted(answer))
          lesson.outcomes.push_back(printed ? outcome_of(checkout_, answer, *printed)
                                            : recorded_outcome_of(checkout_, lesson.course_lesson, answer));
      }
    }
  }

  void look_at_outcomes(const verified_lesson& lesson) {
    for (std::size_t i = 0; i < lesson.outcomes.size(); ++i) {
      if (lesson.outcomes[i].is_as_declared) continue;
      const answer& answer = lesson.answers[i];
      found_.problems.push_back(
          {checkout_.relative_path(answer.source), lesson.outcomes[i].difference, next_step(answer)});
    }
  }

  /// Whether the first hint that a mistake brings up is for that mistake, and every hint for one of them.
  void look_at_choice_of_hints(const verified_lesson& lesson) {
    const fs::path file = lesson.course_lesson.hints();
    const std::vector<hint> hints = hints_of(lesson.course_lesson);
    std::set<int> asked_for;
    for (std::size_t i = 0; i < lesson.outcomes.size(); ++i) {
      const answer_outcome& outcome = lesson.outcomes[i];
      if (!outcome.result) continue;
      const std::vector<failure> failures = failures_in(*outcome.result);
      for (const hint& hint : hints) {
        const bool is_asked_for = std::any_of(failures.begin(), failures.end(),
                                              [&](const failure& failure) { return is_for(hint, failure); });
        if (is_asked_for) asked_for.insert(hint.level);
      }
      if (lesson.answers[i].set == answer_set::wrong && outcome.is_as_declared)
        look_at_first_hint(file, hints, lesson.answers[i].name, outcome.declared_failure, failures);
    }
    if (lesson.outcomes.size() < lesson.answers.size()) return;  // the mistakes were not made
    for (const hint& hint : hints) {
      if (hint.helps_with.empty() || asked_for.count(hint.level) != 0) continue;
      found_.problems.push_back({checkout_.relative_path(file),
                                 fmt::format("No wrong answer leads to the hint \"{}\".", hint.heading),
                                 "Name in its line \"for:\" what fails when somebody needs it, or add the "
                                 "mistake to the wrong answers."});
    }
  }

  void look_at_first_hint(const fs::path& file, const std::vector<hint>& hints, const std::string& answer,
                          const std::string& declared_failure, const std::vector<failure>& failures) {
    const std::optional<hint> first = report::unfitting_first_hint(hints, failures, declared_failure);
    if (!first) return;
    found_.problems.push_back({checkout_.relative_path(file),
                               fmt::format("After {} the first hint is \"{}\", which is not for {}.", answer,
                                           first->heading, declared_failure),
                               "Place a hint for it before that one, or narrow that one's line \"for:\"."});
  }

  void look_at_pages() {
    for (const verified_lesson& lesson : found_.lessons) {
      look_at_links(page_of(lesson.course_lesson));
      look_at_links(lesson.course_lesson.hints());
      look_at_page(
          page_of(lesson.course_lesson), lesson.course_lesson.two_digits(), [&](const std::string& text) {
            return with_questions(
                lesson.course_lesson,
                with_measured_columns(
                    redrawn(text, [&](const std::string& name) { return lesson_picture(lesson, name); }),
                    done_rows_of(lesson)));
          });
    }
    const fs::path front_page = checkout_.root() / "README.md";
    look_at_links(front_page);
    look_at_page(front_page, "", [&](const std::string& text) {
      return redrawn(text, [&](const std::string& name) { return front_page_picture(name); });
    });
    std::error_code absent;
    std::set<fs::path> pages;
    for (const fs::directory_entry& entry : fs::directory_iterator(checkout_.root() / "docs", absent)) {
      if (entry.path().extension() == ".md") pages.insert(entry.path());
    }
    for (const fs::path& page : pages) look_at_links(page);
  }

  /// A lesson without predict.json has its questions in the page alone.
  static std::string with_questions(const course::lesson& lesson, const std::string& page) {
    const std::vector<question> questions = questions_of(lesson);
    return questions.empty() ? page : with_question_list(page, questions);
  }

  /// Each measured question is answered by a run of the answers.
  void look_at_predictions(const verified_lesson& lesson) {
    const std::string file = checkout_.relative_path(lesson.course_lesson.contract() / "predict.json");
    try {
      const std::vector<question> questions = questions_of(lesson.course_lesson);
      std::map<std::string, double> measured;
      for (const answer_outcome& outcome : lesson.outcomes) {
        if (outcome.result) measured.merge(measured_by(*outcome.result, lesson.course_lesson, questions));
      }
      for (const question& one : questions) {
        if (!one.is_measured() || measured.count(one.id) != 0 || !has_run_for(one, lesson)) continue;
        found_.problems.push_back(
            {file, fmt::format("No run answers '{}'.", one.id),
             fmt::format("It asks for {} of a check ({}). ./streamlings check {} --json shows the fields.",
                         one.field, one.answered_by, lesson.course_lesson.two_digits())});
      }
    } catch (const processes::cannot_do& reason) {
      found_.problems.push_back({file, reason.what(), "Correct the file; lesson 03 shows the form."});
    }
  }

  /// A condition on a field may need a wrong answer, which --static leaves out.
  static bool has_run_for(const question& question, const verified_lesson& lesson) {
    if (question.answered_by == "pass") return can_be_shown({&lesson, answer_set::solution});
    if (question.answered_by == "as_it_comes") return can_be_shown({&lesson, answer_set::skeleton});
    return lesson.outcomes.size() == lesson.answers.size();
  }

  void look_at_links(const fs::path& page) { add(problems_of_links(checkout_, page, found_.links_outside)); }

  /// The run of a lesson that a picture shows, with the answer that it belongs to.
  struct shown_run {
    const verified_lesson* lesson = nullptr;
    answer_set set = answer_set::skeleton;
    const answer_outcome* outcome() const { return lesson == nullptr ? nullptr : lesson->outcome_of(set); }
  };

  /// The run that a name of a picture means, without an outcome when it was not made here. Throws
  /// std::runtime_error when there is no such name.
  static shown_run lesson_picture(const verified_lesson& lesson, const std::string& name) {
    if (name == "skeleton") return {&lesson, answer_set::skeleton};
    if (name == "solution") return {&lesson, answer_set::solution};
    throw std::runtime_error(
        fmt::format("There is no picture '{}': the pictures of a lesson are skeleton and solution.", name));
  }

  shown_run front_page_picture(const std::string& name) const {
    static const parsing::pattern form(R"(lesson (\d+), (as it comes|solved))");
    const auto found = form.match(name);
    if (!found)
      throw std::runtime_error(fmt::format(
          "There is no picture '{}': write 'lesson 03, as it comes' or 'lesson 03, solved'.", name));
    const course::lesson& wanted = checkout_.find(found->at(1));  // throws processes::cannot_do
    for (const verified_lesson& lesson : found_.lessons) {
      if (lesson.course_lesson.number != wanted.number) continue;
      return {&lesson, found->at(2) == "solved" ? answer_set::solution : answer_set::skeleton};
    }
    return {};
  }

  std::string redrawn(const std::string& text, const std::function<shown_run(const std::string&)>& run_of) {
    return with_pictures(text, [&](const std::string& name, picture_form form) {
      return form == picture_form::text ? text_of(name, run_of(name)) : image_of(name, run_of(name));
    });
  }

  /// The rows of the table of "Done means"; none while skeleton or solution did not come out as declared.
  static std::map<std::string, done_row> done_rows_of(const verified_lesson& lesson) {
    const shown_run skeleton{&lesson, answer_set::skeleton};
    const shown_run solution{&lesson, answer_set::solution};
    if (!can_be_shown(skeleton) || !can_be_shown(solution)) return {};
    return done_rows(skeleton.outcome()->result->criteria, solution.outcome()->result->criteria);
  }

  /// Compares a page with what the runs give, or writes it anew.
  void look_at_page(const fs::path& page, const std::string& lesson,
                    const std::function<std::string(const std::string&)>& from_runs) {
    const std::optional<std::string> text = processes::content_of(page);
    if (!text) return;
    try {
      settle(page, lesson, *text, from_runs(*text));
    } catch (const std::runtime_error& reason) {
      found_.problems.push_back({checkout_.relative_path(page), reason.what(),
                                 "Correct the lines <!-- timeline: NAME -->, <!-- drawing: NAME --> and <!-- "
                                 "end -->, and the table of "
                                 "\"Done means\"."});
    }
  }

  /// What is wrong with such a run is a problem of its own.
  static bool can_be_shown(const shown_run& run) {
    return run.outcome() != nullptr && run.outcome()->is_as_declared && run.outcome()->result;
  }

  static std::optional<std::string> text_of(const std::string& name, const shown_run& run) {
    if (!can_be_shown(run)) return std::nullopt;
    if (run.outcome()->result->timeline.empty())
      throw std::runtime_error("The run for the picture '" + name + "' left none.");
    return run.outcome()->result->timeline;
  }

  /// Settles the image's file, which has the time scale of the slower of both runs, so that they compare.
  std::optional<std::string> image_of(const std::string& name, const shown_run& run) {
    const shown_run other{run.lesson,
                          run.set == answer_set::skeleton ? answer_set::solution : answer_set::skeleton};
    if (!can_be_shown(run) || !can_be_shown(other)) return std::nullopt;
    const trace::recording recording = recording_of(name, run);
    const trace::recording compared = recording_of(name, other);
    const report::drawable_part part = report::part_to_draw(recording, "learner");
    const report::drawable_part compared_part = report::part_to_draw(compared, "learner");
    if (!part.part || !compared_part.part)
      throw std::runtime_error("The run for the picture '" + name + "' left nothing to draw.");
    const std::string heading = "L" + name.substr(1);
    settle_image(checkout_.root() / picture_file(name),
                 report::timeline_svg(
                     recording, {.heading = heading,
                                 .length = std::max(part.part->duration(), compared_part.part->duration()),
                                 .details = report::span_details::left_out}));
    return fmt::format("![{}: {} in all; {}]({})", heading, report::duration_words(part.part->duration()),
                       report::overlap_words(*part.part), picture_file(name));
  }

  /// "docs/pictures/lesson_03_as_it_comes.svg"
  static std::string picture_file(std::string name) {
    name.erase(std::remove(name.begin(), name.end(), ','), name.end());
    std::replace(name.begin(), name.end(), ' ', '_');
    return "docs/pictures/" + name + ".svg";
  }

  trace::recording recording_of(const std::string& name, const shown_run& run) const {
    const auto found = std::find_if(run.lesson->answers.begin(), run.lesson->answers.end(),
                                    [&](const answer& answer) { return answer.set == run.set; });
    if (found == run.lesson->answers.end() || run.outcome()->result->recording.empty())
      throw std::runtime_error("The run for the picture '" + name + "' left no recording.");
    return load_recording(record_of(checkout_, *found) / run.outcome()->result->recording);
  }

  void settle_image(const fs::path& file, const std::string& drawn) {
    if (is_same_drawing(processes::content_of(file).value_or(""), drawn)) return;
    if (options_.pictures == page_pictures::rewritten) {
      processes::write_whole(file, drawn);
      found_.rewritten.push_back(checkout_.relative_path(file));
      return;
    }
    found_.problems.push_back({checkout_.relative_path(file), "The drawing is not that of a run.",
                               "./streamlings verify --static --update draws it anew."});
  }

  void settle(const fs::path& page, const std::string& lesson, const std::string& text,
              const std::string& redrawn) {
    const std::optional<line_difference> difference = first_difference(text, redrawn);
    if (!difference) return;
    if (options_.pictures == page_pictures::rewritten) {
      processes::write_whole(page, redrawn);
      found_.rewritten.push_back(checkout_.relative_path(page));
      return;
    }
    found_.problems.push_back({checkout_.relative_path(page),
                               fmt::format("Line {} is not what the run gives.\n  page: {}\n  run:  {}",
                                           difference->line, difference->left, difference->right),
                               fmt::format("./streamlings verify --static --update{}{} writes it anew.",
                                           lesson.empty() ? "" : " ", lesson)});
  }

  void add(const std::vector<course_problem>& problems) {
    found_.problems.insert(found_.problems.end(), problems.begin(), problems.end());
  }

  const course::checkout& checkout_;
  const verify_options& options_;
  verification found_;
};

}  // namespace

std::size_t verified_lesson::count(answer_set set) const {
  return static_cast<std::size_t>(
      std::count_if(answers.begin(), answers.end(), [&](const answer& answer) { return answer.set == set; }));
}

std::size_t verified_lesson::as_declared(answer_set set) const {
  std::size_t found = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    found += answers[i].set == set && outcomes[i].is_as_declared ? 1 : 0;
  return found;
}

const answer_outcome* verified_lesson::outcome_of(answer_set set) const {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (answers[i].set == set) return &outcomes[i];
  }
  return nullptr;
}

std::optional<margin> verified_lesson::margin_of_solution() const {
  const answer_outcome* solution = outcome_of(answer_set::solution);
  if (solution == nullptr || !solution->result) return std::nullopt;
  return smallest_margin(solution->result->criteria);
}

verification verify(const course::checkout& checkout, const std::vector<course::lesson>& lessons,
                    const verify_options& options) {
  return verifier(checkout, options).look_at(lessons);
}

}  // namespace runner
