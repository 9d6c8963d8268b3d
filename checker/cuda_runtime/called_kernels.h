// called_kernels.h: kernels that were called and wait for the launch that follows: k<<<grid, block>>>(x) becomes
// k(x), launch(grid, block).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "cuda_runtime/host_threads.h"
#include "kernels/kernel_launch.h"

namespace cuda_runtime {

/// A kernel that was called, and from where.
struct kernel_call {
  kernels::kernel_image image;
  trace::location where;
};

/// By thread.
class called_kernels {
 public:
  /// The calling thread called a kernel.
  void add(const kernel_call& call) {
    const host_thread* const thread = host_threads::self();
    pending_[thread != nullptr ? thread->id : 0].push_back(call);
  }
  /// The latest of the calling thread; nothing when what is launched is no kernel. A launch's configuration may launch
  /// too, so there may be several.
  std::optional<kernels::kernel_image> take() {
    std::vector<kernel_call>& pending = pending_[host_threads::self()->id];
    if (pending.empty()) return std::nullopt;
    const kernels::kernel_image taken = pending.back().image;
    pending.pop_back();
    return taken;
  }
  /// Those that were never launched, by thread.
  const std::map<trace::thread_id, std::vector<kernel_call>>& pending() const { return pending_; }

 private:
  std::map<trace::thread_id, std::vector<kernel_call>> pending_;
};

}  // namespace cuda_runtime
