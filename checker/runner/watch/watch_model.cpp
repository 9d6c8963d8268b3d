#include "runner/watch/watch_model.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

namespace runner {
namespace {

using effects = std::vector<effect>;

constexpr int page_lines = 10;

/// Cancels running checks and starts one of the current lesson.
effects check_again(watch_model& model) {
  effects wanted;
  if (!model.running.empty()) wanted.emplace_back(cancel_checks{});
  model.running = {{model.current, {}}};
  model.all.reset();
  model.problem.clear();
  wanted.emplace_back(start_check{model.current});
  return wanted;
}

effects stop_checks(watch_model& model) {
  model.all.reset();
  return std::exchange(model.running, {}).empty() ? effects{} : effects{cancel_checks{}};
}

effects go_to(watch_model& model, std::size_t lesson) {
  effects wanted = stop_checks(model);
  model.current = lesson;
  model.page = watch_page::lesson;
  model.result.reset();
  model.hint.reset();
  model.problem.clear();
  model.scroll = 0;
  wanted.emplace_back(open_lesson{lesson});
  return wanted;
}

/// Starts further checks of a check of all, up to max_parallel.
effects fill_up(watch_model& model) {
  effects wanted;
  for (; model.all->next < model.lessons.size() && model.running.size() < model.max_parallel;
       ++model.all->next) {
    model.running[model.all->next] = {};
    wanted.emplace_back(start_check{model.all->next});
  }
  return wanted;
}

effects check_all(watch_model& model) {
  effects wanted = stop_checks(model);
  model.all = all_checks{};
  model.page = watch_page::all;
  model.scroll = 0;
  const effects started = fill_up(model);
  wanted.insert(wanted.end(), started.begin(), started.end());
  return wanted;
}

/// The next lesson; after the last, the first that is not done; when all are done, a check of all.
effects go_on(watch_model& model) {
  if (model.current + 1 < model.lessons.size()) return go_to(model, model.current + 1);
  const auto open = std::find_if(model.lessons.begin(), model.lessons.end(),
                                 [](const lesson_entry& entry) { return !is_done(entry); });
  if (open == model.lessons.end()) return check_all(model);
  const auto place = static_cast<std::size_t>(open - model.lessons.begin());
  if (place != model.current) return go_to(model, place);
  model.notice = "This is the last lesson, and the only one that is not done.";
  return {};
}

effects compare(watch_model& model) {
  model.page = watch_page::comparison;
  model.comparison.clear();
  model.scroll = 0;
  return {compare_runs{}};
}

effects answer(watch_model& model, const key& pressed) {
  const confirmation pending = std::exchange(model.pending, confirmation::none);
  if (pressed == key{key_kind::character, 'y'})
    return pending == confirmation::reset ? effects{reset_file{}} : compare(model);
  model.notice = pending == confirmation::reset ? "Nothing was changed." : "The solution is not shown.";
  return {};
}

/// Handles the keys that scroll; false for other keys.
bool scroll(watch_model& model, const key& pressed) {
  const bool is_space = pressed == key{key_kind::character, ' '};
  const bool is_j = pressed == key{key_kind::character, 'j'};
  const bool is_k = pressed == key{key_kind::character, 'k'};
  if (pressed.kind == key_kind::down || is_j) {
    model.scroll += 1;
  } else if (pressed.kind == key_kind::up || is_k) {
    model.scroll -= 1;
  } else if (pressed.kind == key_kind::page_down || is_space) {
    model.scroll += page_lines;
  } else if (pressed.kind == key_kind::page_up) {
    model.scroll -= page_lines;
  } else if (pressed.kind == key_kind::home) {
    model.scroll = 0;
  } else {
    return false;
  }
  model.scroll = std::max(model.scroll, 0);
  return true;
}

effects press_on_lesson(watch_model& model, const key& pressed) {
  if (scroll(model, pressed)) return {};
  if (pressed.kind == key_kind::escape) model.hint.reset();
  if (pressed.kind != key_kind::character) return {};
  switch (pressed.character) {
    case 'n':
      return go_on(model);
    case 'p':
      if (model.current > 0) return go_to(model, model.current - 1);
      model.notice = "This is the first lesson.";
      return {};
    case 'r':
      return check_again(model);
    case 'h':
      return {give_hint{}};
    case 'e':
      return {edit_file{}};
    case 'l':
      model.page = watch_page::list;
      model.list = {};
      model.list.chosen = model.current;
      return {};
    case 'c':
      return check_all(model);
    case 'x':
      model.pending = confirmation::reset;
      return {};
    case 't':
      model.notice = "Drawing the timeline ...";
      return {open_timeline{}};
    case 'o':
      model.notice = "Starting the page ...";
      return {open_page{}};
    case 's':
      if (has_passed(model)) return compare(model);
      model.pending = confirmation::compare;
      return {};
    case '?':
      model.page = watch_page::help;
      model.scroll = 0;
      return {};
    case 'q':
      return {leave_watch{}};
    default:
      model.notice = "? shows what the keys do.";
      return {};
  }
}

bool goes_back(const key& pressed) {
  return pressed.kind == key_kind::escape ||
         (pressed.kind == key_kind::character &&
          std::string_view("q?lcs").find(pressed.character) != std::string_view::npos);
}

void back_to_lesson(watch_model& model) {
  model.page = watch_page::lesson;
  model.scroll = 0;
}

/// To the next question; behind the last, to the first check.
effects ask_next(watch_model& model, effects wanted) {
  prediction_page& page = model.predict;
  page.typed.clear();
  if (++page.current < page.questions.size()) return wanted;
  back_to_lesson(model);
  if (model.is_manual) return wanted;
  const effects checks = check_again(model);
  wanted.insert(wanted.end(), checks.begin(), checks.end());
  return wanted;
}

effects press_in_predict(watch_model& model, const key& pressed) {
  prediction_page& page = model.predict;
  const question& asked = page.questions[page.current];
  if (pressed.kind == key_kind::escape) {
    page.current = page.questions.size() - 1;
    return ask_next(model, {skip_predictions{}});
  }
  if (pressed.kind == key_kind::character) page.typed += pressed.character;
  if (pressed.kind == key_kind::backspace && !page.typed.empty()) page.typed.pop_back();
  if (pressed.kind != key_kind::enter) return {};
  if (page.typed.empty()) return ask_next(model, {});
  model.notice = problem_of_answer(asked, page.typed);
  if (!model.notice.empty()) return {};
  return ask_next(model, {keep_prediction{asked.id, page.typed}});
}

/// Moves the choice by `step` listed lessons. A choice that is no longer listed moves to the nearest.
void choose(watch_model& model, std::ptrdiff_t step) {
  const std::vector<std::size_t> listed = listed_lessons(model);
  if (listed.empty()) return;
  const auto here = std::lower_bound(listed.begin(), listed.end(), model.list.chosen);
  const std::ptrdiff_t place = std::min(here - listed.begin(), std::ssize(listed) - 1) + step;
  model.list.chosen =
      listed[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, std::ssize(listed) - 1))];
}

