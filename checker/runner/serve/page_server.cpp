#include "runner/serve/page_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "processes/cannot_do.h"

namespace runner {
namespace {

constexpr std::size_t max_body_bytes = 64 * 1024;
constexpr int ports_to_try = 20;
/// Connections that wait to be accepted. cpp-httplib has room for 5: beyond that a connection takes a second.
constexpr int backlog = 256;
/// A comment on a silent stream of events shows whether its reader is still there.
constexpr std::chrono::seconds event_pause{10};

/// The last text that was published, as an event of a stream, and how often one was.
class bulletin {
 public:
  void publish(const std::string& text) {
    const auto event = std::make_shared<const std::string>("data: " + text + "\n\n");
    {
      const std::lock_guard lock(mutex_);
      event_ = event;
      ++number_;
    }
    changed_.notify_all();
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    changed_.notify_all();
  }
  /// Waits for an event with another number: a comment after the pause, nullptr when it is closed.
  std::shared_ptr<const std::string> next(std::uint64_t& number) {
    static const auto comment = std::make_shared<const std::string>(":\n\n");
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, event_pause, [&] { return is_closed_ || number_ != number; });
    if (is_closed_) return nullptr;
    return std::exchange(number, number_) == number_ ? comment : event_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const std::string> event_;
  std::uint64_t number_ = 0;
  bool is_closed_ = false;
};

/// Accepted connections by the numbers of their sockets, which, unlike descriptors, are not used again at once.
class accepted_sockets {
 public:
  explicit accepted_sockets(int port) : port_(port) {}

  /// Called after each accept: ends the connection that was not there at the last update().
  void shut_down_newest() {
    for (const auto& [number, descriptor] : open_sockets()) {
      if (known_.count(number) == 0) ::shutdown(descriptor, SHUT_RDWR);
    }
  }
  void shut_down_all() {
    known_.clear();
    shut_down_newest();
  }
  void update() {
    known_.clear();
    for (const auto& [number, descriptor] : open_sockets()) known_.insert(number);
  }

 private:
  std::map<ino_t, int> open_sockets() const {
    constexpr int max_descriptor = 1024;  // of a process, unless somebody raises the limit
    std::map<ino_t, int> found;
    for (int descriptor = 3; descriptor < max_descriptor; ++descriptor) {
      sockaddr_in own{};
      sockaddr_in peer{};
      socklen_t own_size = sizeof own;
      socklen_t peer_size = sizeof peer;
      struct stat facts {};
      if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
          own.sin_family != AF_INET || ntohs(own.sin_port) != port_ ||
          getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0 ||
          fstat(descriptor, &facts) != 0)
        continue;
      found[facts.st_ino] = descriptor;
    }
    return found;
  }

  int port_;
  std::set<ino_t> known_;
};

/// A thread for each connection. cpp-httplib hands over no socket, so one too many is shut down by its number, and its job
/// then ends at once.
class connection_threads : public httplib::TaskQueue {
 public:
  explicit connection_threads(int port) : sockets_(port) {}
  ~connection_threads() override { connection_threads::shutdown(); }

  using enqueue_result = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));
  enqueue_result enqueue(std::function<void()> job) override {
    join_ended();
    if (threads_.size() >= max_connections) {
      sockets_.shut_down_newest();
      job();
    } else {
      sockets_.update();
      worker& added = threads_.emplace_back();
      added.thread = std::thread([&added, job = std::move(job)] {
        job();
        added.has_ended = true;
      });
    }
    return static_cast<enqueue_result>(true);  // nothing, in older versions
  }

  void shutdown() override {
    sockets_.shut_down_all();  // whoever waits for a request would do so for seconds
    for (worker& one : threads_) one.thread.join();
    threads_.clear();
  }

 private:
  struct worker {
    std::thread thread;
    std::atomic<bool> has_ended = false;
  };
  void join_ended() {
    for (auto one = threads_.begin(); one != threads_.end();) {
      if (!one->has_ended) {
        ++one;
        continue;
      }
      one->thread.join();
      one = threads_.erase(one);
    }
  }

  accepted_sockets sockets_;
  std::list<worker> threads_;  ///< used by the thread that accepts connections
};

}  // namespace

