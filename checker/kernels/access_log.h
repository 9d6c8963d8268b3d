// access_log.h: the accessed bytes of one kernel (kernel_log), and of host statements between two calls
// (host_log).
//
// Both are called by the instrumentation's hooks, so recording an access must take a few nanoseconds: a kernel
// sets bits in a bitmap per page, a host statement extends a run per place in the code. Not here: the hooks (instrumentation.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device/kernel_cost.h"
#include "kernels/call_paths.h"
#include "kernels/memory.h"
#include "kernels/process_copy.h"
#include "trace/recording.h"

namespace kernels {

/// Words of a bitmap with a bit for each byte of a page.
inline constexpr std::size_t words_per_page = memory::page_bytes / 64;

/// Where memory lies, relative to the device of a kernel.
enum class memory_place : std::uint8_t { own, host, peer };

/// The accesses of a kernel in one page of a block: a bit per byte and access mode. Pages are counted from the
/// block's begin. Only the words for bytes of the block are initialized, so that small blocks cost little.
struct touched_page {
  address begin = 0;      ///< as the kernel has it
  address home = 0;       ///< where the bytes are: another address for variables of other devices than 0
  address valid_end = 0;  ///< behind the last byte that belongs to the block
  trace::allocation_id allocation = 0;  ///< of the block
  memory_place place = memory_place::own;
  bool is_constant = false;             ///< of a __constant__ variable
  bool is_private = true;  ///< what a copy of the process writes there is not seen by the process
  std::array<std::array<std::uint64_t, words_per_page>, 3> bits;  ///< by trace::access_mode
  std::vector<unsigned char> before;  ///< content before the first write; empty: not written
  /// Number of initialized words of a bitmap.
  std::size_t words() const { return (valid_end - begin + 63) / 64; }
};

/// Writes of a kernel that has run and has not ended in virtual time.
struct pending_writes {
  /// The written bytes of one page.
  struct page {
    address begin = 0;                 ///< of the page
    std::vector<unsigned char> bytes;  ///< of the whole page, after the kernel
    std::vector<std::uint64_t> mask;   ///< a bit per written byte
  };
  std::vector<page> pages;  ///< each page once
  /// Makes the writes visible in memory.
  void publish() const;
};

/// The bytes that one kernel reads and writes.
class kernel_log {
 public:
  explicit kernel_log(const memory& where) : memory_(where) {}

  /// Notes an access of 1 to 64 bytes to the arena or to registered memory. False when no block that a kernel
  /// may use now holds all of it: a memory fault.
  bool note(address where, std::size_t bytes, trace::access_mode mode) {
    const address page_number = where / memory::page_bytes;
    const recent_page& recent = recent_[index_of(page_number)];
    touched_page* page = recent.number == page_number ? recent.page : select(where);
    if (page == nullptr || where < page->begin || where + bytes > page->valid_end) {
      page = select(where);  // two registered ranges may share a page
      if (page == nullptr) return false;
      if (where + bytes > page->valid_end) return note_across(*page, where, bytes, mode);
    }
    if (mode != trace::access_mode::read && page->before.empty() && !keep_content(*page)) return false;
    auto& bits = page->bits[static_cast<std::size_t>(mode)];
    const std::size_t offset = where - page->begin;
    const std::uint64_t mask = (bytes >= 64 ? ~0ULL : (1ULL << bytes) - 1);
    bits[offset / 64] |= mask << (offset % 64);
    if (offset % 64 + bytes > 64) bits[offset / 64 + 1] |= mask >> (64 - offset % 64);
    // Pages of registered memory, which may have two owners, have no short way.
    const std::size_t valid = memory::is_in_arena(page->begin) ? page->valid_end - page->begin : 0;
    known_[static_cast<std::size_t>(mode)][index_of(page_number)] = {page->begin, valid / 16 * 16,
                                                                     bits.data(), valid};
    return true;
  }
  /// Fast path of note() for an address that is a multiple of `bytes`. Also false for accesses that need note(), such as the first
  /// write to a page.
  template <std::size_t bytes>
  bool note_aligned(address where, trace::access_mode mode) {
    static_assert(bytes <= 16 && (bytes & (bytes - 1)) == 0);
    const known_page& page = known_[static_cast<std::size_t>(mode)][index_of(where / memory::page_bytes)];
    const std::size_t offset = where - page.begin;
    const bool is_at_end = offset >= page.bytes;
    if (is_at_end && (offset >= page.valid || page.valid - offset < bytes)) return false;
    const std::uint64_t mask = ((1ULL << bytes) - 1) << (offset % 64);
    // Where a loop comes again, a read is all: a store would make the next access wait for it.
    if (std::uint64_t& word = page.bits[offset / 64]; (word & mask) != mask) word |= mask;
    return true;
  }
  /// note() for a range of any length.
  bool note_range(address where, std::size_t bytes, trace::access_mode mode);
  /// True for addresses of the arena and of registered memory.
  bool is_concerned(address where) const {
    return memory::is_in_arena(where) || memory_.is_registered(where);
  }

