// lesson_session.h: the state behind the page: one lesson, its checks, and what else the page asked for.
//
// Used by one thread. An action of the page is JSON, {"action": "hint"}; the state is JSON, and timelines are in a shelf of
// their own, since they are large. Not here: HTTP (page_server.h), the loop around it (serve.cpp).
//
//     session.act(R"({"action": "check"})");
//     server.publish(session.state_json());
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "processes/child_group.h"
#include "report/result.h"
#include "report/sweep.h"
#include "runner/learner/lesson_check.h"
#include "runner/watch/file_watch.h"
#include "trace/words.h"

namespace runner {

/// Timelines by their names, for the threads of the server.
class timeline_shelf {
 public:
  void put(const std::string& name, std::string json);
  /// Null when there is none of that name.
  std::shared_ptr<const std::string> get(const std::string& name) const;

 private:
  static constexpr std::size_t max_kept = 8;  ///< a page asks for the newest
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<const std::string>>> kept_;
};

/// What starts a check: each save, or only the page.
enum class session_checks { at_each_save, when_asked };

/// What one page, or several tabs of it, show and ask for.
class lesson_session {
 public:
  lesson_session(const course::checkout& checkout, const course::lesson& lesson, session_checks when,
                 timeline_shelf& shelf);

  /// Carries out an action of the page. What is wrong with it becomes the state's notice.
  void act(const std::string& action);
  /// Adds what the loop has to wait for; then react() does what is due. Returns whether the state may have changed.
  void add_descriptors(std::vector<pollfd>& watched) const;
  bool react();
  bool is_busy() const { return children_.size() > 0; }

  /// One line of JSON.
  std::string state_json() const;

 private:
  using json = nlohmann::ordered_json;
  using child_done = std::function<void(const processes::outcome&)>;

  const course::lesson& lesson() const { return *lesson_; }
  void open(const course::lesson& lesson);
  void open_named(const std::string& name);
  void start_check();
  void end_check(const processes::outcome& done);
  void show_result(report::result result);
  void read_result();
  void start_verb(const std::string& kind, std::vector<std::string> words, child_done then);
  void end_children(const std::string& kind);

  void give_hint();
  void reset();
  void undo_reset();
  void answer(const json& request);
  void show_comparison();
  void explain();
  void sweep();
  void take_sweep_parts(std::string_view output);
  void show_view(const std::string& profile, const std::string& schedule);
  void put_timeline(const std::string& kind, std::string runs, const std::string& words);

  json lessons_json() const;
  json questions_json() const;

  struct child {
    std::string kind;  ///< "check", "compare", "explain", "sweep", "view"
    std::chrono::steady_clock::time_point began;
    check_phase phase{};
    child_done then;
  };

  struct run_view {
    std::string profile{trace::usual_profile};
    std::string schedule{trace::word_of(trace::schedule_kind::as_is)};
  };

  const course::checkout& checkout_;
  const course::lesson* lesson_;
  session_checks when_;
  timeline_shelf& shelf_;
  processes::child_group children_;
  std::map<pid_t, child> running_;
  std::unique_ptr<check_job> job_;
  std::optional<file_watch> source_;
  std::optional<file_watch> record_;
  file_watch state_;  ///< the watch screen goes to other lessons
  std::optional<report::result> result_;
  bool is_fresh_ = false;
  std::uint64_t timeline_number_ = 0;
  json timeline_;     ///< {"name", "kind", "words"} of what is shown; null: nothing
  json hint_;         ///< {"title", "html"}; null: none
  json explanation_;  ///< as explain --json; null: not asked for
  json sweep_;        ///< {"sweep", "is_running"}; null: not asked for
  std::string problem_;
  std::string notice_;
  std::string notice_question_;          ///< the id of the question that the notice is about; "": none
  bool has_sweep_ = false;               ///< of the lesson
  run_view view_;                        ///< what the timeline shows
  std::optional<run_view> wanted_view_;  ///< while its check runs
};

/// The words of the schedules that the page offers, the first as is.
std::vector<std::string> offered_schedules();

/// The lesson's page as {"lesson", "html"}.
std::string page_of_lesson_json(const course::lesson& lesson);

}  // namespace runner
