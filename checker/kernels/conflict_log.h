// conflict_log.h: plain memory of the host that two parties touch (threads, host functions), one of them writing.
//
// Keeps, for each byte, who touched it last, and notes the pairs that its order does not put in order. What the
// device's work put in order is not known here: that is found in the recording. Memory that operations use is
// not the concern of this log, but of host_log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/memory.h"
#include "trace/recording.h"

namespace kernels {

/// How host code touches plain memory.
enum class touch_kind : std::uint8_t { atomic_read, read, atomic_write, write };

/// Where a party is while nothing that it does orders it with others.
struct host_position {
  std::uint64_t party = 0;     ///< a thread, a stream's host functions, or one host function of a graph
  std::uint64_t progress = 0;  ///< ascending for one party
  trace::operation_id host_function = 0;  ///< 0: the thread's own code
  trace::thread_id thread = 0;
  trace::call_id after = 0;  ///< the last call of the thread
  std::uint32_t step = 0;    ///< of the thread: see trace::host_edge
};

/// The pairs of touches that conflict, and the memory that tells.
class conflict_log {
 public:
  /// One side of a conflict.
  struct touch {
    std::uint32_t position = 0;  ///< index for position()
    std::uint32_t code = 0;      ///< return address
    touch_kind kind = touch_kind::read;
  };
  /// Two touches of the same bytes that are not in order as far as is known here.
  struct conflict {
    touch older;
    touch newer;
    address begin = 0;
    std::size_t bytes = 0;
  };
  /// Of a pair of places in the code and two threads no more are kept than that; with host functions, all are.
  static constexpr std::size_t max_conflicts_of_two_places = 256;

  /// `is_over(position)`: whether the party that touches memory now is known to come after that.
  explicit conflict_log(std::function<bool(const host_position&)> is_over) : is_over_(std::move(is_over)) {}

  /// What follows is done there.
  void move_to(const host_position& position);
  /// The party at that position touches memory.
  void note(address code, address where, std::size_t bytes, touch_kind kind);
  /// The memory is no longer what it was: freed, or a stack on which something else begins.
  void forget(address begin, std::size_t bytes);

  const host_position& position(const touch& side) const { return positions_[side.position]; }
  /// In the order in which they were found.
  const std::vector<conflict>& conflicts() const { return conflicts_; }

 private:
  static constexpr std::size_t page_bytes = 4096;

  /// A touch of some of eight bytes: its index in touches_ (0: none), and a bit a byte.
  struct entry {
    std::uint64_t index : 56 = 0;
    std::uint64_t mask : 8 = 0;
    bool holds(entry other) const { return index == other.index && (other.mask & ~mask) == 0; }
  };
  /// The last touches of eight bytes, or of a page: up to two, or (mask 0) a list, by its index in lists_.
  struct cell {
    entry first;
    entry second;
    bool has_list() const { return first.mask == 0 && first.index != 0; }
  };
  using page_cells = std::array<cell, page_bytes / 8>;
  /// Large copies touch whole pages: one cell will do until a part of the page is touched.
  struct page {
    cell whole;
    std::unique_ptr<page_cells> cells;  // if any, instead of `whole`
  };

  std::uint64_t index_of(const touch& noted);
  page& page_of(address where);
  page_cells& cells_of(page& divided);
  std::uint64_t new_list();
  void release_list(const cell& released);
  void note_page(page& touched, entry newer, address begin);
  void note_part(page& touched, entry newer, address begin, address end);
  void add(cell& into, entry newer, address begin, std::size_t cell_bytes);
  void compare(const touch& older, const touch& newer, address begin, std::size_t bytes);

  std::function<bool(const host_position&)> is_over_;
  std::vector<host_position> positions_;
  std::vector<touch> touches_{1};
  std::array<std::uint64_t, 64> recent_touches_{};                    // by a hash, of the current position
  std::unordered_map<std::uint64_t, std::uint64_t> current_touches_;  // of the current position
  std::map<address, std::unique_ptr<page>> pages_;                    // by number
  struct recent_page {
    address number = ~address{0};
    page* found = nullptr;
  };
  std::array<recent_page, 64> recent_pages_{};
  std::vector<std::vector<entry>> lists_{1};
  std::vector<std::uint64_t> free_lists_;
  std::vector<entry> kept_;  // scratch of add()
  std::vector<conflict> conflicts_;
  std::map<std::array<std::uint32_t, 4>, std::size_t> known_;  // index of conflicts_, by positions and places
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> of_two_places_;
  bool is_busy_ = false;  // its own memory is freed
};

}  // namespace kernels
