// memory.h: the memory blocks that the virtual GPU allocates or knows, by kind.
//
// Device, pinned and managed memory come from one reserved range of addresses (the arena), so that one
// comparison tells whether an address is of interest. Addresses are never reused, so that use after free is
// detected. Registered memory and pageable memory that operations use are ranges in a table. Not here: accesses
// (access_log.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "trace/recording.h"

namespace kernels {

/// An address as a number.
using address = std::uintptr_t;

/// The address that a pointer holds.
inline address address_of(const void* pointer) { return reinterpret_cast<address>(pointer); }

/// Who may use managed memory on a device that cannot share it with the host (cudaStreamAttachMemAsync).
enum class attachment { everyone, host, one_stream };

/// Memory of one kind, from `begin`. Its id is that of the recording.
struct memory_block {
  trace::allocation_id id = 0;                             ///< never repeats
  trace::memory_kind kind = trace::memory_kind::pageable;  ///< of registered memory: pinned
  address begin = 0;
  std::size_t bytes = 0;        ///< as asked for
  std::uint32_t device = 0;     ///< where it is; of pinned and managed memory: was current at the allocation
  bool is_registered = false;   ///< by cudaHostRegister: not ours to release
  bool was_registered = false;  ///< now or before
  bool was_freed_while_registered = false;  ///< by the program
  bool is_freed = false;                    ///< its addresses are never given out again
  bool is_pending = false;                  ///< allocated in stream order, and its turn has not come
  bool is_given_back =
      false;  ///< freed in stream order; until its turn comes, work that is on its way may use it
  unsigned int host_flags = 0;                 ///< pinned memory: what cudaHostGetFlags says
  std::uint32_t pool = 0;                      ///< number of the pool that it came from; 0: none
  std::uint64_t open_to = 0;                   ///< memory of a pool: devices that may use it, one bit each
  attachment attached = attachment::everyone;  ///< managed memory
  trace::stream_id attached_stream = 0;        ///< of one_stream
  std::string name{};                          ///< of a variable of the program; "" for other memory
  bool is_constant = false;                    ///< of a __constant__ variable: kernels only read it
  bool is_heap = false;                        ///< of device_heap
  bool is_of_graph = false;                    ///< given out by each launch of a graph, at the same place
  std::uint32_t variable = 0;                  ///< one that exists once on each device: its number, from 1
  trace::location declared{};                  ///< where that variable is defined
  std::vector<std::int8_t> places{};           ///< managed memory: where its pages are, as move_to() says
  bool is_address_known = false;  ///< of a variable: the program has asked for its device address
  address end() const { return begin + bytes; }
};

/// The table of all blocks of the process.
class memory {
 public:
  /// Every block of the arena begins a new page: a page belongs to at most one block.
  static constexpr std::size_t page_bytes = 64 << 10;
  /// Where neither a program nor its stacks lie, nor the shadow of the address sanitizer.
  static constexpr address arena_begin = 0x200000000000;
  static constexpr std::size_t arena_bytes = std::size_t{1}
                                             << 40;  ///< reserved, and backed only where it is used

  /// Whether the address is device, pinned (not registered) or managed memory, live or not.
  static bool is_in_arena(address where) { return where - arena_begin < arena_bytes; }

  /// Reserves the arena; throws std::system_error when the system refuses.
  memory();
  ~memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;

  /// Device, pinned or managed memory of that size, filled with bytes that are no plausible value (CUDA does
  /// not clear memory); nullptr when the arena has no room left. `pool`: the number of the memory pool that
  /// it comes from.
  memory_block* allocate(trace::memory_kind kind, std::size_t bytes, std::uint32_t device,
                         std::uint32_t pool = 0);
  /// A variable on each of `devices` devices, with the content of `initial`. Gives back the one on device 0, or nullptr
  /// when the arena has no room left.
  memory_block* allocate_variable(trace::memory_kind kind, const void* initial, std::size_t bytes,
                                  std::uint32_t devices);
  /// The same variable on that device; the block itself when it is none, or exists once.
  memory_block& on_device(memory_block& block, std::uint32_t device);
  /// @copydoc on_device(memory_block&, std::uint32_t)
  const memory_block& on_device(const memory_block& block, std::uint32_t device) const {
    return const_cast<memory*>(this)->on_device(const_cast<memory_block&>(block), device);
  }
  /// A program has one address for a variable: that of device 0. While a kernel runs, the bytes at this address are
  /// those of its own device. Throws std::system_error when the system refuses.
  void show_variables_of(std::uint32_t device);
  /// The turn of the allocation has come; memory of graphs may have been given back before.
  void give_out(trace::allocation_id id);
  /// A launch of a graph will give that memory out: of what had been freed the turn has not come.
  void promise(trace::allocation_id id);
  /// Gives the memory of a live block back. Its addresses stay known as freed.
  void release(trace::allocation_id id);
  /// Makes host memory pinned (cudaHostRegister). A pageable block of that very range keeps its id; others
  /// that overlap it end, and their rests become blocks of their own.
  memory_block& register_host(address begin, std::size_t bytes);
  /// Makes it pageable again; it stays known, with its id, because work may still use it.
  void unregister_host(trace::allocation_id id);
  /// Makes a range of pageable memory known, because an operation uses it; overlapping known ranges become
  /// one block.
  const memory_block& use_pageable(address begin, std::size_t bytes);
  /// The program gave pageable memory back: what lies there later is another block's, or nobody's. Registered memory stays.
  void forget_pageable(address begin, std::size_t bytes);

