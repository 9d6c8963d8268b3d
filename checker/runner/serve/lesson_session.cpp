#include "runner/serve/lesson_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "course/profile_lookup.h"
#include "processes/cannot_do.h"
#include "processes/files.h"
#include "report/sweep_json.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_json.h"
#include "report/wording/run_summary.h"
#include "runner/learner/lesson_hints.h"
#include "runner/learner/lesson_reset.h"
#include "runner/learner/predictions.h"
#include "runner/learner/progress.h"
#include "runner/serve/markdown_html.h"
#include "runner/verify/lesson_rules.h"
#include "trace/words.h"

namespace runner {
namespace {

namespace fs = std::filesystem;
using page_json = nlohmann::ordered_json;

constexpr std::size_t max_answer_bytes = 500;

std::string page_text(const page_json& json) {
  return json.dump(-1, ' ', false, page_json::error_handler_t::replace);
}

/// Of an action; throws cannot_do when it is missing or too long.
std::string text_in(const page_json& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end() || !found->is_string())
    throw processes::cannot_do(fmt::format("the request lacks '{}'.", name));
  std::string text = *found;
  if (text.size() > max_answer_bytes) throw processes::cannot_do(fmt::format("'{}' is too long.", name));
  return text;
}

/// What a verb printed for people: without its lines of JSON.
std::string message_in(const std::string& output) {
  std::istringstream lines(output);
  std::string message;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '{') continue;
    message += message.empty() ? line : "\n" + line;
  }
  return message;
}

bool has_sweep(const course::checkout& checkout, const course::lesson& lesson) {
  try {
    return rubric_of(checkout, lesson).sweep.has_value();
  } catch (const processes::cannot_do&) {
    return false;  // a check says what is broken
  }
}

std::string run_json(const trace::recording& recording, const std::string& heading) {
  return report::timeline_json(recording, {.heading = heading});
}

}  // namespace

void timeline_shelf::put(const std::string& name, std::string json) {
  const std::lock_guard lock(mutex_);
  kept_.emplace_back(name, std::make_shared<const std::string>(std::move(json)));
  if (kept_.size() > max_kept) kept_.erase(kept_.begin());
}

std::shared_ptr<const std::string> timeline_shelf::get(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == name; });
  return found == kept_.end() ? nullptr : found->second;
}

std::vector<std::string> offered_schedules() {
  std::vector<std::string> words;
  for (const auto kind :
       {trace::schedule_kind::as_is, trace::schedule_kind::slow_copies, trace::schedule_kind::slow_kernels})
    words.emplace_back(trace::word_of(kind));
  return words;
}

std::string page_of_lesson_json(const course::lesson& lesson) {
  const std::string text = processes::content_of(lesson.page()).value_or("This lesson has no page.");
  return page_text({{"lesson", lesson.two_digits()}, {"folder", lesson.folder}, {"html", markdown_html(text)}});
}

lesson_session::lesson_session(const course::checkout& checkout, const course::lesson& lesson,
                               session_checks when, timeline_shelf& shelf)
    : checkout_(checkout),
      lesson_(&lesson),
      when_(when),
      shelf_(shelf),
      state_(checkout.state_folder() / "state.txt", notification::from_kernel) {
  open(lesson);
}

void lesson_session::open(const course::lesson& lesson) {
  for (const auto& [process, child] : std::exchange(running_, {})) children_.end(process);
  job_.reset();
  lesson_ = &lesson;
  note_current(checkout_, lesson);
  source_.emplace(lesson.source(), notification::from_kernel);
  record_.emplace(course::result_file_of(course::record_folder(lesson, {})), notification::from_kernel);
  result_.reset();
  is_fresh_ = false;
  timeline_ = hint_ = explanation_ = sweep_ = nullptr;
  problem_.clear();
  notice_.clear();
  view_ = {};
  wanted_view_.reset();
  has_sweep_ = has_sweep(checkout_, lesson);
  read_result();
  const bool asks =
      !result_ &&
      !questions_to_ask(questions_of(lesson), load_predictions(predictions_file(checkout_, lesson))).empty();
  if (!is_fresh_ && !asks && when_ == session_checks::at_each_save) start_check();
}