  /// The block of the arena that holds that address, live or freed; nullptr: none.
  const memory_block* find_block(address where) const { return memory_.find_in_arena(where); }
  /// The one that begins last before it.
  const memory_block* block_before(address where) const { return memory_.last_before(where); }
  /// The allocation that begins next behind the address, if it is the first of all; else nullptr.
  const memory_block* first_block_behind(address where) const {
    return where < memory::arena_begin ? memory_.first_behind(where) : nullptr;
  }

  /// Allows device memory of these devices only (a bit each; default: all). Memory of a pool is allowed where it
  /// is open to the kernel's own device.
  void restrict_to(std::uint64_t devices, std::uint32_t own) {
    devices_ = devices;
    own_ = own;
  }
  /// True when restrict_to() allows it.
  bool may_touch(const memory_block& block) const {
    if (block.kind != trace::memory_kind::device) return true;
    return ((block.pool != 0 ? block.open_to >> own_ : devices_ >> block.device) & 1) != 0;
  }

  /// Calls visit(allocation, first address) for each page that was touched, in any order. Before harvest().
  template <typename Visit>
  void each_page(Visit visit) const {
    for (const auto& [begin, page] : pages_) visit(page->allocation, begin);
  }
  /// These bytes of host memory are a flag for which a thread waits: harvest() does not name its reads, before and later.
  void forget_reads_of_flag(address where, std::size_t bytes);
  /// Whether what a copy of the process writes to the pages so far is not seen by the process.
  bool is_private() const;
  /// A number for the bytes that were written, as they are now: another one for others.
  std::uint64_t digest_of_writes() const;
  /// Undoes the writes (not atomic ones) in memory, so that readers get the old bytes until publish().
  pending_writes withdraw_writes();
  /// Returns and clears the accesses, one entry per allocation and mode.
  std::vector<trace::access> harvest();
  /// For the time model. Before harvest().
  device::memory_traffic traffic() const;

  /// Keeps the accesses from now on apart from those before. No other function until join_parts(), but note functions and
  /// those for parts.
  void begin_part();
  /// Adds the accesses since begin_part() to those before.
  void join_parts();
  /// Hands out the accesses of the part, with the bytes that were written.
  void store_part(process_copy::output& out) const;
  /// Adds a part that a copy of the process has stored, and makes its writes: as if they followed those of this part.
  /// False, and nothing is done, when it read what this part has written since the copy began.
  bool append_part(process_copy::input stored);

 private:
  using pages = std::unordered_map<address, std::unique_ptr<touched_page>>;  // by first address of the page
  struct stored_page;
  touched_page* select(address where);
  bool note_across(const touched_page& first, address where, std::size_t bytes, trace::access_mode mode);
  std::uint64_t devices_ = ~std::uint64_t{0};
  std::uint32_t own_ = 0;
  /// Keeps what is there before the first write. False where kernels only read.
  static bool keep_content(touched_page& page);

