#include "processes/caught_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace processes {

caught_signals::caught_signals(std::initializer_list<int> signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : signals) sigaddset(&mask, signal);
  sigprocmask(SIG_BLOCK, &mask, &mask_before_);
  descriptor_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

caught_signals::~caught_signals() {
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

int caught_signals::take() const {
  signalfd_siginfo arrived{};
  const bool is_one = read(descriptor_, &arrived, sizeof arrived) == sizeof arrived;
  return is_one ? static_cast<int>(arrived.ssi_signo) : 0;
}

}  // namespace processes