void lesson_session::open_named(const std::string& name) {
  for (const course::lesson& one : checkout_.lessons()) {
    if (one.two_digits() == name) return open(one);
  }
  throw processes::cannot_do("there is no lesson " + name + ".");
}

void lesson_session::add_descriptors(std::vector<pollfd>& watched) const {
  for (const std::optional<file_watch>* one : {&source_, &record_}) {
    if (*one && (*one)->descriptor() >= 0) watched.push_back({(*one)->descriptor(), POLLIN, 0});
  }
  if (state_.descriptor() >= 0) watched.push_back({state_.descriptor(), POLLIN, 0});
  children_.add_outputs(watched);
}

bool lesson_session::react() {
  bool has_changed = false;
  children_.take_output();
  for (auto& [process, child] : running_) {
    has_changed = true;  // its clock
    child.phase.update(process);
    if (child.kind == "sweep") take_sweep_parts(children_.output_of(process));
  }
  for (const processes::ended_child& ended : children_.take_ended()) {
    auto child = running_.extract(ended.process);
    if (!child) continue;
    if (child.mapped().kind == "view") wanted_view_.reset();
    try {
      child.mapped().then(ended.result);
    } catch (const processes::cannot_do& reason) {
      notice_ = reason.what();
    }
    has_changed = true;
  }
  if (source_->has_changed()) {
    is_fresh_ = false;
    has_changed = true;
    notice_.clear();
    if (when_ == session_checks::at_each_save) start_check();
  }
  if (state_.has_changed()) {
    const course::lesson& current = current_lesson(checkout_, load_state(checkout_));
    if (&current != lesson_) open(current);
    has_changed = true;
  }
  if (record_->has_changed() && job_ == nullptr) {
    read_result();  // a check of somebody else: ctest, the watch screen
    has_changed = true;
  }
  return has_changed;
}

void lesson_session::act(const std::string& action) {
  notice_.clear();
  notice_question_.clear();
  try {
    const json request = json::parse(action);
    const std::string name = text_in(request, "action");
    if (name == "check") return start_check();
    if (name == "open") return open_named(text_in(request, "lesson"));
    if (name == "hint") return give_hint();
    if (name == "reset") return reset();
    if (name == "undo reset") return undo_reset();
    if (name == "predict") return answer(request);
    if (name == "compare") return show_comparison();
    if (name == "explain") return explain();
    if (name == "sweep") return sweep();
    if (name == "view") return show_view(text_in(request, "profile"), text_in(request, "schedule"));
    throw processes::cannot_do("there is no action '" + name + "'.");
  } catch (const json::exception&) {
    notice_ = "The page sent something that is no action.";
  } catch (const processes::cannot_do& reason) {
    notice_ = reason.what();
  }
}

void lesson_session::start_check() {
  end_children("check");
  job_.reset();
  problem_.clear();
  try {
    job_ = std::make_unique<check_job>(checkout_, lesson(),
                                       check_options{.subject = {}, .keep_schedules = true});
    const pid_t process = children_.start(job_->command(), checkout_.root(), limit_of_check);
    running_[process] = {.kind = "check",
                         .began = std::chrono::steady_clock::now(),
                         .phase = {},
                         .then = [this](const processes::outcome& done) { end_check(done); }};
  } catch (const processes::cannot_do& reason) {
    job_.reset();
    problem_ = reason.what();
  }
}