void type_search(watch_model& model, const key& pressed) {
  lesson_list& list = model.list;
  if (pressed.kind == key_kind::character) {
    list.search += pressed.character;
  } else if (pressed.kind == key_kind::backspace && !list.search.empty()) {
    list.search.pop_back();
  } else if (pressed.kind == key_kind::escape) {
    list.search.clear();
    list.is_typing = false;
  } else if (pressed.kind == key_kind::enter) {
    list.is_typing = false;
  }
  choose(model, 0);
}

/// Sets the filter; the same filter again clears it.
void filter_by(watch_model& model, lesson_filter wanted) {
  model.list.filter = model.list.filter == wanted ? lesson_filter::all : wanted;
  choose(model, 0);
}

effects go_to_chosen(watch_model& model) {
  if (listed_lessons(model).empty()) {
    model.notice = "No lesson is shown.";
    return {};
  }
  if (model.list.chosen != model.current) return go_to(model, model.list.chosen);
  back_to_lesson(model);
  return {};
}

effects press_in_list(watch_model& model, const key& pressed) {
  const bool is_vertical = pressed.kind == key_kind::up || pressed.kind == key_kind::down;
  if (model.list.is_typing && !is_vertical) {
    type_search(model, pressed);
    return {};
  }
  const auto is_key = [&](char letter) { return pressed == key{key_kind::character, letter}; };
  const std::ptrdiff_t count = std::ssize(model.lessons);
  if (pressed.kind == key_kind::down || is_key('j')) {
    choose(model, 1);
  } else if (pressed.kind == key_kind::up || is_key('k')) {
    choose(model, -1);
  } else if (pressed.kind == key_kind::home || is_key('g')) {
    choose(model, -count);
  } else if (pressed.kind == key_kind::end || is_key('G')) {
    choose(model, count);
  } else if (is_key('/')) {
    model.list.is_typing = true;
  } else if (is_key('d')) {
    filter_by(model, lesson_filter::done);
  } else if (is_key('t')) {
    filter_by(model, lesson_filter::to_do);
  } else if (pressed.kind == key_kind::enter) {
    return go_to_chosen(model);
  } else if (goes_back(pressed)) {
    back_to_lesson(model);
  }
  return {};
}

/// Leaving the page cancels the check of all; the current lesson is checked if its verdict is out of date.
effects press_in_all(watch_model& model, const key& pressed) {
  if (!goes_back(pressed)) {
    scroll(model, pressed);
    return {};
  }
  back_to_lesson(model);
  return model.is_fresh || model.is_manual ? stop_checks(model) : check_again(model);
}