  static std::size_t index_of(address page_number) { return page_number * 0x9E3779B97F4A7C15ULL >> 58; }
  void forget_pages();

  const memory& memory_;
  /// A page that was accessed in one mode before.
  struct known_page {
    address begin = 0;
    std::size_t bytes = 0;  // where an aligned access of any size is all within the block; 0: none
    std::uint64_t* bits = nullptr;
    std::size_t valid = 0;  // that belong to the block
  };
  std::array<std::array<known_page, 64>, 3> known_{};  // by mode, and by a hash of the page's number
  struct recent_page {
    address number = 0;
    touched_page* page = nullptr;
  };
  std::array<recent_page, 64> recent_{};  // by a hash of the page's number
  pages pages_;
  pages earlier_pages_;  // of before begin_part()
  std::vector<std::pair<address, std::size_t>> flags_;  // whose reads are not named, with their bytes
};

/// The bytes that host code reads and writes between two calls of the API, by place in the code.
class host_log {
 public:
  host_log(const memory& where, call_paths& paths) : memory_(where), paths_(paths) {}

  /// Notes an access to the arena, or to a registered or used pageable range; false for others.
  bool note(address code, address where, std::size_t bytes, trace::access_mode mode);
  /// Short way of note() for code that accessed the same block lately, where that is pinned memory. False: note() has to.
  bool note_again(address code, address where, std::size_t bytes, trace::access_mode mode) {
    const std::size_t recent = recent_[hash(code, mode) >> 60];
    if (recent >= sites_.size()) return false;
    site& likely = sites_[recent];
    if (!likely.is_of(code, where, mode) || likely.block->kind != trace::memory_kind::pinned) return false;
    extend(likely, where - likely.block->begin, bytes);
    return true;
  }
  /// The thread compares these bytes with `expected` and exchanges them. A read that found that value before, and the same code no
  /// other since the last flush, was the first part of this update: it is not noted by itself.
  void join_update(address where, std::size_t bytes, const void* expected);
  /// The accesses since the last flush, in order of first access, each with the calls around its first.
  void flush(trace::thread_id thread, trace::call_id after, std::vector<trace::host_access>& out);

 private:
  struct site {
    address code = 0;
    trace::location first{};
    trace::access_mode mode = trace::access_mode::read;
    const memory_block* block = nullptr;
    std::uint64_t first_value = 0;        // of a first read of eight bytes or less
    bool is_single = false;               // that was the only access
    trace::byte_run run{0, 0, 0, 0};      // the run that is growing; count 0: none
    std::vector<trace::byte_run> closed;  // the latest of the others
    trace::byte_set gathered;             // and all before them
    bool is_of(address from, address where, trace::access_mode in) const {
      return code == from && mode == in && where >= block->begin && where < block->end() && !block->is_freed;
    }
  };
  static std::uint64_t hash(address code, trace::access_mode mode) {
    return (code * 4 + static_cast<std::uint64_t>(mode)) * 0x9E3779B97F4A7C15ULL;
  }
  static void extend(site& place, std::uint64_t offset, std::uint64_t bytes) {
    trace::byte_run& run = place.run;
    place.is_single = run.count == 0;
    if (run.count > 1 && bytes == run.length && offset == run.offset + run.stride * run.count) {
      ++run.count;
    } else if (run.count == 1 && offset == run.offset + run.length) {
      run.length += bytes;
      run.stride = run.length;
    } else if (run.count != 1 || offset < run.offset || offset + bytes > run.offset + run.length) {
      begin_run(place, offset, bytes);
    }
  }
  static void begin_run(site& place, std::uint64_t offset, std::uint64_t bytes);
  static void gather(site& place);

  const memory& memory_;
  call_paths& paths_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // of sites_, by code, mode and block
  std::vector<site> sites_;
  std::array<std::size_t, 16> recent_{};  // indices of sites_ that were used lately, by a hash of the place
};

}  // namespace kernels
