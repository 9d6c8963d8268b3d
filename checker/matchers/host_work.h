// host_work.h: matchers of what the host does while the device works.
//
//     EXPECT_THAT(run(), HostWorksWhile(copies()).in_calls(6).at_least(0.7));
//     EXPECT_THAT(run(), QueuesAllWorkBeforeWaiting());
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// The host works (host_work() of workload.h), and some of the operations are running for at least `fraction`
/// of that time, from 0 (exclusive) to 1. Fails with requirement_missed.
struct HostWorksWhile {
  explicit HostWorksWhile(operation_set operations);
  /// Passes only when the host worked that many times, and all of it is over when the part ends: done by the thread
  /// that began the run, or by one that it waits for.
  HostWorksWhile in_calls(std::size_t count) const;
  matcher at_least(double fraction) const;

 private:
  operation_set operations_;
  std::optional<std::size_t> calls_;
};

/// Copies, memsets or kernels are running for at least `fraction` (0 to 1) of the time in which the host works
/// (host_work() of workload.h). Fails with requirement_missed.
struct HostWorksWhileDeviceIsBusy {
  /// See HostWorksWhile.
  HostWorksWhileDeviceIsBusy in_calls(std::size_t count) const;
  matcher at_least(double fraction) const;

 private:
  std::optional<std::size_t> calls_;
};

/// The host works that many times, and all of it is over when the part ends. Fails with requirement_missed.
matcher HostWorks(std::size_t times);

/// No wait for the GPU (see waiting_calls.h) comes before the issue of a copy, memset or kernel: in the thread that
/// waits, or in another that goes on only after it. How often the host waits after that does not matter, nor what other
/// threads issue meanwhile. Fails with requirement_missed.
matcher QueuesAllWorkBeforeWaiting();

}  // namespace matchers
