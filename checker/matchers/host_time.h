// host_time.h: matcher of the time that the host spends in calls, whatever the device does meanwhile.
//
//     EXPECT_THAT(run(), HostTimeInCalls().at_most(0.5, by_calls()));
#pragma once

#include <string>

#include "matchers/matcher.h"
#include "trace/recording.h"

namespace matchers {

/// The time that all calls of the part keep the host, without those in which it waits for the device or works.
trace::nanoseconds host_time_in_calls(const run_facts& run);

/// That time is at most `times` what the same work takes otherwise. Fails with too_slow, naming the line whose calls took longest.
/// On passing it says after how many launches the first graph has saved what it took to make and instantiate it.
struct HostTimeInCalls {
  /// Only in calls that allocate or free memory.
  HostTimeInCalls for_memory() const {
    HostTimeInCalls copy = *this;
    copy.counts_all_ = false;
    return copy;
  }
  /// `otherwise`: measured in the same call, longer than nothing; how sentences speak of it comes after it.
  matcher at_most(double times, trace::nanoseconds otherwise,
                  std::string otherwise_in_words = "with a call for each operation") const;

 private:
  bool counts_all_ = true;
};

}  // namespace matchers
