#include "kernels/crash.h"

#include <signal.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "include/driver_types.h"
#include "kernels/exported.h"
#include "kernels/kernel_run.h"

namespace kernels {
namespace {

void (*handler_of_host_code)(int, siginfo_t*, void*) = nullptr;

constexpr int crashes[] = {SIGSEGV, SIGBUS};

[[noreturn]] void stop_at(kernel_run& kernel, address code, const char* deed) {
  kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::out_of_bounds,
               kernel.running_thread_in_words() + " " + deed, code});
}

void on_crash(int signal, siginfo_t* info, void* context) {
  kernel_run* const kernel = kernel_run::current();
  const auto code = static_cast<address>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  // Only code of the program may be left in the middle: a function of a library could hold a lock.
  if (kernel == nullptr || fiber::current() == nullptr || !kernel_run::is_of_program(code)) {
    if (handler_of_host_code != nullptr) return handler_of_host_code(signal, info, context);
    ::signal(signal, SIG_DFL);  // the instruction runs once more, and ends the process
    return;
  }
  const address where = address_of(info->si_addr);
  stop_at(
      *kernel, code + 1,
      fiber::current()->is_just_below(where)
          ? "used more stack than a thread has: too deep a recursion, or an index before a local array"
          : "used an address that is no memory: an index beyond a local array, or a pointer that was never set");
}

}  // namespace

void keep_for_host_code(void (*handler)(int, siginfo_t*, void*)) { handler_of_host_code = handler; }

void catch_crashes() {
  thread_local bool is_caught = false;
  if (is_caught) return;
  is_caught = true;
  static constexpr std::size_t stack_bytes = 64 << 10;
  thread_local unsigned char stack[stack_bytes];
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = stack_bytes;
  stack_t current{};
  if (sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) != 0) sigaltstack(&own, nullptr);
  for (const int signal : crashes) {
    struct sigaction known {};
    if (sigaction(signal, nullptr, &known) != 0) continue;
    const bool is_known = (known.sa_flags & SA_SIGINFO) != 0
                              ? handler_of_host_code != nullptr && known.sa_sigaction == handler_of_host_code
                              : known.sa_handler == SIG_DFL;
    if (!is_known) continue;
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the handler may leave without returning
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace kernels

/// What a function calls whose stack guard has changed.
extern "C" [[noreturn]] EXPORTED void __stack_chk_fail() {
  using kernels::kernel_run;
  if (kernel_run* const kernel = kernel_run::current()) {
    kernels::stop_at(*kernel, kernels::address_of(__builtin_return_address(0)),
                     "wrote beyond the end of a local array");
  }
  std::fprintf(stderr, "*** stack smashing detected ***: terminated\n");
  std::abort();
}
