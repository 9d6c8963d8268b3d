#include "runner/serve/request_guard.h"

#include <gtest/gtest.h>

namespace runner {
namespace {

const request_guard guard{.token = "0123456789abcdef", .origins = {"https://me-4321.app.github.dev"}};

request_head get(const std::string& path) {
  return {.method = "GET", .path = path, .host = "127.0.0.1:4321", .origin = ""};
}

TEST(RequestGuard, GrantsThePathBehindTheToken) {
  EXPECT_EQ(guard.granted_path(get("/0123456789abcdef/state")), "/state");
  EXPECT_EQ(guard.granted_path(get("/0123456789abcdef/")), "/");
}

TEST(RequestGuard, RefusesAWrongOrMissingToken) {
  for (const char* path : {"/", "/state", "/0123456789abcdef", "/0123456789abcdeg/state",
                           "/0123456789abcde/state", "", "state", "//state", "/../0123456789abcdef/state"}) {
    EXPECT_EQ(guard.granted_path(get(path)), std::nullopt) << path;
  }
}

TEST(RequestGuard, RefusesAHostThatIsNotThisMachine) {
  request_head request = get("/0123456789abcdef/state");
  for (const char* host : {"evil.example", "evil.example:4321", "127.0.0.1.evil.example", "localhost:x", "",
                           ":4321", "me-4321.app.github.dev.evil.example"}) {
    request.host = host;
    EXPECT_EQ(guard.granted_path(request), std::nullopt) << host;
  }
  for (const char* host : {"localhost:4321", "LOCALHOST", "127.0.0.1", "me-4321.app.github.dev"}) {
    request.host = host;
    EXPECT_EQ(guard.granted_path(request), "/state") << host;
  }
}

TEST(RequestGuard, RefusesAForeignOrigin) {
  request_head request = get("/0123456789abcdef/state");
  for (const char* origin :
       {"http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:4321"}) {
    request.origin = origin;
    EXPECT_EQ(guard.granted_path(request), std::nullopt) << origin;
  }
  for (const char* origin : {"http://127.0.0.1:4321", "https://me-4321.app.github.dev"}) {
    request.origin = origin;
    EXPECT_EQ(guard.granted_path(request), "/state") << origin;
  }
}

TEST(RequestGuard, ChangesNothingWithoutAnOrigin) {
  request_head request = get("/0123456789abcdef/act");
  request.method = "POST";
  EXPECT_EQ(guard.granted_path(request), std::nullopt);
  request.origin = "http://127.0.0.1:4321";
  EXPECT_EQ(guard.granted_path(request), "/act");
}

TEST(RequestGuard, TokensDiffer) {
  EXPECT_EQ(new_token().size(), 32u);
  EXPECT_NE(new_token(), new_token());
}

TEST(RequestGuard, AnOriginHasNoPath) {
  EXPECT_EQ(problem_of_origin("https://me-4321.app.github.dev"), "");
  EXPECT_EQ(problem_of_origin("http://box:8080"), "");
  for (const char* origin :
       {"", "box", "ftp://box", "https://", "https://box/path", "https://a@b", "http://box:"})
    EXPECT_NE(problem_of_origin(origin), "") << origin;
}

}  // namespace
}  // namespace runner
