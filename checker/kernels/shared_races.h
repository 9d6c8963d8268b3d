// shared_races.h: accesses of the threads of a block to the same shared memory that nothing orders.
//
// A barrier of the block orders what all its threads did; an operation of a warp (__syncwarp, a shuffle, a vote) orders what its
// lanes did. Threads of a warp are in no step with each other without one. @see CUDA C++ Programming Guide, "Independent Thread
// Scheduling". A thread that fenced, compared and exchanged, exchanged, or polled since the last barrier may be ordered by what it
// saw: nothing is said about it. Of the reads of a place, the first and the last one of the last two warps are kept. Only for kernel_run.
//
//     races.note(thread, offset, 4, trace::access_mode::write, code, storage);
//     races.note_barrier();
//     for (const shared_race& race : races.take()) ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/memory.h"
#include "kernels/warp.h"
#include "trace/recording.h"

namespace kernels {

/// Two accesses to the same bytes of shared memory, one of them a write, by threads that nothing orders.
struct shared_race {
  /// One side.
  struct access {
    unsigned thread = 0;  ///< of the block
    trace::access_mode mode = trace::access_mode::read;
    address code = 0;
  };
  access first;
  access second;  ///< the one that came later here; on a GPU either may come first
  std::size_t bytes = 0;
};

/// The accesses to the shared memory of one block since its last barrier.
class shared_races {
 public:
  /// A block begins: whatever is known of another one is forgotten.
  void begin_block();
  /// Notes an access before it is made. `storage` is where the shared memory of the block begins.
  void note(unsigned thread, std::size_t offset, std::size_t bytes, trace::access_mode mode, address code,
            const unsigned char* storage);
  /// The short way of note() for a thread that reads all of a word which the block has used as a whole before, and none has written since
  /// the barrier: nearly all reads. False: note() has to.
  bool note_word_read(unsigned thread, std::size_t offset, address code) {
    const std::size_t index = offset / word_bytes;
    if (suspicion_.where != nullptr || offset % word_bytes != 0 || index >= words_.size()) return false;
    word& place = words_[index];
    const readers& last = place.read[0];
    const bool is_used = (place.interval >= first_interval_ && place.write.bytes == whole_word) ||
                         (last.interval >= first_interval_ && last.last.bytes == whole_word);
    if (!is_used || place.interval == interval_) return false;
    add_reader(place, meeting_of(thread / lanes), {code, thread, 0, whole_word});
    return true;
  }
  /// All threads of the block met.
  void note_barrier();
  /// These lanes of a warp met.
  void note_meeting(unsigned warp, lane_mask lanes);
  /// The thread may know of other threads by other means than a barrier.
  void note_synchronization(unsigned thread);
  /// One race for two places in the code, in either order, of two warps rather than of one, since the last call; at most `max_races`.
  std::vector<shared_race> take();

  static constexpr std::size_t max_races = 8;

 private:
  static constexpr std::size_t word_bytes = 4;
  static constexpr unsigned whole_word = 0b1111;
  static constexpr unsigned lanes = 32;

  struct packed_access {
    std::uint64_t code : 47, thread : 11, mode : 2, bytes : 4;  // bytes: of the word, bit by bit

    shared_race::access unpacked() const {
      return {static_cast<unsigned>(thread), static_cast<trace::access_mode>(mode),
              static_cast<address>(code)};
    }
  };
  /// The first and the last thread of one warp that read the bytes of a word, at one time of the warp.
  struct readers {
    std::uint32_t interval = 0;  // of the block; 0: none
    std::uint32_t meeting = 0;   // of the warp
    packed_access first, last;
  };
  struct word {
    std::uint32_t interval = 0;  // of the last write; 0: none
    std::uint32_t meeting = 0;
    packed_access write;
    std::array<readers, 2> read;  // the last warp that read it, and the one before
  };
  struct warp_order {
    std::uint32_t meetings = 0;
    /// [lane][other]: the last meeting after which the lane knows what the other one did.
    std::array<std::array<std::uint32_t, lanes>, lanes> knows{};
  };
  /// A race of two writes, unless the second changes nothing.
  struct suspicion {
    shared_race race;
    const unsigned char* where = nullptr;  // nullptr: none
    std::array<unsigned char, 16> before{};
  };

  std::uint32_t meeting_of(unsigned warp) const { return warp < warps_.size() ? warps_[warp].meetings : 0; }
  void add_reader(word& place, std::uint32_t meeting, packed_access access) const {
    readers& last = place.read[0];
    const bool is_same_warp = last.interval == interval_ && last.last.thread / lanes == access.thread / lanes;
    if (!is_same_warp) place.read[1] = last;
    const bool is_same_time = is_same_warp && last.meeting == meeting && last.last.bytes == access.bytes;
    last = {interval_, meeting, is_same_time ? last.first : access, access};
  }
  bool is_own(const word& place, const packed_access& read) const;
  bool is_ordered(unsigned earlier, std::uint32_t meeting, unsigned later) const;
  bool may_know(unsigned thread) const {
    return thread < synchronized_.size() && synchronized_[thread] == interval_;
  }
  void suspect(const shared_race& race, const unsigned char* where);
  void settle();
  void add(const shared_race& race);

  std::uint32_t interval_ = 1;
  std::uint32_t first_interval_ = 1;  // of this block
  std::vector<word> words_;
  std::vector<warp_order> warps_;            // empty as long as none met since the barrier
  std::vector<std::uint32_t> synchronized_;  // by thread: the interval
  suspicion suspicion_;
  std::vector<shared_race> races_;
};

}  // namespace kernels