void lesson_session::end_check(const processes::outcome& done) {
  const std::unique_ptr<check_job> job = std::move(job_);
  try {
    report::result result = job->result(done);
    note_result(checkout_, lesson(), result);
    note_measurements(checkout_, lesson(), result);
    show_result(std::move(result));
    record_->has_changed();  // ours, and shown
    notice_ = job->why_not_kept();
  } catch (const processes::cannot_do& reason) {
    problem_ = reason.what();
  }
}

void lesson_session::read_result() {
  std::optional<report::result> last = last_result(lesson(), {});
  if (last) show_result(std::move(*last));
}

void lesson_session::show_result(report::result result) {
  result.compiler_output = checkout_.with_relative_paths(std::move(result.compiler_output));
  result.timeline.clear();
  is_fresh_ = is_fresh(lesson(), lesson().source(), result);
  hint_ = explanation_ = nullptr;
  result_ = std::move(result);
  view_ = {};
  if (result_->recording.empty()) {
    timeline_ = nullptr;
    return;
  }
  try {
    put_timeline("run", run_json(recording_of(lesson(), {}, *result_), "Your run"), "");
  } catch (const processes::cannot_do& reason) {
    timeline_ = nullptr;
    notice_ = reason.what();
  }
}

void lesson_session::put_timeline(const std::string& kind, std::string runs, const std::string& words) {
  const std::string name = std::to_string(++timeline_number_);
  shelf_.put(name, "[" + std::move(runs) + "]");
  timeline_ = {{"name", name}, {"kind", kind}, {"words", words}};
}

void lesson_session::start_verb(const std::string& kind, std::vector<std::string> words, child_done then) {
  end_children(kind);
  words.insert(words.begin(), processes::own_program().string());
  const pid_t process = children_.start(words, checkout_.root());
  running_[process] = {
      .kind = kind, .began = std::chrono::steady_clock::now(), .phase = {}, .then = std::move(then)};
}

void lesson_session::end_children(const std::string& kind) {
  for (auto one = running_.begin(); one != running_.end();) {
    if (one->second.kind != kind) {
      ++one;
      continue;
    }
    children_.end(one->first);
    one = running_.erase(one);
  }
}

void lesson_session::give_hint() {
  const shown_hint next = take_hint(checkout_, lesson());
  hint_ = {{"title", next.title}, {"html", markdown_html(next.text)}};
}

void lesson_session::reset() {
  const reset_outcome done = reset_lesson(checkout_, lesson());
  notice_ = !done.has_changed ? "The file is as it came: nothing to do."
            : done.kept_as.empty()
                ? "The file is as it was at the beginning."
                : "The file is as it was at the beginning. Yours is kept: Undo brings it back.";
}

void lesson_session::undo_reset() {
  runner::undo_reset(checkout_, lesson());
  notice_ = "Your file is back.";
}

void lesson_session::answer(const json& request) {
  const std::vector<question> questions = questions_of(lesson());
  const fs::path file = predictions_file(checkout_, lesson());
  predictions kept = load_predictions(file);
  const auto answers = request.find("answers");
  if (answers == request.end() || !answers->is_object())
    throw processes::cannot_do("the request lacks 'answers'.");
  for (const question& one : questions) {
    if (!answers->contains(one.id)) continue;
    const std::string text = text_in(*answers, one.id.c_str());
    if (text.empty() || kept.measured.count(one.id) != 0) continue;
    const std::string problem = problem_of_answer(one, text);
    if (!problem.empty()) {
      notice_question_ = one.id;
      throw processes::cannot_do(problem);
    }
    kept.answers[one.id] = text;
  }
  // What was left open now is asked no more.
  kept.is_skipped = !questions_to_ask(questions, kept).empty();
  save_predictions(file, kept);
  if (!is_fresh_ && job_ == nullptr && when_ == session_checks::at_each_save) start_check();
}

