#include "processes/outcome.h"

#include <sys/wait.h>

#include <cerrno>

#include "processes/process_tree.h"

namespace processes {

outcome outcome_of_failed_start(int error) {
  outcome failed;
  failed.start_error = error;
  failed.exit_status = 127;
  return failed;
}

outcome outcome_from(int wait_status, const rusage& usage) {
  outcome ended;
  if (WIFSIGNALED(wait_status)) ended.signal = WTERMSIG(wait_status);
  ended.exit_status = ended.signal != 0 ? 128 + ended.signal : WEXITSTATUS(wait_status);
  ended.cpu_time = std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  ended.resident_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return ended;
}

outcome wait_for(pid_t child) {
  int wait_status = 0;
  rusage usage{};
  pid_t ended = 0;
  while ((ended = wait4(child, &wait_status, 0, &usage)) < 0 && errno == EINTR) {
  }
  const int error = errno;
  forget_child(child);
  if (ended < 0) return outcome_of_failed_start(error);  // how it ended is not known
  return outcome_from(wait_status, usage);
}

}  // namespace processes
