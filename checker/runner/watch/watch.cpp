#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/caught_signals.h"
#include "processes/child_group.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_text.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/lesson_hints.h"
#include "runner/learner/lesson_reset.h"
#include "runner/learner/predictions.h"
#include "runner/learner/progress.h"
#include "runner/terminal/learners_program.h"
#include "runner/terminal/screen.h"
#include "runner/terminal/terminal.h"
#include "runner/verbs.h"
#include "runner/watch/file_watch.h"
#include "runner/watch/watch_model.h"
#include "runner/watch/watch_view.h"

namespace runner {
namespace {

using clock = std::chrono::steady_clock;

/// Period of the clock of a running check, and of polling the file where inotify does not work.
constexpr int idle_milliseconds = 500;
constexpr int checking_milliseconds = 100;

constexpr int narrowest_timeline = 40;
constexpr int widest_timeline = 120;

std::string uri_of(const std::filesystem::path& file) {
  std::string uri = "file://";
  for (const char byte : file.string()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(byte)) != 0 ||
                          std::string_view("/-_.~").find(byte) != std::string_view::npos;
    uri += is_plain ? std::string(1, byte) : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  }
  return uri;
}

std::vector<lesson_progress> progress_of_lessons(const course::checkout& checkout) {
  const state state = load_state(checkout);
  std::vector<lesson_progress> progress;
  for (const course::lesson& lesson : checkout.lessons()) progress.push_back(progress_of(state, lesson));
  return progress;
}

/// Notes passes that a record shows and the state lacks: the process was killed between writing the two.
void recover_verdicts(const course::checkout& checkout) {
  state known = load_state(checkout);
  const state before = known;
  for (const course::lesson& lesson : checkout.lessons()) {
    const auto last = last_result(lesson, {});
    if (last && last->verdict == report::run_verdict::pass)
      known.done[lesson.slug] = {last->source_hash, last->lesson_hash};
  }
  if (known != before) save_state(checkout, known);
}

watch_model opening_model(const course::checkout& checkout, check_start when) {
  watch_model model;
  for (const course::lesson& lesson : checkout.lessons()) {
    const std::filesystem::path source = lesson.source();
    model.lessons.push_back({lesson.two_digits(), lesson.title, checkout.relative_path(source),
                             uri_of(source), checkout.relative_path(source.parent_path() / "README.md"),
                             checkout.relative_path(lesson.solution()), lesson_progress::untouched});
  }
  update(model, progress_known{progress_of_lessons(checkout)});
  model.is_manual = when == check_start::by_key;
  model.max_parallel = std::max(std::thread::hardware_concurrency(), 1U);
  if (load_state(checkout) == state{}) {
    model.welcome =
        "Welcome. Each lesson is one file to edit and a README to read first. Here you see what your file "
        "does: whether its result is right, whether its work is ordered, and whether it overlaps. Save the "
        "file, and it is checked; the keys below do the rest. Nothing is sent anywhere.\n";
  }
  return model;
}

/// The event loop: waits for the terminal, the file, the checks and signals, and carries out the effects.
class watch_session {
 public:
  explicit watch_session(check_start when)
      : checkout_(course::checkout::open()),
        model_(opening_model(checkout_, when)),
        style_{report_colour()} {}

  std::string run() {
    recover_verdicts(checkout_);
    handle(progress_known{progress_of_lessons(checkout_)});
    const state state = load_state(checkout_);
    perform(open_lesson{index_of(current_lesson(checkout_, state))});
    while (!is_over_) {
      const screen_size size = screen_.size();
      redraw_timeline(size.columns);
      model_.scroll = std::min(model_.scroll, last_scroll(model_, size, style_));
      screen_.show(watch_lines(model_, size, style_));
      wait_and_react();
    }
    return farewell(model_);
  }

 private:
  struct check {
    std::size_t lesson = 0;
    check_job job;
    clock::time_point began;
    check_phase phase{};
  };

  std::size_t index_of(const course::lesson& lesson) const {
    return static_cast<std::size_t>(&lesson - checkout_.lessons().data());
  }
  const course::lesson& lesson_at(std::size_t index) const { return checkout_.lessons()[index]; }

  void wait_and_react() {
    std::vector<pollfd> waiting{{screen_.input(), POLLIN, 0},
                                {signals_.descriptor(), POLLIN, 0},
                                {watched_ ? watched_->descriptor() : -1, POLLIN, 0}};
    children_.add_outputs(waiting);
    poll(waiting.data(), waiting.size(),
         children_.size() > (page_process_ != 0 ? 1U : 0U) ? checking_milliseconds : idle_milliseconds);
    for (int signal = signals_.take(); signal != 0; signal = signals_.take()) react_to_signal(signal);
    if (waiting[0].revents != 0) {
      for (const key& pressed : screen_.take_keys()) {
        if (!is_over_) handle(pressed);
      }
    }
    children_.take_output();
    look_for_page_address();
    for (const processes::ended_child& child : children_.take_ended()) finish(child);
    for (auto& [process, check] : checks_) {
      const auto elapsed = clock::now() - check.began;
      handle(check_progressed{
          check.lesson,
          {check.phase.update(process), std::chrono::duration_cast<std::chrono::milliseconds>(elapsed)}});
    }
    if (watched_ && watched_->has_changed()) {
      handle(progress_known{progress_of_lessons(checkout_)});
      handle(file_changed{});
    }
  }