void lesson_session::show_comparison() {
  if (!result_ || result_->recording.empty()) throw processes::cannot_do("There is no run to compare yet.");
  const course::record_subject solved{.whose = course::whose_file::solution};
  start_verb(
      "compare", {"check", lesson().two_digits(), "--solution", "--json"},
      [this, solved](const processes::outcome&) {
        const std::optional<report::result> solution = last_result(lesson(), solved);
        if (!solution || solution->recording.empty())
          throw processes::cannot_do("The solution left no run to compare with." +
                                     (solution ? " " + solution->why.observation : ""));
        const trace::recording yours = recording_of(lesson(), {}, *result_);
        const trace::recording its = recording_of(lesson(), solved, *solution);
        const report::drawable_part own_part = report::part_to_draw(yours, "learner");
        const report::drawable_part its_part = report::part_to_draw(its, "learner");
        put_timeline(
            "compare", run_json(yours, "Your run") + "," + run_json(its, "The solution's run"),
            own_part.part && its_part.part ? report::comparison_words(*own_part.part, *its_part.part) : "");
      });
}

void lesson_session::explain() {
  start_verb("explain", {"explain", lesson().two_digits(), "--json"}, [this](const processes::outcome& done) {
    if (done.exit_status != 0) throw processes::cannot_do(message_in(done.output));
    explanation_ = json::parse(done.output, nullptr, false);
    if (!explanation_.is_object())
      throw processes::cannot_do("Explain printed no explanation: " + message_in(done.output));
    for (const char* unused : {"critical_path", "idle_gaps"}) explanation_.erase(unused);
  });
}

void lesson_session::sweep() {
  sweep_ = {{"sweep", nullptr}, {"is_running", true}};
  start_verb("sweep", {"sweep", lesson().two_digits(), "--json-lines"},
             [this](const processes::outcome& done) {
               if (done.exit_status != 0) {
                 sweep_ = nullptr;
                 throw processes::cannot_do(message_in(done.output));
               }
               take_sweep_parts(done.output);
               sweep_["is_running"] = false;
             });
}

void lesson_session::take_sweep_parts(std::string_view output) {
  std::optional<report::sweep> whole;
  for (std::size_t end = output.find('\n'); end != output.npos; end = output.find('\n')) {
    const std::string line(output.substr(0, end));
    output.remove_prefix(end + 1);
    if (line.empty() || line.front() != '{') continue;
    const report::sweep part = report::sweep_from_json(line);
    if (whole)
      report::add_points(*whole, part);
    else
      whole = part;
  }
  if (!whole) return;
  sweep_["sweep"] = json::parse(report::sweep_json(*whole));
  sweep_["sentences"] = report::sweep_sentences(*whole);
}

void lesson_session::show_view(const std::string& profile, const std::string& schedule) {
  const std::vector<std::string> profiles = course::profile_names(course::profiles_folder(checkout_.root()));
  const std::vector<std::string> schedules = offered_schedules();
  const bool is_usual = profile == trace::usual_profile;
  if (std::find(profiles.begin(), profiles.end(), profile) == profiles.end())
    throw processes::cannot_do("the course has no GPU '" + profile + "'.");
  if (std::find(schedules.begin(), schedules.end(), schedule) == schedules.end())
    throw processes::cannot_do("there is no schedule '" + schedule + "'.");
  const course::record_subject subject{.profile = is_usual ? "" : profile};
  const bool is_as_is = schedule == schedules.front();
  const auto show = [this, subject, profile, schedule, is_usual, is_as_is](const report::result& result) {
    const fs::path folder = course::record_folder(lesson(), subject);
    const fs::path file = is_as_is ? folder / result.recording : course::recording_file_of(folder, schedule);
    const std::string heading =
        fmt::format("Your run{}{}", is_usual ? "" : " on " + profile, is_as_is ? "" : ", " + schedule);
    put_timeline(is_usual && is_as_is ? "run" : "view", run_json(load_recording(file), heading), "");
    view_ = {.profile = profile, .schedule = schedule};
  };
  end_children("view");
  wanted_view_.reset();
  const std::optional<report::result> last = last_result(lesson(), subject);
  const fs::path kept = is_as_is
                            ? course::recording_file_of(course::record_folder(lesson(), subject))
                            : course::recording_file_of(course::record_folder(lesson(), subject), schedule);
  if (last && is_fresh(lesson(), lesson().source(), *last) && !last->recording.empty() && fs::exists(kept)) {
    show(*last);
    return;
  }
  const auto job = std::make_shared<check_job>(checkout_, lesson(),
                                               check_options{.subject = subject, .keep_schedules = true});
  const pid_t process = children_.start(job->command(), checkout_.root(), limit_of_check);
  wanted_view_ = {.profile = profile, .schedule = schedule};
  running_[process] = {.kind = "view",
                       .began = std::chrono::steady_clock::now(),
                       .phase = {},
                       .then = [job, show](const processes::outcome& done) {
                         const report::result result = job->result(done);
                         if (result.recording.empty())
                           throw processes::cannot_do("This run left no timeline.");
                         show(result);
                       }};
}

