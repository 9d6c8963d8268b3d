#include "kernels/shared_races.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace kernels {
namespace {

bool conflict(trace::access_mode one, trace::access_mode other) {
  using enum trace::access_mode;
  if (one == atomic && other == atomic) return false;
  return one != read || other != read;
}

}  // namespace

void shared_races::begin_block() {
  note_barrier();
  first_interval_ = interval_;
}

void shared_races::note_barrier() {
  settle();
  ++interval_;
  warps_.clear();
}

void shared_races::note_meeting(unsigned warp, lane_mask met) {
  settle();
  if (warps_.size() <= warp) warps_.resize(warp + 1);
  warp_order& order = warps_[warp];
  ++order.meetings;
  std::array<std::uint32_t, lanes> common{};
  for_each_lane(met, [&](unsigned lane) {
    for (unsigned other = 0; other < lanes; ++other)
      common[other] = std::max(common[other], order.knows[lane][other]);
  });
  for_each_lane(met, [&](unsigned lane) { common[lane] = order.meetings; });
  for_each_lane(met, [&](unsigned lane) { order.knows[lane] = common; });
}

void shared_races::note_synchronization(unsigned thread) {
  if (synchronized_.size() <= thread) synchronized_.resize(thread + 1);
  synchronized_[thread] = interval_;
}

/// Whether the later thread knows what the earlier one did at that time of its warp, in this interval.
bool shared_races::is_ordered(unsigned earlier, std::uint32_t meeting, unsigned later) const {
  if (earlier == later || may_know(earlier) || may_know(later)) return true;
  const unsigned warp = earlier / lanes;
  return warp == later / lanes && warp < warps_.size() &&
         warps_[warp].knows[later % lanes][earlier % lanes] > meeting;
}

/// Whether the thread reads its own write, and has met no other since. Then that write stands for the read: who knows of one knows of
/// the other.
bool shared_races::is_own(const word& place, const packed_access& read) const {
  return place.interval == interval_ && place.write.thread == read.thread &&
         place.meeting == meeting_of(static_cast<unsigned>(read.thread) / lanes) &&
         static_cast<trace::access_mode>(place.write.mode) == trace::access_mode::write &&
         (read.bytes & ~place.write.bytes) == 0;
}

void shared_races::note(unsigned thread, std::size_t offset, std::size_t bytes, trace::access_mode mode,
                        address code, const unsigned char* storage) {
  if (suspicion_.where != nullptr) settle();
  const std::uint32_t meeting = meeting_of(thread / lanes);
  const std::size_t first = offset / word_bytes, end = (offset + bytes + word_bytes - 1) / word_bytes;
  if (words_.size() < end) words_.resize(std::max(end, 2 * words_.size()));
  bool is_known_race = false;
  for (std::size_t index = first; index < end; ++index) {
    word& place = words_[index];
    const std::size_t begins = index * word_bytes;
    const std::size_t from = std::max(offset, begins) - begins;
    const std::size_t to = std::min(offset + bytes, begins + word_bytes) - begins;
    const auto mask = ((1U << to) - 1) & ~((1U << from) - 1);
    const packed_access access{code, thread, static_cast<unsigned>(mode), mask};
    const auto compare = [&](const packed_access& packed, std::uint32_t then) {
      const shared_race::access earlier = packed.unpacked();
      if ((packed.bytes & mask) == 0 || is_known_race || !conflict(earlier.mode, mode) ||
          is_ordered(earlier.thread, then, thread))
        return;
      is_known_race = true;
      const shared_race race{earlier, access.unpacked(), bytes};
      const bool is_of_writes = mode == trace::access_mode::write && earlier.mode != trace::access_mode::read;
      is_of_writes ? suspect(race, storage + offset) : add(race);
    };
    if (place.interval == interval_) compare(place.write, place.meeting);
    if (mode != trace::access_mode::read) {
      for (const readers& read : place.read) {
        if (read.interval != interval_) continue;
        compare(read.first, read.meeting);
        compare(read.last, read.meeting);
      }
      place.interval = interval_;
      place.meeting = meeting;
      place.write = access;
    } else if (!is_own(place, access)) {
      add_reader(place, meeting, access);
    }
  }
}

void shared_races::suspect(const shared_race& race, const unsigned char* where) {
  if (race.bytes > suspicion_.before.size()) return add(race);
  suspicion_.race = race;
  suspicion_.where = where;
  std::memcpy(suspicion_.before.data(), where, race.bytes);
}

/// After the write that is under suspicion: two threads that write the same value do each other no harm. A read and
/// another thread's later write are a race also where the value stays, which is luck: all data may be 0.
void shared_races::settle() {
  const unsigned char* const where = std::exchange(suspicion_.where, nullptr);
  if (where != nullptr && std::memcmp(where, suspicion_.before.data(), suspicion_.race.bytes) != 0)
    add(suspicion_.race);
}

void shared_races::add(const shared_race& race) {
  const auto is_of_one_warp = [](const shared_race& one) {
    return one.first.thread / lanes == one.second.thread / lanes;
  };
  const auto places = std::minmax(race.first.code, race.second.code);
  const auto known = std::find_if(races_.begin(), races_.end(), [&](const shared_race& one) {
    return std::minmax(one.first.code, one.second.code) == places;
  });
  if (known == races_.end()) {
    if (races_.size() < max_races) races_.push_back(race);
  } else if (is_of_one_warp(*known) && !is_of_one_warp(race)) {
    *known = race;  // a barrier of the block orders both
  }
}

std::vector<shared_race> shared_races::take() {
  settle();
  return std::exchange(races_, {});
}

}  // namespace kernels
