// page_server.h: an HTTP server on the loopback address, and a stream of events to its pages.
//
// Requests are answered in threads of the server. Built where cpp-httplib is installed. Not here: what is answered
// (serve.cpp), and which requests are refused (request_guard.h).
//
//     runner::page_server server(guard, answer);
//     const int port = server.start(4321);
//     server.publish(state);
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "runner/serve/request_guard.h"

namespace runner {

/// A request that was let in.
struct page_request {
  std::string method;
  std::string path;  ///< behind the token: "/timeline"
  std::map<std::string, std::string> query;
  std::string body;  ///< at most 64 KiB
};

/// What is sent back.
struct page_answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = nullptr;  ///< null: empty
};

/// Called in any thread. "/events" is answered by the server itself.
using page_handler = std::function<page_answer(const page_request&)>;

/// How long a connection is waited for.
struct page_patience {
  int reading_seconds = 5;  ///< for a request to arrive, and for an idle connection
  int writing_seconds = 5;  ///< for a browser that does not read
};

/// Stops in its destructor.
class page_server {
 public:
  page_server(request_guard guard, page_handler answer, page_patience patience = {});
  ~page_server();
  page_server(const page_server&) = delete;
  page_server& operator=(const page_server&) = delete;

  /// Listens on 127.0.0.1, on that port or the first free one of the nineteen behind it, and answers from now on. Returns the
  /// port. Throws cannot_do when all are in use.
  int start(int port);
  /// A further address of the page. Before the first request.
  void add_origin(const std::string& origin);
  /// Sends the text, which has no line break, to each reader of /events; those that come later get the last one at once.
  void publish(const std::string& text);

 private:
  class implementation;
  std::unique_ptr<implementation> implementation_;
};

/// Connections at a time; further ones are closed at once.
inline constexpr int max_connections = 64;

}  // namespace runner
