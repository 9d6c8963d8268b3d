// fatal_signals.cpp: a program that is ended by a signal still says where its threads stood.
//
// Not here: a program that was started alone, and threads of the system that are none of the program's: what the signal
// does by itself has to do there.
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "cuda_runtime/runtime.h"
#include "kernels/crash.h"
#include "kernels/exported.h"
#include "trace/run_control.h"

namespace {

using cuda_runtime::host_thread;
using cuda_runtime::host_threads;
using cuda_runtime::runtime;

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};
/// Of real time, for the last words: much, because the machine may be busy. The signal may have come while a lock was held
/// that they need.
constexpr unsigned max_seconds = 10;
constexpr std::size_t stack_bytes = std::size_t{1} << 20;  // writing out a recording needs some 100 KiB

volatile sig_atomic_t ends_by = 0;

void end_by(int number) {
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
}

void give_up(int) { end_by(ends_by); }

/// What is known of the address that host code used and that is no memory; "" for other signals, and where the system does not say it.
std::string sentence_of_address(const runtime& run, int number, const siginfo_t* info) {
  const bool is_known = number == SIGSEGV && (info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR);
  return is_known ? run.sentence_of_refused_access(kernels::address_of(info->si_addr)) : "";
}

void say_last_words(int number, siginfo_t* info, void*) {
  if (number == SIGXCPU && ends_by == SIGXCPU)
    return;  // it comes again for each second that the last words take
  runtime* const run = runtime::if_begun();
  if (run == nullptr || trace::current_run_control() == nullptr || ends_by != 0) return end_by(number);
  const host_thread* const running = run->threads().running();
  if (running == nullptr) return end_by(number);
  // The limit of CPU time may be told to a thread that waits.
  if (number == SIGXCPU && running != host_threads::self()) {
    syscall(SYS_tgkill, getpid(), running->system_id, number);
    return;
  }
  if (running != host_threads::self()) return end_by(number);
  ends_by = number;
  signal(SIGALRM, give_up);
  alarm(max_seconds);
  run->fatal(number == SIGXCPU ? "cpu_time_limit" : "signal " + std::to_string(number),
             sentence_of_address(*run, number, info));
}

// Without a stack of its own the signal of a stack that is full could not be handled.
__attribute__((constructor)) void catch_signals() {
  if (trace::current_run_control() == nullptr) return;
  void* const stack =
      mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack != MAP_FAILED) {
    const stack_t own{stack, 0, stack_bytes};
    sigaltstack(&own, nullptr);
  }
  kernels::keep_for_host_code(say_last_words);
  struct sigaction action {};
  action.sa_sigaction = say_last_words;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int number : signals) sigaction(number, &action, nullptr);
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// Preset `sanitize`. In a sandbox programs have no ASAN_OPTIONS. The library comes before the sanitizer's, and the signals are ours.
extern "C" EXPORTED const char* __asan_default_options() {
  return "verify_asan_link_order=0:detect_leaks=0:detect_stack_use_after_return=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:"
         "handle_abort=0";
}
#endif