  /// The block that holds the address and that may be used now (arena, registered or used pageable memory),
  /// else nullptr.
  const memory_block* find(address where) const;
  /// The same for calls of the host: includes memory whose stream-ordered allocation is pending, and excludes
  /// memory that was freed in stream order.
  const memory_block* find_given_out(address where) const;
  /// The same, and memory of graphs at any time: whether it is given out counts when the work runs.
  const memory_block* find_for_work(address where) const {
    const memory_block* const found = is_in_arena(where) ? find_in_arena(where) : nullptr;
    return found != nullptr && found->is_of_graph ? found : find_given_out(where);
  }
  /// The block whose arena page holds the address, live or freed, else nullptr.
  const memory_block* find_in_arena(address where) const;
  /// The block of the arena that begins last before that address; nullptr: none.
  const memory_block* last_before(address where) const;
  /// The block of the arena that begins next behind that address; nullptr: none.
  const memory_block* first_behind(address where) const;
  /// Any block in that range that is not pageable, else nullptr.
  const memory_block* find_not_pageable(address begin, std::size_t bytes) const;
  /// Whether the address is in host memory that is registered now.
  bool is_registered(address where) const {
    if (where < registered_begin_ || where >= registered_end_) return false;
    const memory_block* const found = find_host(where);
    return found != nullptr && found->is_registered;
  }
  /// Notes that the program freed plain memory. The block that is registered now, holds some of the bytes and is freed for the
  /// first time, else nullptr: whoever gets the memory next may free it as well.
  const memory_block* note_freed_while_registered(address begin, std::size_t bytes);
  /// Any known block that holds the address, also a freed one.
  const memory_block& block(trace::allocation_id id) const { return blocks_.at(id - 1); }
  /// @copydoc block(trace::allocation_id) const
  memory_block& block(trace::allocation_id id) { return blocks_.at(id - 1); }
  /// The number of all blocks so far; their ids start at 1.
  std::size_t blocks() const { return blocks_.size(); }
  /// Bytes of live device memory of that device, without what came from a pool.
  std::size_t device_bytes_in_use(std::uint32_t device) const;
  /// Whether some of the bytes, outside the arena, may be in a registered or used pageable range (a quick test,
  /// never wrongly false).
  bool may_be_host_range(address where, std::size_t bytes = 1) const {
    return where + bytes > host_begin_ && where < host_end_;
  }
  /// Whether there ever was such a range.
  bool has_host_ranges() const { return host_begin_ < host_end_; }

 private:
  /// One that exists once on each device.
  struct variable {
    std::vector<trace::allocation_id> blocks;  // by device
    void* first = nullptr;                     // a second place for the bytes of device 0
  };
  static std::size_t bytes_of_pages(std::size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }
  memory_block& add(trace::memory_kind kind, address begin, std::size_t bytes, std::uint32_t device);

  memory_block& add_host_range(trace::memory_kind kind, address begin, std::size_t bytes);
  /// The host ranges that are concerned end in [begin, end) and go on, as others, outside.
  template <typename Condition>
  void cut_host_ranges(address begin, address end, Condition is_concerned);
  const memory_block* find_host(address where) const;

  address next_ = arena_begin;
  address registered_begin_ = ~address{0};  // all memory that ever was registered lies in between
  address registered_end_ = 0;
  address host_begin_ = ~address{0};  // all host ranges that ever were lie in between
  address host_end_ = 0;
  bool is_cutting_ = false;  // host_ranges_: its own memory is freed
  std::map<std::uint32_t, std::size_t> device_bytes_;
  std::vector<variable> variables_;  // by number - 1
  std::uint32_t shown_device_ = 0;
  std::deque<memory_block> blocks_;                      // by id; pointers into it stay valid
  std::map<address, trace::allocation_id> arena_;        // by first address
  std::map<address, trace::allocation_id> host_ranges_;  // registered and pageable, live, by first address
};

}  // namespace kernels