lesson_session::json lesson_session::lessons_json() const {
  const state state = load_state(checkout_);
  json lessons = json::array();
  for (const course::lesson& one : checkout_.lessons())
    lessons.push_back({{"number", one.two_digits()},
                       {"title", one.title},
                       {"folder", one.folder},
                       {"state", word_of(progress_of(state, one))}});
  return lessons;
}

lesson_session::json lesson_session::questions_json() const {
  json list = json::array();
  const std::vector<question> questions = questions_of(lesson());
  const predictions kept = load_predictions(predictions_file(checkout_, lesson()));
  const bool asks = !result_ && !questions_to_ask(questions, kept).empty();
  for (const question& one : questions) {
    const auto answer = kept.answers.find(one.id);
    const auto measured = kept.measured.find(one.id);
    const bool is_answered = answer != kept.answers.end();
    json stored{{"id", one.id},
                {"html", markdown_html(one.text)},
                {"unit", one.unit},
                {"words", comparison_of(one, kept)}};
    if (is_answered) stored["answer"] = answer->second;
    if (is_answered && measured != kept.measured.end())
      stored["is_right"] = is_near(one, answer->second, measured->second);
    list.push_back(std::move(stored));
  }
  return {{"asks", asks}, {"list", std::move(list)}};
}

std::string lesson_session::state_json() const {
  json running = json::array();
  for (const auto& [process, child] : running_) {
    const auto elapsed = std::chrono::steady_clock::now() - child.began;
    running.push_back(
        {{"kind", child.kind},
         {"phase", child.phase.latest()},
         {"seconds", std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count() / 100 / 10.0}});
  }
  const run_view view = wanted_view_.value_or(view_);
  json state{{"lesson", lesson().two_digits()},
             {"folder", lesson().folder},
             {"source", checkout_.relative_path(lesson().source())},
             {"root", checkout_.root().string()},
             {"checks_itself", when_ == session_checks::at_each_save},
             {"running", std::move(running)},
             {"problem", problem_},
             {"notice", notice_},
             {"notice_question", notice_question_},
             {"has_solution", fs::exists(lesson().solution())},
             {"has_sweep", has_sweep_},
             {"is_fresh", is_fresh_},
             {"result", result_ ? json::parse(report::to_json(*result_)) : json()},
             {"timeline", timeline_},
             {"hint", hint_},
             {"explanation", explanation_},
             {"sweep", sweep_},
             {"view", {{"profile", view.profile}, {"schedule", view.schedule}}},
             {"profiles", course::profile_names(course::profiles_folder(checkout_.root()))},
             {"schedules", offered_schedules()}};
  try {
    state["lessons"] = lessons_json();
    state["questions"] = questions_json();
  } catch (const processes::cannot_do& reason) {
    state["notice"] = reason.what();  // a broken file of the course or of the learner
  }
  return page_text(state);
}

}  // namespace runner