  void react_to_signal(int signal) {
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) throw processes::interrupted{signal};
    if (signal != SIGTSTP) return;  // SIGWINCH and SIGCHLD need only the wake-up
    screen_.leave();
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    std::raise(SIGTSTP);                       // blocked, so that it waits
    sigprocmask(SIG_UNBLOCK, &stop, nullptr);  // here it stops, until fg
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    screen_.enter();
  }

  void handle(const event& event) {
    for (const effect& wanted : update(model_, event)) {
      try {
        std::visit([this](const auto& effect) { perform(effect); }, wanted);
      } catch (const processes::cannot_do& reason) {
        handle(notice_given{reason.what()});
      }
    }
  }

  void perform(const start_check& effect) {
    const course::lesson& lesson = lesson_at(effect.lesson);
    try {
      check_job job(checkout_, lesson, {});
      const pid_t process = children_.start(job.command(), checkout_.root(), limit_of_check);
      checks_.insert_or_assign(process, check{effect.lesson, std::move(job), clock::now()});
    } catch (const processes::cannot_do& reason) {
      handle(check_failed{effect.lesson, reason.what()});
    }
  }

  void perform(const cancel_checks&) {
    for (const auto& [process, check] : std::exchange(checks_, {})) children_.end(process);
  }

  void perform(const open_lesson& effect) {
    const course::lesson& lesson = lesson_at(effect.lesson);
    note_current(checkout_, lesson);
    watched_.emplace(lesson.source(), notification::from_kernel);
    std::optional<report::result> last = last_result(lesson, {});
    if (last) last->compiler_output = checkout_.with_relative_paths(std::move(last->compiler_output));
    drawn_columns_ = 0;
    const bool is_fresh_now = last && is_fresh(lesson, lesson.source(), *last);
    const std::vector<question> questions =
        last ? std::vector<question>{}
             : questions_to_ask(questions_of(lesson), load_predictions(predictions_file(checkout_, lesson)));
    handle(lesson_opened{effect.lesson, last, is_fresh_now, questions,
                         last ? predictions_text(checkout_, lesson, *last, report_width()) : ""});
  }

  void perform(const give_hint&) { handle(hint_given{take_hint(checkout_, lesson_at(model_.current))}); }

  void perform(const edit_file&) {
    const course::lesson& lesson = lesson_at(model_.current);
    const std::string editor = editor_command();
    if (editor.empty()) throw processes::cannot_do("Set EDITOR in your shell, and e opens the file with it.");
    screen_.leave();
    const int status = run_in_foreground(editor, lesson.source());
    screen_.enter();
    drop_ctrl_c_of_the_editor();
    if (status != 0) handle(notice_given{fmt::format("{} ended with status {}.", editor, status)});
  }

  /// Drops a Ctrl-C that was meant for the editor.
  void drop_ctrl_c_of_the_editor() const {
    for (int signal = signals_.take(); signal != 0; signal = signals_.take()) {
      if (signal == SIGTERM || signal == SIGHUP) throw processes::interrupted{signal};
    }
  }

  void perform(const reset_file&) {
    const reset_outcome done = reset_lesson(checkout_, lesson_at(model_.current));
    handle(progress_known{progress_of_lessons(checkout_)});
    handle(notice_given{!done.has_changed ? "The file is as it came: nothing to do."
                        : done.kept_as.empty()
                            ? "The file is as it was at the beginning."
                            : fmt::format("Your file is kept; ./streamlings reset {} --undo brings it back.",
                                          lesson_at(model_.current).two_digits())});
  }

  void perform(const open_timeline&) {
    const course::lesson& lesson = lesson_at(model_.current);
    const std::filesystem::path page = course::record_folder(lesson, {}) / "timeline.html";
    start_own_verb({"timeline", lesson.two_digits(), "--format", "html", "--output", page.string()},
                   [this, page](const processes::outcome& done) { show_page(page, done); });
  }

  void show_page(const std::filesystem::path& page, const processes::outcome& done) {
    if (done.exit_status != 0) throw processes::cannot_do(report::first_line(done.output));
    const std::string browser = browser_command();
    if (!browser.empty()) start_apart(browser, page);
    handle(notice_given{(browser.empty() ? "Set BROWSER, or open " : "In the browser: ") +
                        checkout_.relative_path(page)});
  }

