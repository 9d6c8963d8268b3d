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

/// A lock behind which a call comes that another thread let come late.
struct late_call {
  std::string lock;                ///< as "the mutex `m` (a.cu:15), which host thread 2 holds while ..."
  std::vector<std::string> lines;  ///< of the lock that the other holds and that of the call
};

/// Of the first call of a thread, before which the other passed something on to it: the mutex that the learner's code locks above the
/// call, and above the longest call that the other had made by then. Nothing when there is none.
std::optional<late_call> lock_before_first_call(const run_facts& run, const trace::host_call& first,
                                                trace::thread_id other);

}  // namespace matchers
