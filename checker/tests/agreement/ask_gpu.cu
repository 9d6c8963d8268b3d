// ask_gpu.cu: asks a GPU what the documentation leaves open, and what its times are; prints one answer a
// line.
//
// A real GPU:
//     nvcc -O2 -std=c++17 -o ask_gpu *.cu && ./ask_gpu [SECTION...]
// The virtual one:
//     streamlings-compile --main program -o ask_gpu *.cu
//     STREAMLINGS_PROFILE=h200.json ./ask_gpu [SECTION...]
//
// Each section runs in a process of its own, because faults are for ever and settings are read once.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ask.h"

namespace agreement {
namespace {

struct section {
  const char* name;
  void (*ask)();
  const char* connections = nullptr;  ///< CUDA_DEVICE_MAX_CONNECTIONS; nullptr: not set
};

const section sections[] = {
    {"conc.connections_default", ask_about_concurrency},
    {"conc.connections_32", ask_about_concurrency, "32"},
    {"err", ask_about_errors},
    {"sem", ask_about_order},
    {"time", ask_about_times},
    {"copy", ask_about_copies},
    {"cb", ask_about_host_functions},
    {"prio", ask_about_priorities},
    {"hq.connections_default", ask_about_queues},
    {"hq.connections_1", ask_about_queues, "1"},
    {"hq.connections_4", ask_about_queues, "4"},
    {"hq.connections_32", ask_about_queues, "32"},
    {"sticky.illegal_address", ask_about_illegal_addresses},
    {"sticky.trap", ask_about_traps},
    {"sticky.misaligned", ask_about_misaligned_addresses},
    {"block", ask_about_blocking},
};

const char* asked_section = "";

void print(const std::string& question, const std::string& value, const char* unit) {
  std::printf("%s.%s %s %s\n", asked_section, question.c_str(), value.c_str(), unit);
}

std::string with_decimals(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

/// True when the section ran to its end.
bool ask(const section& chosen) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (chosen.connections != nullptr) setenv("CUDA_DEVICE_MAX_CONNECTIONS", chosen.connections, 1);
    asked_section = chosen.name;
    chosen.ask();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  std::fprintf(stderr, "%s: the section did not run to its end\n", chosen.name);
  return false;
}

bool is_chosen(const section& listed, int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::size_t length = std::strlen(arguments[i]);
    if (std::strncmp(listed.name, arguments[i], length) == 0 &&
        (listed.name[length] == '\0' || listed.name[length] == '.')) {
      return true;
    }
  }
  return count == 1;
}

__global__ void spin_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void nothing_kernel() {}

}  // namespace

void answer_error(const std::string& question, cudaError_t value) {
  print(question, cudaGetErrorName(value), "error");
}
void answer_yes_no(const std::string& question, bool value) {
  print(question, value ? "yes" : "no", "yes/no");
}
void answer_count(const std::string& question, long long value) {
  print(question, std::to_string(value), "count");
}
void answer_text(const std::string& question, const std::string& value) {
  std::string word = value;
  std::replace(word.begin(), word.end(), ' ', '_');
  print(question, word, "text");
}
void answer_us(const std::string& question, double value) { print(question, with_decimals(value), "us"); }
void answer_ms(const std::string& question, double value) { print(question, with_decimals(value), "ms"); }

void check(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: line %d: %s returned %s\n", asked_section, line, call, cudaGetErrorName(error));
  std::_Exit(1);
}

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double time_us(const std::function<void()>& action) {
  const double begin = now_us();
  action();
  return now_us() - begin;
}

double median_us(const std::function<void()>& action, const std::function<void()>& before) {
  std::vector<double> samples(101);
  for (double& sample : samples) {
    before();
    sample = time_us(action);
  }
  std::nth_element(samples.begin(), samples.begin() + 50, samples.end());
  return samples[50];
}

long long cycles_of(double microseconds) {
  static const int kilohertz = [] {
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    return value;
  }();
  return static_cast<long long>(microseconds * kilohertz / 1e3);
}

void spin(double microseconds, cudaStream_t stream) {
  spin_kernel<<<1, 1, 0, stream>>>(cycles_of(microseconds));
}
void launch_nothing(cudaStream_t stream) { nothing_kernel<<<1, 1, 0, stream>>>(); }

cudaStream_t blocking_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  return stream;
}

cudaStream_t non_blocking_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

}  // namespace agreement

int main(int count, char** arguments) {
  bool has_asked = false;
  bool all_ended = true;
  for (const agreement::section& listed : agreement::sections) {
    if (!agreement::is_chosen(listed, count, arguments)) continue;
    has_asked = true;
    all_ended = agreement::ask(listed) && all_ended;
  }
  if (!has_asked) std::fprintf(stderr, "%s: there is no such section\n", arguments[0]);
  return has_asked && all_ended ? 0 : 1;
}