effects react_to(watch_model& model, const key& pressed) {
  model.notice.clear();
  if (model.pending != confirmation::none) return answer(model, pressed);
  switch (model.page) {
    case watch_page::list:
      return press_in_list(model, pressed);
    case watch_page::all:
      return press_in_all(model, pressed);
    case watch_page::predict:
      return press_in_predict(model, pressed);
    case watch_page::comparison:
    case watch_page::help:
      if (goes_back(pressed)) {
        back_to_lesson(model);
      } else {
        scroll(model, pressed);
      }
      return {};
    case watch_page::lesson:
      break;
  }
  return press_on_lesson(model, pressed);
}

/// A save leads back to the lesson page, where its result appears.
effects react_to(watch_model& model, const file_changed&) {
  model.is_fresh = false;
  if (model.is_manual) return {};
  model.page = watch_page::lesson;
  model.scroll = 0;
  return check_again(model);
}

effects react_to(watch_model& model, const check_progressed& event) {
  const auto found = model.running.find(event.lesson);
  if (found != model.running.end()) found->second = event.now;
  return {};
}

effects react_to(watch_model& model, const check_ended& event) {
  model.running.erase(event.lesson);
  model.welcome.clear();
  if (event.lesson == model.current) {
    // A hint and a notice are about the file as it was: the hint stays while it fails in the same way.
    const bool fails_otherwise = model.result && model.result->verdict != event.result.verdict;
    if (fails_otherwise || event.result.verdict == report::run_verdict::pass) model.hint.reset();
    model.notice.clear();
    model.result = event.result;
    model.is_fresh = event.is_fresh;
    model.predictions = event.predictions;
    model.problem.clear();
  }
  if (!model.all) return {};
  model.all->outcomes[event.lesson] = outcome_of(event.result);
  return fill_up(model);
}

effects react_to(watch_model& model, const check_failed& event) {
  model.running.erase(event.lesson);
  if (event.lesson == model.current) model.problem = event.reason;
  if (!model.all) return {};
  model.all->outcomes[event.lesson] = {};
  return fill_up(model);
}

effects react_to(watch_model& model, const lesson_opened& event) {
  model.current = event.lesson;
  model.result = event.last;
  model.is_fresh = event.is_fresh;
  model.predictions = event.predictions;
  if (!event.questions.empty()) {
    model.page = watch_page::predict;
    model.predict = {event.questions, 0, ""};
    return {};
  }
  return model.is_fresh || model.is_manual ? effects{} : check_again(model);
}

effects react_to(watch_model& model, const hint_given& event) {
  model.scroll = 0;
  model.hint = event.hint;
  return {};
}

effects react_to(watch_model& model, const progress_known& event) {
  for (std::size_t i = 0; i < model.lessons.size() && i < event.progress.size(); ++i)
    model.lessons[i].progress = event.progress[i];
  return {};
}

effects react_to(watch_model& model, const timeline_drawn& event) {
  if (model.result) model.result->timeline = event.text;
  return {};
}

effects react_to(watch_model& model, const comparison_made& event) {
  model.comparison = event.text;
  return {};
}

effects react_to(watch_model& model, const notice_given& event) {
  model.notice = event.text;
  return {};
}

}  // namespace

std::vector<effect> update(watch_model& model, const event& event) {
  return std::visit([&](const auto& alternative) { return react_to(model, alternative); }, event);
}

std::vector<std::size_t> listed_lessons(const watch_model& model) {
  const auto holds = [&](const std::string& text) {
    const auto found = std::search(
        text.begin(), text.end(), model.list.search.begin(), model.list.search.end(),
        [](unsigned char left, unsigned char right) { return std::tolower(left) == std::tolower(right); });
    return found != text.end() || model.list.search.empty();
  };
  std::vector<std::size_t> listed;
  for (std::size_t i = 0; i < model.lessons.size(); ++i) {
    const lesson_entry& entry = model.lessons[i];
    if (model.list.filter == lesson_filter::done && !is_done(entry)) continue;
    if (model.list.filter == lesson_filter::to_do && is_done(entry)) continue;
    if (holds(entry.number) || holds(entry.title) || holds(entry.source)) listed.push_back(i);
  }
  return listed;
}

bool has_passed(const watch_model& model) {
  return model.result && model.is_fresh && model.result->verdict == report::run_verdict::pass;
}

bool is_done(const lesson_entry& lesson) { return lesson.progress == lesson_progress::done; }

bool are_all_done(const watch_model& model) {
  return std::all_of(model.lessons.begin(), model.lessons.end(), is_done);
}

}  // namespace runner
