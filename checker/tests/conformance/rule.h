// rule.h: what a chapter of this suite is made of: rules, checks, and the main() of its program.
//
// A rule is a sentence about CUDA that holds on a real GPU and on the virtual one alike; its name is that of
// the fact it states (S: streams, D: default streams, K: kinds of memory, M: copies, E: events, X: errors, L:
// launches, P: priorities). Order is proven with gates and data (gate.h), never with sleeps; so the device
// has to run kernels of several streams at once (compute capability 3.5). Each rule says where it is written,
// or that it was measured, and runs in a process of its own. A chapter is one file:
//
//     RULE(S4, "flag 2 is refused", runtime_api("Stream Management", "cudaStreamCreateWithFlags")) {
//       EXPECT_EQUAL(create_with_flags(2), cudaErrorInvalidValue);
//     }
#pragma once

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace conformance {

/// Where a rule is written, or how it came to be known.
struct source {
  const char* document;
  const char* page;   ///< its title; "" for a document of one page
  const char* place;  ///< a function, an enumerator, a section or a topic of the page; "" for all of it
};

/// A page of the CUDA Runtime API and a function, an enumerator or a section there.
constexpr source runtime_api(const char* page, const char* place) { return {"Runtime API", page, place}; }
/// A chapter of the CUDA Programming Guide and what it says something about.
constexpr source programming_guide(const char* chapter, const char* topic) {
  return {"Programming Guide", chapter, topic};
}
/// A section of the C++ standard by its label.
constexpr source cpp_standard(const char* label) { return {"C++ standard", "", label}; }
/// A page of the Linux manual, "sem_post(3)".
constexpr source linux_manual(const char* page) { return {"Linux manual", "", page}; }
/// For what the documentation leaves open or contradicts: what the hardware does.
inline constexpr source measured_on_h200{"measured on an H200, CUDA 13.0, driver 580", "", ""};

struct rule {
  const char* name;
  const char* sentence;
  void (*check)();
  std::vector<source> sources;  ///< at least one
};

inline std::vector<rule>& rules() {
  static std::vector<rule> all;
  return all;
}

struct registration {
  /// A rule without a source does not compile.
  template <typename... Sources>
  registration(const char* name, const char* sentence, void (*check)(), source first, Sources... others) {
    rules().push_back({name, sentence, check, {first, others...}});
  }
};

/// True when a check of the running rule has failed.
inline bool has_failed = false;
/// True when the rule runs in the process of the program, which ends as programs do, so that its recording is kept.
inline bool runs_here = false;

template <typename Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_same_v<Value, cudaError_t>) {
    return cudaGetErrorName(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return std::to_string(value);
  } else {
    return std::to_string(static_cast<long long>(value));
  }
}

/// "Runtime API, Stream Management, cudaStreamDestroy; measured on an H200, ...".
inline std::string text_of(const std::vector<source>& sources) {
  std::string text;
  for (const source& origin : sources) {
    if (!text.empty()) text += "; ";
    text += origin.document;
    for (const char* part : {origin.page, origin.place}) {
      if (*part != '\0') text += std::string(", ") + part;
    }
  }
  return text;
}

inline void fail(const char* file, int line, const std::string& message) {
  std::printf("  %s:%d: %s\n", file, line, message.c_str());
  has_failed = true;
}

template <typename Value, typename Expected>
void expect_equal(const Value& value, const Expected& expected, const char* expression, const char* file,
                  int line) {
  if (value == expected) return;
  fail(file, line, std::string(expression) + " is " + text_of(value) + ", not " + text_of(expected));
}

inline void expect(bool holds, const char* condition, const char* file, int line) {
  if (!holds) fail(file, line, std::string("not so: ") + condition);
}

/// Exit status of a rule that the device cannot show, and of a program without a device.
inline constexpr int not_observable_status = 77;

/// Ends the process of the rule.
[[noreturn]] inline void end_rule() {
  if (runs_here) std::exit(has_failed ? 1 : 0);
  std::fflush(stdout);
  std::_Exit(has_failed ? 1 : 0);
}

