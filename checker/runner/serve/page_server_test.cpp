// The server as a careless or hostile client meets it, over sockets of this test.
#include "runner/serve/page_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "processes/cannot_do.h"

namespace runner {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int first_port = 43210;
constexpr int patience_milliseconds = 120'000;  // of the test
constexpr page_patience short_patience{.reading_seconds = 1, .writing_seconds = 1};

/// A connection to the server.
class client {
 public:
  explicit client(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    constexpr int room = 4096;  // little, so that a server soon has to wait for one that does not read
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    is_connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~client() {
    if (socket_ >= 0) close(socket_);
  }
  client(client&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), is_connected_(other.is_connected_) {}
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  client& operator=(client&&) = delete;

  void send(const std::string& text) const {
    static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL));
  }
  /// What arrives until the text is there, the other side closes, or nothing comes.
  std::string receive_until(const std::string& text) const {
    std::string received;
    char part[4096];
    while (received.find(text) == received.npos && is_readable()) {
      const ssize_t count = recv(socket_, part, sizeof part, 0);
      if (count <= 0) break;
      received.append(part, static_cast<std::size_t>(count));
    }
    return received;
  }
  /// Waits for the other side to close; false when it does not.
  bool is_closed() const {
    char part[4096];
    while (is_readable()) {
      if (recv(socket_, part, sizeof part, 0) <= 0) return true;
    }
    return false;
  }
  bool is_connected() const { return is_connected_; }
  void reconnect(int port) {
    close(std::exchange(socket_, -1));
    client next(port);
    std::swap(socket_, next.socket_);
  }

 private:
  bool is_readable() const {
    pollfd one{socket_, POLLIN, 0};
    return poll(&one, 1, patience_milliseconds) > 0;
  }

  int socket_;
  bool is_connected_ = false;
};

class PageServer : public testing::Test {
 protected:
  page_server server{{.token = "secret"},
                     [](const page_request& request) {
                       return page_answer{.body = std::make_shared<const std::string>(
                                              "asked for " + request.path + request.body)};
                     },
                     short_patience};
  int port = server.start(first_port);

  std::string request(const std::string& line, const std::string& more = "") const {
    return line + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\nConnection: close\r\n" +
           more + "\r\n";
  }
  std::string answer_to(const std::string& text) const {
    const client one(port);
    one.send(text);
    return one.receive_until("asked for");
  }
  /// Asks again while the server closes connections because it has too many. Not without a pause: each takes a port for a
  /// minute.
  std::string answer_when_there_is_room(const std::string& text) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_milliseconds);
    std::string answer = answer_to(text);
    while (answer.empty() && std::chrono::steady_clock::now() < end) {
      poll(nullptr, 0, 20);
      answer = answer_to(text);
    }
    return answer;
  }
};