class page_server::implementation {
 public:
  implementation(request_guard guard, page_handler answer, page_patience patience)
      : guard_(std::move(guard)), answer_(std::move(answer)) {
    server_.set_socket_options([this](socket_t socket) {
      listening_socket_ = socket;
      // Not the default, with which a second server shares the port.
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_payload_max_length(max_body_bytes);
    server_.set_read_timeout(patience.reading_seconds);
    server_.set_write_timeout(patience.writing_seconds);
    server_.set_keep_alive_timeout(patience.reading_seconds);
    server_.set_default_headers({
        {"Cache-Control", "no-store"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'self' vscode-webview:"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
    });
    // Before any other work on the request; what is refused learns nothing.
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (!granted(request)) return refuse(response);
      return httplib::Server::HandlerResponse::Unhandled;
    });
    const auto handle = [this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
    };
    server_.Get(".*", handle);
    server_.Post(".*", handle);
    server_.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, auto&&) { response.status = 500; });
  }

  ~implementation() {
    bulletin_.close();
    if (!listener_.joinable()) return;
    server_.stop();
    listener_.join();
  }

  int start(int port) {
    for (int tried = 0; tried < ports_to_try; ++tried, ++port) {
      if (!server_.bind_to_port("127.0.0.1", port)) continue;
      ::listen(listening_socket_, backlog);
      server_.new_task_queue = [port] { return new connection_threads(port); };
      listener_ = std::thread([this] {
        server_.listen_after_bind();
        has_ended_ = true;
      });
      // stop() has no effect before that.
      while (!server_.is_running() && !has_ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return port;
    }
    throw processes::cannot_do(fmt::format("the ports {} to {} are all in use. --port chooses another.",
                                           port - ports_to_try, port - 1));
  }

  void add_origin(const std::string& origin) { guard_.origins.push_back(origin); }
  void publish(const std::string& text) { bulletin_.publish(text); }

 private:
  std::optional<std::string> granted(const httplib::Request& request) const {
    return guard_.granted_path({.method = request.method,
                                .path = request.path,
                                .host = request.get_header_value("Host"),
                                .origin = request.get_header_value("Origin")});
  }

  static httplib::Server::HandlerResponse refuse(httplib::Response& response) {
    response.status = 404;
    response.set_content(
        "Nothing is here. The address, with its token, is in the terminal in which streamlings serve runs.\n",
        "text/plain");
    response.set_header("Connection", "close");
    return httplib::Server::HandlerResponse::Handled;
  }

  void respond(const httplib::Request& request, httplib::Response& response) {
    const std::optional<std::string> path = granted(request);
    if (!path) {
      refuse(response);
      return;
    }
    if (*path == "/events" && request.method == "GET") return stream_events(response);
    page_request wanted{.method = request.method, .path = *path, .query = {}, .body = request.body};
    for (const auto& [name, value] : request.params) wanted.query.emplace(name, value);
    const page_answer answer = answer_(wanted);
    response.status = answer.status;
    response.set_content(answer.body ? *answer.body : "", answer.type.c_str());
  }

  void stream_events(httplib::Response& response) {
    response.set_chunked_content_provider(
        "text/event-stream", [this, number = std::uint64_t{0}](std::size_t, httplib::DataSink& sink) mutable {
          const auto event = bulletin_.next(number);
          return event != nullptr && sink.write(event->data(), event->size());
        });
  }

  request_guard guard_;
  page_handler answer_;
  bulletin bulletin_;
  httplib::Server server_;
  socket_t listening_socket_ = INVALID_SOCKET;
  std::thread listener_;
  std::atomic<bool> has_ended_ = false;  ///< the listener
};

page_server::page_server(request_guard guard, page_handler answer, page_patience patience)
    : implementation_(std::make_unique<implementation>(std::move(guard), std::move(answer), patience)) {}
page_server::~page_server() = default;
int page_server::start(int port) { return implementation_->start(port); }
void page_server::add_origin(const std::string& origin) { implementation_->add_origin(origin); }
void page_server::publish(const std::string& text) { implementation_->publish(text); }

}  // namespace runner