/// Ends the rule without a verdict: this device cannot show it, for the reason given.
[[noreturn]] inline void not_observable(const char* reason) {
  std::printf("  %s\n", reason);
  std::fflush(stdout);
  std::_Exit(not_observable_status);
}

inline void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  fail(file, line, std::string(call) + " returned " + text_of(error));
  end_rule();
}

/// Runs a rule in a process of its own and prints a line about it; false when it failed.
inline bool holds(const rule& tested) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    tested.check();
    end_rule();
  }
  int status = 0;
  const bool has_run = child > 0 && waitpid(child, &status, 0) == child;
  const int exit_status = has_run && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  const char* verdict = exit_status == 0                       ? "pass"
                        : exit_status == not_observable_status ? "not observable"
                                                               : "fail";
  std::printf("%s %s %s", verdict, tested.name, tested.sentence);
  if (!has_run) std::printf(" (no process to run it in)");
  if (has_run && WIFSIGNALED(status)) std::printf(" (ended by signal %d)", WTERMSIG(status));
  std::printf("\n");
  if (std::strcmp(verdict, "fail") == 0) std::printf("  source: %s\n", text_of(tested.sources).c_str());
  return exit_status == 0 || exit_status == not_observable_status;
}

/// Whether there is a GPU, asked in a process of its own: rules run in copies of this one, and a copy of a
/// process that has used CUDA cannot use it.
inline bool has_device() {
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    std::_Exit(cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace conformance

/// RULE(name, sentence, source...): defines a rule; its body follows.
#define RULE(name, sentence, ...) CONFORMANCE_RULE(name, sentence, __LINE__, __VA_ARGS__)
#define CONFORMANCE_RULE(name, sentence, line, ...) CONFORMANCE_RULE_AT(name, sentence, line, __VA_ARGS__)
#define CONFORMANCE_RULE_AT(name, sentence, line, ...)                                                     \
  static void check_##name##_##line();                                                                     \
  static const conformance::registration register_##name##_##line(#name, sentence, &check_##name##_##line, \
                                                                  __VA_ARGS__);                            \
  static void check_##name##_##line()

/// A CUDA call that has to succeed; if it does not, the rule ends.
#define CHECK(call) conformance::check((call), #call, __FILE__, __LINE__)
/// Both values have to be equal; if they are not, the rule fails and goes on.
#define EXPECT_EQUAL(value, expected) \
  conformance::expect_equal((value), (expected), #value, __FILE__, __LINE__)
#define EXPECT(condition) conformance::expect((condition), #condition, __FILE__, __LINE__)

/// PROGRAM runs all rules, PROGRAM NAME... those of these names, PROGRAM here NAME one in this process, PROGRAM list prints them
/// with their sources.
/// Exit status: 0 none failed, 1 a rule failed, 2 there is no such rule, 77 there is no GPU.
int main(int count, char** arguments) {
  // A kernel that is loaded at its first launch may wait for the device: with a gate closed, for ever.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const bool only_lists = count == 2 && std::strcmp(arguments[1], "list") == 0;
  if (!only_lists && !conformance::has_device()) {
    std::printf("skipped: there is no GPU that CUDA programs can use\n");
    return conformance::not_observable_status;
  }
  conformance::runs_here = count == 3 && std::strcmp(arguments[1], "here") == 0;
  bool has_run = false;
  bool all_pass = true;
  for (const conformance::rule& listed : conformance::rules()) {
    bool is_chosen = count == 1 || only_lists;
    for (int i = 1; i < count; ++i) is_chosen = is_chosen || std::strcmp(arguments[i], listed.name) == 0;
    if (!is_chosen) continue;
    has_run = true;
    if (conformance::runs_here) {
      listed.check();
      conformance::end_rule();
    } else if (only_lists) {
      std::printf("%s %s (%s)\n", listed.name, listed.sentence, conformance::text_of(listed.sources).c_str());
    } else if (!conformance::holds(listed)) {
      all_pass = false;
    }
  }
  if (!has_run) {
    std::fprintf(stderr, "%s: there is no such rule\n", arguments[0]);
    return 2;
  }
  return all_pass ? 0 : 1;
}
