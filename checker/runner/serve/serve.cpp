#include "runner/verbs.h"

#ifdef STREAMLINGS_HAS_HTTPLIB

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "processes/cannot_do.h"
#include "processes/caught_signals.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "report/picture_parts.h"
#include "runner/learner/progress.h"
#include "runner/serve/lesson_session.h"
#include "runner/serve/page_parts.h"
#include "runner/serve/page_server.h"
#include "runner/terminal/learners_program.h"

namespace runner {
namespace {

constexpr int usual_port = 4321;
constexpr int idle_page_milliseconds = 500;
constexpr int busy_page_milliseconds = 250;
constexpr std::size_t max_waiting_actions = 64;

struct serve_arguments {
  std::string lesson;
  int port = usual_port;
  std::vector<std::string> origins;
  bool is_manual = false;
  bool opens_browser = false;
};

/// Actions of pages on their way from the threads of the server to the loop.
class action_queue {
 public:
  action_queue() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~action_queue() { close(descriptor_); }
  action_queue(const action_queue&) = delete;
  action_queue& operator=(const action_queue&) = delete;

  int descriptor() const { return descriptor_; }
  /// False when too many wait.
  bool push(std::string action) {
    const std::lock_guard lock(mutex_);
    if (actions_.size() >= max_waiting_actions) return false;
    actions_.push_back(std::move(action));
    const std::uint64_t one = 1;
    return write(descriptor_, &one, sizeof one) == sizeof one;
  }
  std::deque<std::string> take() {
    std::uint64_t count = 0;
    const std::lock_guard lock(mutex_);
    if (read(descriptor_, &count, sizeof count) < 0) return {};
    return std::exchange(actions_, {});
  }

 private:
  std::mutex mutex_;
  std::deque<std::string> actions_;
  int descriptor_;
};

std::shared_ptr<const std::string> shared(std::string_view text) {
  return std::make_shared<const std::string>(text);
}

/// What pages ask for. Lessons and style sheets do not change while it lives; actions go to the loop.
class page_content {
 public:
  page_content(const course::checkout& checkout, const timeline_shelf& shelf, action_queue& actions)
      : checkout_(checkout), shelf_(shelf), actions_(actions) {}

  page_answer answer(const page_request& request) const {
    if (request.method == "POST") {
      if (request.path != "/act") return {.status = 404};
      return {.status = actions_.push(request.body) ? 202 : 503};
    }
    if (request.path == "/") return {.type = "text/html; charset=utf-8", .body = shared(serve_html)};
    if (request.path == "/page.css")
      return {.type = "text/css; charset=utf-8",
              .body = shared(std::string(report::timeline_svg_css) + std::string(report::viewer_css) +
                             std::string(serve_css))};
    if (request.path == "/viewer.js") return {.type = script, .body = shared(report::viewer_script)};
    if (request.path == "/page.js") return {.type = script, .body = shared(serve_script)};
    if (request.path == "/timeline") return found(shelf_.get(value_of(request, "name")));
    if (request.path == "/lesson") return lesson(value_of(request, "number"));
    return {.status = 404};
  }

 private:
  static constexpr auto script = "text/javascript; charset=utf-8";
  static constexpr auto json = "application/json; charset=utf-8";

  static std::string value_of(const page_request& request, const std::string& name) {
    const auto value = request.query.find(name);
    return value == request.query.end() ? "" : value->second;
  }
  static page_answer found(std::shared_ptr<const std::string> text) {
    if (!text) return {.status = 404};
    return {.type = json, .body = std::move(text)};
  }
  page_answer lesson(const std::string& number) const {
    for (const course::lesson& one : checkout_.lessons()) {
      if (one.two_digits() == number) return {.type = json, .body = shared(page_of_lesson_json(one))};
    }
    return {.status = 404};
  }

