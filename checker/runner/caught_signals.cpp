#include "runner/caught_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace runner {

caught_signals::caught_signals(std::initializer_list<int> which) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : which) sigaddset(&wanted, signal);
  sigprocmask(SIG_BLOCK, &wanted, &before_);
  descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

caught_signals::~caught_signals() {
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int caught_signals::take() const {
  signalfd_siginfo arrived{};
  return read(descriptor_, &arrived, sizeof arrived) == sizeof arrived ? static_cast<int>(arrived.ssi_signo)
                                                                       : 0;
}

}  // namespace runner
