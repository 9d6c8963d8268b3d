// async_copies.h: the copies that a thread of a kernel has asked for and has not waited for.
//
// They are made when the thread waits: who reads the destination earlier gets what was there before, as may happen on a
// GPU. @see PTX ISA, "cp.async", "cp.async.commit_group", "cp.async.wait_group"
//
//     copies.add({to, from, 16});
//     copies.commit();
//     for (const async_copy& copy : copies.take_all_but(0)) make(copy);
#pragma once

#include <cstddef>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "kernels/memory.h"

namespace kernels {

/// Bytes to move.
struct async_copy {
  void* to;
  const void* from;
  std::size_t bytes;  ///< written, the last `zero_bytes` of them as zeros
  std::size_t zero_bytes;
  std::size_t alignment;  ///< of both addresses
  address code;           ///< where it was asked for
};

/// Those of one thread, in batches.
class async_copies {
 public:
  /// Adds a copy to the open batch.
  void add(const async_copy& copy) { open_.push_back(copy); }
  /// Takes the copies of the open batch.
  std::vector<async_copy> take_open() { return std::exchange(open_, {}); }
  /// Ends the open batch, which may be empty, and begins the next.
  void commit() { batches_.push_back(std::exchange(open_, {})); }
  /// Takes the copies of all ended batches but the latest `left`, in the order in which they were added.
  std::vector<async_copy> take_all_but(std::size_t left) {
    std::vector<async_copy> taken;
    for (; batches_.size() > left; batches_.pop_front()) {
      std::move(batches_.front().begin(), batches_.front().end(), std::back_inserter(taken));
    }
    return taken;
  }

 private:
  std::vector<async_copy> open_;
  std::deque<std::vector<async_copy>> batches_;
};

}  // namespace kernels
