// thread_pause.h: for whom a host thread waited while it made no call.
//
//     const auto found = longest_wait_for_thread(run, thread, pause);   // found->sentence, found->lines
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matchers/facts/intervals.h"
#include "matchers/facts/run_facts.h"

namespace matchers {

/// A time in which a thread was neither in a call nor worked, because another did not let it go on.
struct thread_pause {
  trace::nanoseconds length{0};
  std::string sentence;
  std::vector<std::string>
      lines;  ///< of the lock that the other held and that of the waiting one, where they are known
};

/// The longest of that thread in the time, ended by what another thread passed on: a mutex, a condition variable. Where the learner's
/// lines on both sides stand behind locks of the same mutex, the mutex and its lines. Nothing when there is none.
std::optional<thread_pause> longest_wait_for_thread(const run_facts& run, trace::thread_id thread,
                                                    interval time);

}  // namespace matchers
