// caught_signals.h: signals that arrive at a descriptor, to be waited for together with everything else.
//
//     const processes::caught_signals signals({SIGINT, SIGTERM, SIGHUP});
//     poll(... signals.descriptor() ...);
//     if (signals.take() == SIGINT) ...
#pragma once

#include <csignal>
#include <initializer_list>

namespace processes {

/// While it lives, these signals of the process arrive at a descriptor and nowhere else.
class caught_signals {
 public:
  explicit caught_signals(std::initializer_list<int> signals);
  ~caught_signals();
  caught_signals(const caught_signals&) = delete;
  caught_signals& operator=(const caught_signals&) = delete;

  /// Becomes readable when a signal has arrived.
  int descriptor() const { return descriptor_; }
  /// A signal that has arrived, or 0.
  int take() const;

 private:
  sigset_t mask_before_{};
  int descriptor_ = -1;
};

}  // namespace processes
