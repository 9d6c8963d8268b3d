#include "checking/check_limit.h"

#include <unistd.h>

#include <utility>

namespace checking {

check_limit::check_limit(std::chrono::milliseconds limit, std::function<int()> report)
    : clock_([this, end = std::chrono::steady_clock::now() + limit, report = std::move(report)] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_until(lock, end, [this] { return is_over_; })) return;
        _exit(report());
      }) {}

check_limit::~check_limit() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  clock_.join();
}

}  // namespace checking
