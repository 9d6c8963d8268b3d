#include "runner/watch/watch_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "report/text_layout.h"
#include "report/verdict_text.h"

namespace runner {
namespace {

using lines = std::vector<std::string>;

/// The smallest width of a report; narrower screens fold its lines.
constexpr int narrowest_report = 40;
constexpr int widest_report = 120;

enum class key_place { line, help };

struct key_help {
  char letter;
  std::string_view word;  ///< in the line of keys
  std::string_view effect;
  key_place place = key_place::line;  ///< help: not on the line of keys when that is too long
};

constexpr key_help keys_of_lesson[] = {
    {'n', "next", "the next lesson; behind the last, what is left"},
    {'p', "previous", "the lesson before", key_place::help},
    {'r', "run", "check the file again"},
    {'h', "hint", "a hint, one level deeper each time; Esc puts it away"},
    {'e', "edit", "open the file with $VISUAL or $EDITOR"},
    {'t', "timeline", "your run as a page to zoom and point at, in the browser"},
    {'o', "page", "the lesson as a page in the browser, beside this screen", key_place::help},
    {'s', "compare", "your run above that of the solution"},
    {'l', "list", "all lessons"},
    {'c', "check all", "check all lessons"},
    {'x', "reset", "put the file back as it was; yours is kept", key_place::help},
    {'?', "help", "this page"},
    {'q', "quit", "leave; what you have done is kept"},
};

std::string styled_verdict(report::run_verdict verdict, const styles& style) {
  if (verdict == report::run_verdict::pass) return style.good("PASSED");
  return report::exit_status_of(verdict) == report::exit_status::undecided
             ? style.bold(report::words_of(verdict))
             : style.bad(report::words_of(verdict));
}

std::string phase_words(const running_check& check) {
  return fmt::format("{}, {:.1f} s", check.phase, static_cast<double>(check.elapsed.count()) / 1000.0);
}

int report_width_for(screen_size size) { return std::clamp(size.columns, narrowest_report, widest_report); }

/// Paragraphs filled to the width; code between fences and list items keep their lines.
std::string filled(std::string_view markdown, int width) {
  std::string text;
  std::string paragraph;
  bool is_inside_fence = false;
  const auto end_paragraph = [&] {
    for (const std::string& line : report::wrap(paragraph, width)) text += line + "\n";
    paragraph.clear();
  };
  while (!markdown.empty()) {
    const std::size_t line_break = markdown.find('\n');
    const std::string_view line = markdown.substr(0, line_break);
    markdown.remove_prefix(line_break == std::string_view::npos ? markdown.size() : line_break + 1);
    const bool is_fence = line.rfind("```", 0) == 0;
    if (is_fence) is_inside_fence = !is_inside_fence;
    const bool stands_alone = is_fence || is_inside_fence || line.empty() || line.front() == ' ';
    if (stands_alone || line.front() == '-' || line.front() == '*' || line.front() == '|') end_paragraph();
    if (is_fence) continue;
    if (stands_alone) {
      text += std::string(line) + "\n";
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  end_paragraph();
  return text;
}

std::string hint_text(const shown_hint& hint, int width, const styles& style) {
  return style.bold(hint.title) + "\n" + filled(report::escaped(hint.text), width) + "\n";
}

/// The next step after a pass, above the report.
std::string after_pass(const watch_model& model, const styles& style, int width) {
  const bool is_last = model.current + 1 == model.lessons.size();
  std::string next;
  if (!is_last) {
    const lesson_entry& behind = model.lessons[model.current + 1];
    next = fmt::format("n goes on to lesson {} {}.", behind.number, behind.title);
  } else if (are_all_done(model)) {
    next = "All lessons are done: n checks all of them once more.";
  } else {
    next = "This was the last lesson; n goes to what is left.";
  }
  return style.good(next) + "\n" +
         report::hanging("", "s compares with the solution, " + model.lessons[model.current].solution, width);
}

std::string first_step(const lesson_entry& lesson) {
  return fmt::format("Read {}, then edit {}.", lesson.readme, lesson.source);
}

/// Leaves room on a small screen for the reasons of failed criteria.
report::result without_notes_of_passes(report::result result) {
  for (report::criterion_result& criterion : result.criteria) {
    if (criterion.verdict == report::criterion_verdict::pass) criterion.note.clear();
  }
  return result;
}

std::string lesson_text(const watch_model& model, screen_size size, const styles& style) {
  const int width = report_width_for(size);
  const lesson_entry& lesson = model.lessons[model.current];
  const std::string name = style.bold(fmt::format("Lesson {} {}", lesson.number, lesson.title));
  const auto running = model.running.find(model.current);
  const bool is_running = running != model.running.end();

  std::string verdict;
  if (model.result) {
    constexpr int rows_for_notes = 36;
    verdict = report::verdict_text(
        size.rows < rows_for_notes ? without_notes_of_passes(*model.result) : *model.result,
        {.width = width, .colour = style.colour, .with_timeline = true, .with_next_steps = false});
  }
  const std::size_t head_end = std::min(verdict.find('\n'), verdict.size());
  std::string text;
  if (is_running) {
    text = fmt::format("{}: {} ({})\n", name, style.busy("checking"), phase_words(running->second));
    if (model.result) {
      text += fmt::format("The verdict before: {}\n", styled_verdict(model.result->verdict, style));
    }
  } else if (!model.problem.empty()) {
    text = name + ": " + style.bold("not decided") + "\n" +
           report::hanging("", report::escaped(model.problem), width);
    verdict.clear();
  } else if (model.result) {
    text = verdict.substr(0, head_end) + "\n";
    if (!model.is_fresh)
      text += style.bold("The file has changed since this verdict; r checks it.") + "\n";
    else if (model.result->verdict == report::run_verdict::pass)
      text += after_pass(model, style, width);
    else if (lesson.progress == lesson_progress::untouched)
      text += report::hanging("", "This is the file as it came. " + first_step(lesson), width) + "\n";
  } else {
    text = name + ": not checked yet\n";
  }
  if (!model.welcome.empty()) text += "\n" + filled(model.welcome, width);
  if (!model.result) text += "\n" + report::hanging("", first_step(lesson), width);
  const std::string hint = model.hint ? hint_text(*model.hint, width, style) : "";
  const auto ensure_space = [&] {
    const bool has_space = text.size() < 2 || text.compare(text.size() - 2, 2, "\n\n") == 0;
    if (!hint.empty() && !has_space) text += "\n";
  };
  const bool compiles = !model.result || model.result->verdict != report::run_verdict::compile_error;
  if (compiles) {
    ensure_space();
    text += hint;
  }
  if (!model.predictions.empty() && !is_running) {
    ensure_space();
    text += model.predictions + "\n";
  }
  if (!verdict.empty()) text += verdict.substr(std::min(head_end + 1, verdict.size()));
  if (!compiles) {
    ensure_space();
    text += hint;
  }
  return text;
}

/// The active filter and search, "" for none.
std::string list_remark(const lesson_list& list) {
  std::string remark;
  if (list.filter == lesson_filter::done) remark = "done";
  if (list.filter == lesson_filter::to_do) remark = "to do";
  if (list.is_typing || !list.search.empty()) {
    remark +=
        fmt::format("{}with \"{}{}\"", remark.empty() ? "" : ", ", list.search, list.is_typing ? "_" : "");
  }
  return remark.empty() ? "" : ": " + remark;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string list_line(const watch_model& model, std::size_t i, int title_width, const std::string& place,
                      int columns, const styles& style) {
  const lesson_entry& lesson = model.lessons[i];
  const bool is_chosen = i == model.list.chosen;
  std::string line =
      fmt::format("{} {} {}  {}  {:<9}", is_chosen ? ">" : " ", i == model.current ? "*" : " ", lesson.number,
                  report::fitted(lesson.title, title_width), word_of(lesson.progress));
  if (!place.empty()) line += "  " + place;
  line = clipped(line, columns);
  if (is_chosen) return style.chosen(line);
  return is_done(lesson) ? style.good(line) : line;
}

constexpr int list_head = 2;

lines list_lines(const watch_model& model, int columns, const styles& style) {
  int title_width = 0;
  int path_width = 0;
  int name_width = 0;
  for (const lesson_entry& entry : model.lessons) {
    title_width = std::max(title_width, report::width_of(entry.title));
    path_width = std::max(path_width, report::width_of(entry.source));
    name_width = std::max(name_width, report::width_of(file_name(entry.source)));
  }
  constexpr int columns_beside_title = 19;  // marks, number and state
  const int room = columns - title_width - columns_beside_title - 2;
  const auto place_of = [&](const lesson_entry& entry) {
    return path_width <= room ? entry.source : name_width <= room ? file_name(entry.source) : "";
  };
  lines body{clipped(style.bold("Lessons") + list_remark(model.list), columns), ""};
  const std::vector<std::size_t> listed = listed_lessons(model);
  for (const std::size_t i : listed)
    body.push_back(list_line(model, i, title_width, place_of(model.lessons[i]), columns, style));
  if (listed.empty()) body.push_back(clipped("  none", columns));
  body.emplace_back();
  for (const std::string& line :
       report::wrap(fmt::format("* is the current lesson; {}", legend_of_progress), columns))
    body.push_back(line);
  return body;
}

/// The mark of a lesson; animated while its check runs.
std::string running_mark(const running_check& check, const styles& style) {
  constexpr std::chrono::milliseconds step{250};
  const auto dots = static_cast<std::size_t>(check.elapsed / step % 4 + 1);
  return style.busy("[" + std::string(dots, '.') + std::string(4 - dots, ' ') + "]");
}

std::string mark_in_all(const watch_model& model, std::size_t i, const styles& style) {
  const auto running = model.running.find(i);
  if (running != model.running.end()) return running_mark(running->second, style);
  const auto through = model.all->outcomes.find(i);
  return through == model.all->outcomes.end() ? "[    ]" : outcome_mark(through->second, style);
}

std::string line_in_all(const watch_model& model, std::size_t i, const styles& style) {
  const std::string name = fmt::format("{} {}", model.lessons[i].number, model.lessons[i].title);
  const auto running = model.running.find(i);
  if (running != model.running.end())
    return fmt::format("{} {}: {}", running_mark(running->second, style), name, phase_words(running->second));
  const auto through = model.all->outcomes.find(i);
  if (through == model.all->outcomes.end()) return "[    ] " + name;
  return outcome_line(name, through->second, style);
}

/// Several lessons per row, for a course with more lessons than the screen has rows.
std::string grid_of_all(const watch_model& model, int columns, const styles& style) {
  constexpr int cell_width = 11;  // "[pass] 01  "
  const std::size_t in_a_row = static_cast<std::size_t>(std::max(columns / cell_width, 1));
  std::string text;
  for (std::size_t i = 0; i < model.lessons.size(); ++i) {
    text += mark_in_all(model, i, style) + " " + model.lessons[i].number;
    const bool ends_row = (i + 1) % in_a_row == 0 || i + 1 == model.lessons.size();
    text += ends_row ? "\n" : "  ";
  }
  return text;
}

std::string all_text(const watch_model& model, screen_size size, const styles& style) {
  if (!model.all) return "";
  const auto passed =
      std::count_if(model.all->outcomes.begin(), model.all->outcomes.end(),
                    [](const auto& outcome) { return outcome.second.verdict == report::run_verdict::pass; });
  const std::size_t count = model.lessons.size();
  const bool is_over = model.all->outcomes.size() == count;
  std::string text =
      style.bold(is_over ? fmt::format("All lessons were checked: {} of {} passed", passed, count)
                         : fmt::format("Checking all lessons: {} of {}", model.all->outcomes.size(), count)) +
      "\n\n";
  constexpr int other_rows = 7;  // heading, footer, and their empty lines
  if (static_cast<int>(count) > std::max(size.rows - other_rows, 1)) {
    text += grid_of_all(model, size.columns, style);
  } else {
    for (std::size_t i = 0; i < count; ++i) text += line_in_all(model, i, style) + "\n";
  }
  if (is_over && passed == static_cast<std::ptrdiff_t>(count)) {
    text += "\n" + style.good("You have finished the course.") + "\n\n" +
            filled(
                "Every lesson was checked once more, with inputs that it had not seen before, and every "
                "result was right, ordered and overlapped. Your own programs run here too: ./streamlings "
                "run FILE.cu says where they race and draws their timeline.\n",
                report_width_for(size));
  }
  return text;
}

std::string comparison_text(const watch_model& model, const styles& style) {
  const lesson_entry& lesson = model.lessons[model.current];
  const std::string heading =
      style.bold(fmt::format("Lesson {} {}: your run and the solution's", lesson.number, lesson.title)) +
      "\n\n";
  if (model.comparison.empty()) return heading + "Running the solution ...\n";
  return heading + report::escaped(model.comparison) + "\nThe solution's code is " + lesson.solution + "\n";
}

std::string help_text(int width, const styles& style) {
  std::string text = style.bold("Keys") + "\n\n";
  for (const key_help& help : keys_of_lesson)
    text += report::hanging(fmt::format("  {}  ", help.letter), help.effect, width);
  text += "\n" + report::hanging(
                     "  ", "up, down, page up, page down (or k, j, space): the rest of a long page", width);
  text += report::hanging("  ", "Ctrl-Z: to the shell, and back with fg", width);
  return text + "\n" +
         filled("Every save is checked by itself; a save during a check starts it again.\n", width);
}

std::string prediction_text(const watch_model& model, int width, const styles& style) {
  const lesson_entry& lesson = model.lessons[model.current];
  const prediction_page& page = model.predict;
  std::string text =
      style.bold(fmt::format("Lesson {} {}: what do you expect?", lesson.number, lesson.title)) + "\n\n" +
      report::hanging("",
                      fmt::format("{} tells what the lesson is about. Say what you expect before anything "
                                  "runs; what is measured is shown beside it later.",
                                  lesson.readme),
                      width) +
      "\n";
  const question& asked = page.questions[page.current];
  text += report::hanging(fmt::format("{} of {}  ", page.current + 1, page.questions.size()),
                          report::escaped(asked.text), width);
  return text + fmt::format("\n  {}> {}_\n", asked.unit.empty() ? "" : asked.unit + " ", page.typed);
}

lines body_of(const watch_model& model, screen_size size, const styles& style) {
  switch (model.page) {
    case watch_page::lesson:
      return folded(lesson_text(model, size, style), size.columns);
    case watch_page::list:
      return list_lines(model, size.columns, style);
    case watch_page::all:
      return folded(all_text(model, size, style), size.columns);
    case watch_page::comparison:
      return folded(comparison_text(model, style), size.columns);
    case watch_page::predict:
      return folded(prediction_text(model, report_width_for(size), style), size.columns);
    case watch_page::help:
      break;
  }
  return folded(help_text(report_width_for(size), style), size.columns);
}

std::string progress_line(const watch_model& model, int columns, const styles& style) {
  const auto done = std::count_if(model.lessons.begin(), model.lessons.end(), is_done);
  const auto count = static_cast<std::ptrdiff_t>(model.lessons.size());
  const std::string words = fmt::format("{}/{}", done, count);
  const int room = std::min(columns, 100) - static_cast<int>(words.size()) - 12;
  if (room < 8) return clipped("Progress: " + words, columns);
  const auto filled = static_cast<int>(room * done / count);
  return fmt::format("Progress [{}{}] {}", style.good(std::string(filled, '#')),
                     std::string(room - filled, '-'), words);
}

std::string file_line(const watch_model& model, int columns, const styles& style) {
  const lesson_entry& lesson = model.lessons[model.current];
  const std::string mode = model.is_manual ? "r checks it" : "every save is checked";
  std::string line = style.link(lesson.link, lesson.source) + "   " + mode;
  if (styled_width(line) > columns) line = style.link(lesson.link, lesson.source);
  if (styled_width(line) > columns) {
    const std::size_t slash = lesson.source.rfind('/');
    line = clipped(lesson.source.substr(slash == std::string::npos ? 0 : slash + 1), columns);
  }
  return line;
}

std::string key_line(const watch_model& model, int columns, const styles& style) {
  if (model.pending != confirmation::none) {
    const bool is_wide = columns >= 75;
    const std::string_view asked =
        model.pending == confirmation::reset
            ? is_wide ? "Put the file back as it was? A copy of yours is kept." : "Reset the file?"
        : is_wide ? "Your file has not passed yet. See the solution's run?"
                  : "See the solution?";
    return clipped(style.bold(asked) + "  y:yes, other keys:no", columns);
  }
  if (model.page == watch_page::list) {
    return clipped(model.list.is_typing
                       ? "type a part of the name  Enter:keep  Esc:show all"
                       : "Enter:go there  up/down:choose  /:search  d:done  t:to do  Esc:back",
                   columns);
  }
  if (model.page == watch_page::predict)
    return clipped("Enter:keep the answer, or leave it open  Esc:skip the questions", columns);
  if (model.page == watch_page::help || model.page == watch_page::comparison)
    return clipped("Esc:back", columns);
  if (model.page == watch_page::all)
    return clipped(model.running.empty() ? "Esc:back" : "Esc:stop and back", columns);
  std::string whole;
  std::string usual;
  std::string letters;
  for (const key_help& help : keys_of_lesson) {
    const std::string letter = style.bold(std::string(1, help.letter));
    const std::string word =
        help.letter == 'n' && has_passed(model) ? style.good(help.word) : std::string(help.word);
    const std::string space = whole.empty() ? "" : " ";
    whole += space + letter + ":" + word;
    if (help.place == key_place::line) usual += space + letter + ":" + word;
    letters += space + letter;
  }
  for (const std::string& line : {whole, usual, letters}) {
    if (styled_width(line) <= columns) return line;
  }
  return clipped("?:help q:quit", columns);
}

/// The lines at the bottom, fewer on a small screen; the keys (or a question) are the last to go.
lines footer_of(const watch_model& model, screen_size size, const styles& style) {
  lines footer;
  const std::string notice = clipped(style.bold(report::escaped(model.notice)), size.columns);
  if (size.rows >= 12 || (!model.notice.empty() && size.rows >= 5)) footer.push_back(notice);
  if (size.rows >= 10) footer.push_back(progress_line(model, size.columns, style));
  if (size.rows >= 12) footer.push_back(file_line(model, size.columns, style));
  if (size.rows >= 3) footer.push_back(key_line(model, size.columns, style));
  return footer;
}

struct layout {
  lines body;
  lines footer;
  int body_rows = 0;
  int last_scroll = 0;
};

layout layout_of(const watch_model& model, screen_size size, const styles& style) {
  layout made;
  made.body = body_of(model, size, style);
  made.footer = footer_of(model, size, style);
  made.body_rows = std::max(size.rows - static_cast<int>(made.footer.size()), 0);
  const auto body_lines = static_cast<int>(made.body.size());
  // The last row of a long page says how many lines follow.
  made.last_scroll = body_lines <= made.body_rows ? 0 : std::max(body_lines - made.body_rows + 1, 0);
  return made;
}

}  // namespace

std::vector<std::string> watch_lines(const watch_model& model, screen_size size, const styles& style) {
  const layout made = layout_of(model, size, style);
  const auto body_lines = static_cast<int>(made.body.size());
  int first = std::clamp(model.scroll, 0, made.last_scroll);
  if (model.page == watch_page::list) {
    const std::vector<std::size_t> listed = listed_lessons(model);
    const auto place = std::lower_bound(listed.begin(), listed.end(), model.list.chosen) - listed.begin();
    first = std::max(static_cast<int>(place) + list_head - made.body_rows + 1, 0);
  }
  const bool is_long = made.last_scroll > 0 && model.page != watch_page::list && made.body_rows > 2;
  const int rows = is_long ? made.body_rows - 1 : made.body_rows;
  lines visible;
  for (int row = 0; row < rows; ++row)
    visible.push_back(first + row < body_lines ? made.body[first + row] : "");
  if (is_long) {
    const int left = std::max(body_lines - first - rows, 0);
    visible.push_back(clipped(left > 0 ? style.bold(fmt::format("-- {} more lines: down or space --", left))
                                       : style.bold("-- end: up or home --"),
                              size.columns));
  }
  visible.insert(visible.end(), made.footer.begin(), made.footer.end());
  return visible;
}

int last_scroll(const watch_model& model, screen_size size, const styles& style) {
  return layout_of(model, size, style).last_scroll;
}

std::string farewell(const watch_model& model) {
  const lesson_entry& lesson = model.lessons[model.current];
  const std::string state = model.result && model.is_fresh ? report::words_of(model.result->verdict)
                                                           : std::string(word_of(lesson.progress));
  return fmt::format("Lesson {} {}: {}. What you have done is kept; ./streamlings goes on from here.\n",
                     lesson.number, lesson.title, state);
}

}  // namespace runner