  /// The screen checks; the page shows what it found.
  void perform(const open_page&) {
    if (page_process_ != 0) {
      const std::string browser = browser_command();
      if (!browser.empty() && !page_address_.empty()) start_apart(browser, page_address_);
      if (!page_address_.empty()) handle(notice_given{"The page: " + page_address_});
      return;
    }
    page_process_ = start_own_verb({"serve", lesson_at(model_.current).two_digits(), "--manual", "--open"},
                                   [this](const processes::outcome& done) {
                                     page_process_ = 0;
                                     page_address_.clear();
                                     handle(notice_given{report::first_line(done.output)});
                                   });
  }

  /// Takes the address of the page out of what its server printed.
  void look_for_page_address() {
    if (page_process_ == 0 || !page_address_.empty()) return;
    constexpr std::string_view lead = "The page: ";
    const std::string_view output = children_.output_of(page_process_);
    const std::size_t begin = output.find(lead);
    const std::size_t end = begin == output.npos ? begin : output.find('\n', begin);
    if (end == output.npos) return;
    page_address_ = output.substr(begin + lead.size(), end - begin - lead.size());
    handle(notice_given{"The page: " + page_address_});
  }

  void perform(const compare_runs&) {
    const course::lesson& lesson = lesson_at(model_.current);
    const int width = std::clamp(screen_.size().columns, narrowest_timeline, widest_timeline);
    start_own_verb({"compare", lesson.two_digits(), "--width", std::to_string(width)},
                   [this](const processes::outcome& done) { handle(comparison_made{done.output}); });
  }

  /// Runs another verb of this program beside the screen.
  pid_t start_own_verb(std::vector<std::string> command,
                       std::function<void(const processes::outcome&)> then) {
    command.insert(command.begin(), processes::own_program().string());
    const pid_t process = children_.start(command, checkout_.root());
    verbs_[process] = std::move(then);
    return process;
  }

  void perform(const keep_prediction& effect) {
    change_predictions([&](predictions& kept) { kept.answers[effect.id] = effect.answer; });
  }

  void perform(const skip_predictions&) {
    change_predictions([](predictions& kept) { kept.is_skipped = true; });
  }

  void change_predictions(const std::function<void(predictions&)>& change) const {
    const std::filesystem::path file = predictions_file(checkout_, lesson_at(model_.current));
    predictions kept = load_predictions(file);
    change(kept);
    save_predictions(file, kept);
  }

  void perform(const leave_watch&) { is_over_ = true; }

  void finish(const processes::ended_child& ended) {
    if (const auto verb = verbs_.extract(ended.process)) {
      try {
        verb.mapped()(ended.result);
      } catch (const processes::cannot_do& reason) {
        handle(notice_given{reason.what()});
      }
    } else {
      finish_check(ended);
    }
  }

  void finish_check(const processes::ended_child& ended) {
    const auto found = checks_.find(ended.process);
    if (found == checks_.end()) return;
    const check check = std::move(found->second);
    checks_.erase(found);
    const course::lesson& lesson = lesson_at(check.lesson);
    try {
      report::result result = check.job.result(ended.result);
      note_result(checkout_, lesson, result);
      result.compiler_output = checkout_.with_relative_paths(std::move(result.compiler_output));
      handle(progress_known{progress_of_lessons(checkout_)});
      drawn_columns_ = check.lesson == model_.current ? 0 : drawn_columns_;
      note_measurements(checkout_, lesson, result);
      handle(check_ended{check.lesson, result, is_fresh(lesson, lesson.source(), result),
                         predictions_text(checkout_, lesson, result, report_width())});
      if (!check.job.why_not_kept().empty()) handle(notice_given{check.job.why_not_kept()});
    } catch (const processes::cannot_do& reason) {
      handle(check_failed{check.lesson, reason.what()});
    }
  }

  /// Draws the timeline again for the width of the screen; the record's has a fixed width.
  void redraw_timeline(int columns) {
    if (columns == drawn_columns_ || !model_.result) return;
    drawn_columns_ = columns;
    if (model_.result->recording.empty()) return;
    report::timeline_options look;
    look.width = std::clamp(columns, narrowest_timeline, widest_timeline);
    try {
      const trace::recording recording = recording_of(lesson_at(model_.current), {}, *model_.result);
      handle(timeline_drawn{report::timeline_text(recording, look)});
    } catch (const processes::cannot_do&) {
      // The recording was replaced or removed: keep the record's own drawing.
    }
  }

  course::checkout checkout_;
  watch_model model_;
  styles style_;
  processes::caught_signals signals_{SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH, SIGCHLD};
  processes::child_group children_;
  std::map<pid_t, check> checks_;
  std::map<pid_t, std::function<void(const processes::outcome&)>> verbs_;  ///< called when the verb has ended
  std::optional<file_watch> watched_;
  int drawn_columns_ = 0;     ///< the width that the timeline was drawn for; 0: not yet
  pid_t page_process_ = 0;    ///< the server of the page; 0: none
  std::string page_address_;  ///< "": not known yet
  bool is_over_ = false;
  screen screen_;
};

}  // namespace

int watch(check_start when) {
  std::string last_words;
  {
    watch_session session(when);
    last_words = session.run();
  }
  fmt::print("{}", last_words);
  return 0;
}

}  // namespace runner
