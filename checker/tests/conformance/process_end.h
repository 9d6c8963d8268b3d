// process_end.h: whether something ends its process by a signal, tried in a process of its own.
//
//     EXPECT(ends_process([] { *device_word() = 1; }));
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace conformance {

/// The rule must not have used CUDA before: a CUDA context does not survive a fork.
inline bool ends_process(void (*action)()) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(0);
    action();
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

}  // namespace conformance
