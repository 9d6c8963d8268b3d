// check_limit.h: the limit on a whole check, which ends the process whatever it is doing.
//
//     const checking::check_limit limit(120s, [&] { ... write the record; });
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace checking {

/// While it lives, the limit counts.
class check_limit {
 public:
  /// At the limit calls `report` in a thread of its own, and ends the process with the status that it returns.
  check_limit(std::chrono::milliseconds limit, std::function<int()> report);
  ~check_limit();
  check_limit(const check_limit&) = delete;
  check_limit& operator=(const check_limit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread clock_;
};

}  // namespace checking
