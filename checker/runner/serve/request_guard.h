// request_guard.h: which requests the page's server answers.
//
// A request needs the token in its path and a Host that names this machine, so that no other page in the same browser can
// make one; with an Origin, that has to be the page's own. Not here: the server (page_server.h).
//
//     const runner::request_guard guard{.token = runner::new_token()};
//     if (const auto path = guard.granted_path(request)) answer(*path);
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace runner {

/// The head of a request; "" for a header that it lacks.
struct request_head {
  std::string method;  ///< "GET"
  std::string path;    ///< "/TOKEN/state", without the query
  std::string host;    ///< "127.0.0.1:4321"
  std::string origin;  ///< "http://127.0.0.1:4321"
};

/// What a request needs.
struct request_guard {
  std::string token;
  /// Further addresses of the page, where a port is forwarded: "https://name-4321.app.github.dev".
  std::vector<std::string> origins = {};

  /// The path behind the token, "/state"; nothing when the request is refused. Each method but GET and HEAD needs an Origin.
  std::optional<std::string> granted_path(const request_head& request) const;
};

/// 32 hexadecimal digits from the system's random device.
std::string new_token();

/// Why that is no origin, as a sentence; "" for "https://name" and "http://name:port".
std::string problem_of_origin(const std::string& origin);

/// The address of a forwarded port in a GitHub Codespace, from the variables that it sets; "" elsewhere.
std::string codespace_origin(int port);

}  // namespace runner