  const course::checkout& checkout_;
  const timeline_shelf& shelf_;
  action_queue& actions_;
};

void print_addresses(int port, int wanted_port, const std::string& token,
                     const std::vector<std::string>& origins) {
  if (port != wanted_port) fmt::print("Port {} is in use, so it is {}.\n", wanted_port, port);
  fmt::print("The page: http://127.0.0.1:{}/{}/\n", port, token);
  for (const std::string& origin : origins) fmt::print("      or: {}/{}/\n", origin, token);
  fmt::print("Ctrl-C ends it. Who has the address can start checks here, so keep it to yourself.\n");
  std::fflush(stdout);
}

/// That of the last start, so that pages which are open go on after a restart; a new one is readable by this user alone.
std::string kept_token(const course::checkout& checkout) {
  const std::filesystem::path file = checkout.state_folder() / "page_token";
  const std::string last = processes::content_of(file).value_or("");
  struct stat facts {};
  const bool is_private =
      stat(file.c_str(), &facts) == 0 && facts.st_uid == geteuid() && (facts.st_mode & 077) == 0;
  if (is_private && last.size() == 32 && last.find_first_not_of("0123456789abcdef") == last.npos) return last;
  const std::string token = new_token();
  const mode_t mask = umask(077);
  try {
    processes::write_whole(file, token);
    std::filesystem::permissions(file,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  } catch (const processes::cannot_do&) {
    // Without it pages have to be opened anew after a restart.
  }
  umask(mask);
  return token;
}

int serve(const serve_arguments& arguments) {
  for (const std::string& origin : arguments.origins) {
    const std::string problem = problem_of_origin(origin);
    if (!problem.empty()) throw processes::cannot_do(origin + ": " + problem);
  }
  const course::checkout checkout = course::checkout::open();
  // Before the server has threads, which take over what is blocked.
  const processes::caught_signals signals{SIGINT, SIGTERM, SIGHUP, SIGCHLD};
  action_queue actions;
  timeline_shelf shelf;
  lesson_session session(checkout, named_or_current(checkout, arguments.lesson),
                         arguments.is_manual ? session_checks::when_asked : session_checks::at_each_save,
                         shelf);
  const page_content content(checkout, shelf, actions);
  const std::string token = kept_token(checkout);
  page_server server({.token = token, .origins = arguments.origins},
                     [&](const page_request& request) { return content.answer(request); });
  std::vector<std::string> origins = arguments.origins;
  const int port = server.start(arguments.port);
  if (const std::string origin = codespace_origin(port); !origin.empty()) {
    origins.push_back(origin);
    server.add_origin(origin);
  }
  print_addresses(port, arguments.port, token, origins);
  server.publish(session.state_json());
  const std::string browser = browser_command();
  if (arguments.opens_browser && !browser.empty())
    start_apart(browser, fmt::format("http://127.0.0.1:{}/{}/", port, token));

  while (true) {
    std::vector<pollfd> waiting{{signals.descriptor(), POLLIN, 0}, {actions.descriptor(), POLLIN, 0}};
    session.add_descriptors(waiting);
    poll(waiting.data(), waiting.size(), session.is_busy() ? busy_page_milliseconds : idle_page_milliseconds);
    for (int signal = signals.take(); signal != 0; signal = signals.take()) {
      if (signal != SIGCHLD) throw processes::interrupted{signal};
    }
    bool has_changed = false;
    for (const std::string& action : actions.take()) {
      session.act(action);
      has_changed = true;
    }
    has_changed = session.react() || has_changed;
    if (has_changed) server.publish(session.state_json());
  }
}

}  // namespace

void add_serve(parsing::command& program) {
  parsing::command& verb =
      program.verb("serve", "The lesson in a browser: its text, the verdict at each save, the timeline");
  verb.footer(
      "Example: streamlings serve\n"
      "The page is at an address of this machine, which is printed. Where its port is forwarded under another name, --origin\n"
      "names that; in a GitHub Codespace it is known.");
  const auto arguments = std::make_shared<serve_arguments>();
  verb.option("lesson", arguments->lesson, "Number, slug or folder; without it the current lesson");
  verb.option("--port", arguments->port, "The first port to try").between(1, 65535).shows_default();
  verb.option("--origin", arguments->origins, "Another address of the page: https://NAME; may be repeated");
  verb.flag("--manual", arguments->is_manual, "Check when the page asks, not at each save");
  verb.flag("--open", arguments->opens_browser, "Open the page with $BROWSER, or the desktop's browser");
  verb.does([arguments] { return serve(*arguments); });
}

}  // namespace runner

#else

#include <memory>
#include <string>
#include <vector>

#include "processes/cannot_do.h"

namespace runner {

void add_serve(parsing::command& program) {
  parsing::command& verb =
      program.verb("serve", "The lesson in a browser (not built: libcpp-httplib-dev is missing)");
  verb.footer("Example: streamlings serve");
  const auto ignored = std::make_shared<std::vector<std::string> >();
  verb.keeps_the_rest(*ignored);
  verb.does([ignored]() -> int {
    throw processes::cannot_do(
        "serve needs the package libcpp-httplib-dev, which was not there when streamlings was built. Install it "
        "(sudo apt-get install libcpp-httplib-dev), and run ./streamlings setup.");
  });
}

}  // namespace runner

#endif
