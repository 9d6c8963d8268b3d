#include "runner/serve/request_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <random>
#include <string_view>

namespace runner {
namespace {

/// "name:port" of "https://name:port"; "" without a scheme.
std::string authority_of(const std::string& origin) {
  const std::size_t scheme = origin.find("://");
  return scheme == origin.npos ? "" : origin.substr(scheme + 3);
}

/// The name of "name:port", in small letters.
std::string name_of_host(const std::string& host) {
  std::string name = host.substr(0, host.find(':'));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

bool has_port_or_none(const std::string& host) {
  const std::size_t colon = host.find(':');
  if (colon == host.npos) return !host.empty();
  return colon + 1 < host.size() &&
         std::all_of(host.begin() + static_cast<std::ptrdiff_t>(colon) + 1, host.end(),
                     [](unsigned char digit) { return std::isdigit(digit) != 0; });
}

/// Takes as long for a wrong token as for a nearly right one.
bool is_same_token(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) difference |= static_cast<unsigned char>(left[i] ^ right[i]);
  return difference == 0;
}

}  // namespace

std::optional<std::string> request_guard::granted_path(const request_head& request) const {
  const bool is_given = std::any_of(origins.begin(), origins.end(), [&](const std::string& one) {
    return request.host == authority_of(one);
  });
  const std::string name = name_of_host(request.host);
  if (!has_port_or_none(request.host) || (name != "127.0.0.1" && name != "localhost" && !is_given))
    return std::nullopt;
  const bool is_reading = request.method == "GET" || request.method == "HEAD";
  if (request.origin.empty() && !is_reading) return std::nullopt;
  const bool is_own = request.origin == "http://" + request.host ||
                      std::find(origins.begin(), origins.end(), request.origin) != origins.end();
  if (!request.origin.empty() && !is_own) return std::nullopt;
  if (request.path.size() < 2 || request.path.front() != '/') return std::nullopt;
  const std::size_t end = request.path.find('/', 1);
  if (end == request.path.npos || !is_same_token(std::string_view(request.path).substr(1, end - 1), token))
    return std::nullopt;
  return request.path.substr(end);
}

std::string new_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

std::string problem_of_origin(const std::string& origin) {
  const std::string authority = authority_of(origin);
  const bool is_web = origin.starts_with("http://") || origin.starts_with("https://");
  if (is_web && has_port_or_none(authority) && authority.find_first_of("/?#@ ") == authority.npos) return "";
  return "An origin is https://NAME or http://NAME:PORT, without a path.";
}

std::string codespace_origin(int port) {
  const char* name = std::getenv("CODESPACE_NAME");
  const char* domain = std::getenv("GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN");
  if (name == nullptr || domain == nullptr) return "";
  return fmt::format("https://{}-{}.{}", name, port, domain);
}

}  // namespace runner