TEST_F(PageServer, AnswersWithTheTokenAndRefusesWithout) {
  EXPECT_THAT(answer_to(request("GET /secret/page.js")), HasSubstr("asked for /page.js"));
  EXPECT_THAT(answer_to(request("GET /page.js")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(answer_to(request("GET /secre/page.js")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(answer_to(request("GET /secret/page.js", "Origin: http://evil.example\r\n")),
              StartsWith("HTTP/1.1 404"));
}

TEST_F(PageServer, AnActionNeedsAnOrigin) {
  const std::string origin = "Origin: http://127.0.0.1:" + std::to_string(port) + "\r\n";
  EXPECT_THAT(answer_to(request("POST /secret/act", "Content-Length: 2\r\n") + "hi"),
              StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(answer_to(request("POST /secret/act", origin + "Content-Length: 2\r\n") + "hi"),
              HasSubstr("asked for /acthi"));
  EXPECT_THAT(answer_to(request("DELETE /secret/act", origin)), StartsWith("HTTP/1.1 404"));
}

TEST_F(PageServer, SendsTheLastEventAtOnceAndTheNextWhenItComes) {
  server.publish("one");
  const client reader(port);
  reader.send(request("GET /secret/events"));
  EXPECT_THAT(reader.receive_until("data: one\n\n"), HasSubstr("text/event-stream"));
  server.publish("two");
  EXPECT_THAT(reader.receive_until("data: two\n\n"), HasSubstr("data: two"));
}

TEST_F(PageServer, ClosesAConnectionTooManyAndGoesOn) {
  std::vector<client> held;
  server.publish("state");
  for (int i = 0; i < max_connections; ++i) {
    held.emplace_back(port);
    held.back().send(request("GET /secret/events"));
    ASSERT_THAT(held.back().receive_until("data: state"), HasSubstr("data: state")) << i;
  }
  const client one_more(port);
  EXPECT_TRUE(one_more.is_closed());
  server.publish("next");
  EXPECT_THAT(held.front().receive_until("data: next"), HasSubstr("data: next"));
}

TEST_F(PageServer, GivesUpHalfARequest) {
  const client half(port);
  half.send("GET /secret/page.js HTTP/1.1\r\nHost: 127.0");
  EXPECT_TRUE(half.is_closed());
  EXPECT_THAT(answer_to(request("GET /secret/page.js")), HasSubstr("asked for"));
}

TEST_F(PageServer, RefusesALongBodyAndWordsThatAreNoRequest) {
  const std::string origin = "Origin: http://127.0.0.1:" + std::to_string(port) + "\r\n";
  EXPECT_THAT(answer_to(request("POST /secret/act", origin + "Content-Length: 100000\r\n") +
                        std::string(100000, 'x')),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(answer_to("\x16\x03\x01 nonsense\r\n\r\n"), testing::Not(HasSubstr("asked for")));
  EXPECT_THAT(answer_to(request("GET /secret/page.js")), HasSubstr("asked for"));
}

TEST_F(PageServer, SaysTheSameToAllThatItRefuses) {
  const std::string origin = "Origin: http://127.0.0.1:" + std::to_string(port) + "\r\n";
  const auto whole_answer = [this](const std::string& text) {
    const client one(port);
    one.send(text);
    return one.receive_until("never sent");
  };
  const std::string refusal = whole_answer(request("GET /"));
  EXPECT_THAT(refusal, StartsWith("HTTP/1.1 404"));
  for (const char* target : {"/page.js", "/events", "/secret", "/secre/", "/secrett/", "/SECRET/",
                             "//secret/", "/./secret/", "/x/../secret/", "/%73ecre%2f", "/../../etc/passwd",
                             "/index.html", "/.git/config", "/?secret", "/favicon.ico"}) {
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
      EXPECT_EQ(whole_answer(request(std::string(method) + " " + target, origin)), refusal)
          << method << " " << target;
  }
  EXPECT_EQ(whole_answer("GET /secret/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
            refusal);
  EXPECT_EQ(whole_answer("GET /secret/ HTTP/1.1\r\nConnection: close\r\n\r\n"), refusal);
  EXPECT_EQ(whole_answer(request("GET /secret/", "Origin: null\r\n")), refusal);
}

TEST_F(PageServer, OutlivesAThousandConnections) {
  constexpr std::size_t kept_open = 100;
  std::vector<client> held;
  for (int i = 0; i < 1000; ++i) {
    if (held.size() < kept_open)
      held.emplace_back(port);
    else
      held[static_cast<std::size_t>(i) % kept_open].reconnect(port);
  }
  held.clear();
  EXPECT_THAT(answer_when_there_is_room(request("GET /secret/page.js")), HasSubstr("asked for /page.js"));
}

TEST_F(PageServer, GivesUpBrowsersThatDoNotRead) {
  std::vector<client> deaf;
  server.publish("state");
  for (int i = 0; i < max_connections; ++i) {
    deaf.emplace_back(port);
    deaf.back().send(request("GET /secret/events"));
    ASSERT_THAT(deaf.back().receive_until("data: state"), HasSubstr("data: state")) << i;
  }
  // More than all buffers on the way hold.
  server.publish(std::string(8 << 20, 'x'));
  EXPECT_THAT(answer_when_there_is_room(request("GET /secret/page.js")), HasSubstr("asked for /page.js"));
}

TEST_F(PageServer, TakesTheNextFreePort) {
  page_server second({.token = "other"}, [](const page_request&) { return page_answer{}; });
  const int other = second.start(port);
  EXPECT_GT(other, port);
  EXPECT_TRUE(client(other).is_connected());
}

}  // namespace
}  // namespace runner
