// printf.cu: what kernels print appears when the host synchronizes.
#include <fcntl.h>

#include <string>
#include <thread>

#include "conformance/gate.h"

using namespace conformance;

namespace {

__global__ void say(int number) { printf("kernel %d\n", number); }

__global__ void print_many_kinds(int* counted) {
  counted[0] = printf("%d|%5.2f|%s|%c|%x|%lld|%%\n", -3, 2.5, "text", 'c', 255u, 1ll << 40);
  counted[1] = printf("plain\n");
}

__global__ void say_who() { printf("thread %d\n", static_cast<int>(threadIdx.x)); }

/// Standard output goes to a file meanwhile.
class captured_output {
 public:
  captured_output() : file_(std::tmpfile()), before_(dup(1)) {
    std::fflush(stdout);
    dup2(fileno(file_), 1);
  }
  captured_output(const captured_output&) = delete;
  captured_output& operator=(const captured_output&) = delete;
  /// What was written so far.
  std::string text() const {
    std::fflush(stdout);
    std::string all(4096, '\0');
    all.resize(static_cast<std::size_t>(pread(fileno(file_), all.data(), all.size(), 0)));
    return all;
  }
  ~captured_output() {
    std::fflush(stdout);
    dup2(before_, 1);
    std::fclose(file_);
  }

 private:
  std::FILE* file_;
  int before_;
};

void expect_text(const std::string& result, const std::string& expected) {
  EXPECT_EQUAL(result.size(), expected.size());
  EXPECT(result == expected);
}

}  // namespace

RULE(C6, "output of a kernel appears at a synchronization, in the order of the kernels",
     programming_guide("C++ language extensions", "formatted output")) {
  std::string before;
  std::string after;
  {
    captured_output output;
    volatile int* const word = shared_word();
    say<<<1, 1>>>(1);
    store<<<1, 1>>>(word, 1);
    while (*word == 0) {
    }
    std::printf("host\n");
    before = output.text();
    say<<<1, 1>>>(2);
    CHECK(cudaDeviceSynchronize());
    after = output.text();
  }
  expect_text(before, "host\n");
  expect_text(after, "host\nkernel 1\nkernel 2\n");
}

RULE(C6, "a synchronization shows the output also when another thread makes streams meanwhile",
     programming_guide("C++ language extensions", "formatted output")) {
  std::string after;
  {
    captured_output output;
    volatile int* const word = shared_word();
    std::thread other([word] {
      while (*word == 0) {
      }
      for (int i = 0; i < 8; ++i) non_blocking_stream();
    });
    say<<<1, 1>>>(1);
    store<<<1, 1>>>(word, 1);
    store_late<<<1, 1>>>(word, 2, late_cycles);
    CHECK(cudaStreamSynchronize(nullptr));
    after = output.text();
    other.join();
  }
  expect_text(after, "kernel 1\n");
}

RULE(C6, "printf gives the number of arguments, and knows the formats of C",
     programming_guide("C++ language extensions", "formatted output")) {
  std::string result;
  int counted[2] = {};
  {
    captured_output output;
    int* const device = reinterpret_cast<int*>(untyped(device_word()));
    int* pair = nullptr;
    CHECK(cudaMalloc(&pair, sizeof counted));
    print_many_kinds<<<1, 1>>>(pair);
    CHECK(cudaMemcpy(counted, pair, sizeof counted, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    result = output.text();
  }
  expect_text(result, "-3| 2.50|text|c|ff|1099511627776|%\nplain\n");
  EXPECT_EQUAL(counted[0], 6);
  EXPECT_EQUAL(counted[1], 0);
}

RULE(C6, "every thread prints its line", programming_guide("C++ language extensions", "formatted output")) {
  std::string result;
  {
    captured_output output;
    say_who<<<1, 64>>>();
    CHECK(cudaStreamSynchronize(nullptr));
    result = output.text();
  }
  for (int t = 0; t < 64; ++t) EXPECT(result.find("thread " + std::to_string(t) + "\n") != std::string::npos);
}
