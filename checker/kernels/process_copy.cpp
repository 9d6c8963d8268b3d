#include "kernels/process_copy.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace kernels {

bool process_copy::is_copy_ = false;
process_copy::shared_part* process_copy::result_of_copy_ = nullptr;

/// Memory of both processes.
struct process_copy::shared_part {
  std::atomic<std::size_t> bytes;      // of the result; 0: the copy has not come to its end
  std::atomic<const char*> why_ended;  // the literal is at the same address in both
  unsigned char* begin() { return reinterpret_cast<unsigned char*>(this + 1); }
  unsigned char* end() { return reinterpret_cast<unsigned char*>(this) + max_bytes; }
};

void process_copy::output::put_bytes(const void* bytes, std::size_t count) {
  if (padded(count) > static_cast<std::size_t>(end_ - next_)) end("a copy has touched too much memory");
  std::memcpy(next_, bytes, count);
  next_ += padded(count);
}

void process_copy::end() { _exit(1); }

void process_copy::end(const char* why) {
  result_of_copy_->why_ended = why;
  end();
}

/// The copy is not the program: it has none of its handlers, and ends with it.
void process_copy::prepare_copy(pid_t original, std::chrono::microseconds limit) {
  is_copy_ = true;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != original) end();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  std::atexit(end);  // before the program's own functions for its end
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  constexpr std::chrono::seconds second{1};
  const itimerval timer{{}, {limit / second, limit % second / std::chrono::microseconds{1}}};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

process_copy::output process_copy::output_of_copy() {
  return {result_of_copy_->begin(), result_of_copy_->end()};
}

void process_copy::finish(const output& out) {
  result_of_copy_->bytes = static_cast<std::size_t>(out.next_ - result_of_copy_->begin());
  end();
}

process_copy::process_copy(std::chrono::microseconds limit) { begin(limit); }

process_copy::process_copy(const std::function<void(output&)>& work, std::chrono::microseconds limit) {
  if (!begin(limit)) return;
  output out = output_of_copy();
  try {
    work(out);
  } catch (...) {
    end();
  }
  finish(out);
}

/// True in the copy.
bool process_copy::begin(std::chrono::microseconds limit) {
  // A handler of the program for the ends of its children would be told of this one.
  struct sigaction at_end_of_child {};
  if (sigaction(SIGCHLD, nullptr, &at_end_of_child) != 0 || at_end_of_child.sa_handler != SIG_DFL)
    return false;
  void* const got =
      mmap(nullptr, max_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return false;
  shared_ = static_cast<shared_part*>(got);
  const pid_t original = getpid();
  copy_ = fork();
  if (copy_ != 0) return false;
  result_of_copy_ = shared_;
  prepare_copy(original, limit);
  return true;
}

process_copy::~process_copy() {
  if (copy_ > 0) kill(copy_, SIGKILL);
  wait();
  if (shared_ != nullptr) munmap(shared_, max_bytes);
}

void process_copy::wait() {
  while (copy_ > 0 && waitpid(copy_, nullptr, 0) < 0 && errno == EINTR) {
  }
  copy_ = -1;
}

std::optional<process_copy::input> process_copy::result() {
  wait();
  if (shared_ == nullptr || shared_->bytes == 0) return std::nullopt;
  return input(shared_->begin(), shared_->bytes);
}

const char* process_copy::why_ended() const {
  if (shared_ == nullptr)
    return "there can be no copy: the program handles the ends of its children, or the system gives none";
  const char* const why = shared_->why_ended;
  return why != nullptr ? why : "a copy took much longer, or ended the program";
}

}  // namespace kernels
