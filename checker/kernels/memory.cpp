#include "kernels/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace kernels {
namespace {

/// The block of a map by first address that may hold `where`, or the end.
template <typename Map>
auto at_or_before(Map& map, address where) {
  auto found = map.upper_bound(where);
  return found == map.begin() ? map.end() : std::prev(found);
}

/// Makes the pages at `begin` shareable, so that they can lie at a second address too.
void make_shareable(void* begin, std::size_t bytes) {
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(),
                            "cannot make memory for a variable of the device");
}

/// Lets the pages of `begin` lie at `where` too (nullptr: anywhere); gives back where.
void* show_at(void* begin, std::size_t bytes, void* where) {
  void* const place = where == nullptr ? mremap(begin, 0, bytes, MREMAP_MAYMOVE)
                                       : mremap(begin, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, where);
  if (place == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "cannot show a variable of another device");
  return place;
}

}  // namespace

memory::memory() {
  void* const got = mmap(reinterpret_cast<void*>(arena_begin), arena_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != MAP_FAILED) {
    madvise(got, arena_bytes, MADV_HUGEPAGE);  // a 500th of the faults, where the system has huge pages
    return;
  }
  const int error = errno;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    throw std::runtime_error("it reserves " + std::to_string(arena_bytes >> 30) +
                             " GiB of address space, without using that memory, and the limit is " +
                             std::to_string(limit.rlim_cur >> 30) + " GiB; `ulimit -v unlimited` lifts it");
  }
  throw std::system_error(error, std::generic_category(), "cannot reserve the memory arena");
}

memory::~memory() {
  for (const variable& gone : variables_)
    munmap(gone.first, bytes_of_pages(block(gone.blocks.front()).bytes));
  munmap(reinterpret_cast<void*>(arena_begin), arena_bytes);
}

memory_block& memory::add(trace::memory_kind kind, address begin, std::size_t bytes, std::uint32_t device) {
  memory_block added;
  added.id = static_cast<trace::allocation_id>(blocks_.size() + 1);
  added.kind = kind;
  added.begin = begin;
  added.bytes = bytes;
  added.device = device;
  return blocks_.emplace_back(added);
}

memory_block* memory::allocate(trace::memory_kind kind, std::size_t bytes, std::uint32_t device,
                               std::uint32_t pool) {
  if (bytes > arena_bytes - page_bytes) return nullptr;
  // A page stays between blocks, so that running over the end meets no neighbour.
  const std::size_t taken = bytes_of_pages(bytes) + page_bytes;
  const address begin = next_;
  if (begin + taken > arena_begin + arena_bytes) return nullptr;
  memory_block& added = add(kind, begin, bytes, device);
  added.pool = pool;
  if (kind == trace::memory_kind::device && pool == 0) device_bytes_[device] += bytes;
  arena_[begin] = added.id;
  next_ = begin + taken;
  // 0xCD in each byte: -4.3e8 as a float, a value that no exercise computes. Large blocks stay untouched
  // beyond 64 MiB, where the system's zero pages keep the allocation cheap.
  std::memset(reinterpret_cast<void*>(added.begin), 0xCD, std::min<std::size_t>(bytes, 64 << 20));
  return &added;
}

memory_block* memory::allocate_variable(trace::memory_kind kind, const void* initial, std::size_t bytes,
                                        std::uint32_t devices) {
  variable made;
  for (std::uint32_t device = 0; device < devices; ++device) {
    memory_block* const block = allocate(kind, bytes, device);
    if (block == nullptr) return nullptr;
    if (devices > 1) make_shareable(reinterpret_cast<void*>(block->begin), bytes_of_pages(bytes));
    std::memcpy(reinterpret_cast<void*>(block->begin), initial, bytes);
    block->variable = static_cast<std::uint32_t>(devices > 1 ? variables_.size() + 1 : 0);
    made.blocks.push_back(block->id);
  }
  memory_block* const first = &block(made.blocks.front());
  if (devices > 1) {
    made.first = show_at(reinterpret_cast<void*>(first->begin), bytes_of_pages(bytes), nullptr);
    variables_.push_back(std::move(made));
  }
  return first;
}

memory_block& memory::on_device(memory_block& block, std::uint32_t device) {
  return block.variable == 0 ? block : this->block(variables_[block.variable - 1].blocks.at(device));
}

void memory::show_variables_of(std::uint32_t device) {
  if (device == shown_device_) return;
  for (const variable& variable : variables_) {
    const memory_block& first = block(variable.blocks.front());
    void* const bytes =
        device == 0 ? variable.first : reinterpret_cast<void*>(block(variable.blocks.at(device)).begin);
    show_at(bytes, bytes_of_pages(first.bytes), reinterpret_cast<void*>(first.begin));
  }
  shown_device_ = device;
}

void memory::release(trace::allocation_id id) {
  memory_block& block = blocks_.at(id - 1);
  block.is_freed = true;
  if (block.kind == trace::memory_kind::device && block.pool == 0) device_bytes_[block.device] -= block.bytes;
  const std::size_t pages = bytes_of_pages(block.bytes);
  if (pages > 0) madvise(reinterpret_cast<void*>(block.begin), pages, MADV_DONTNEED);
}

void memory::give_out(trace::allocation_id id) {
  memory_block& block = blocks_.at(id - 1);
  block.is_pending = false;
  if (std::exchange(block.is_freed, false)) device_bytes_[block.device] += block.bytes;
}

void memory::promise(trace::allocation_id id) {
  if (!block(id).is_freed) return;
  give_out(id);
  block(id).is_pending = true;
}

memory_block& memory::add_host_range(trace::memory_kind kind, address begin, std::size_t bytes) {
  memory_block& added = add(kind, begin, bytes, 0);
  host_ranges_[begin] = added.id;
  host_begin_ = std::min(host_begin_, begin);
  host_end_ = std::max(host_end_, begin + bytes);
  return added;
}

template <typename Condition>
void memory::cut_host_ranges(address begin, address end, Condition is_concerned) {
  if (std::exchange(is_cutting_, true)) return;
  auto range = at_or_before(host_ranges_, begin);
  if (range == host_ranges_.end()) range = host_ranges_.begin();
  while (range != host_ranges_.end() && range->first < end) {
    memory_block& cut = block(range->second);
    if (cut.end() <= begin || !is_concerned(cut)) {
      ++range;
      continue;
    }
    cut.is_freed = true;
    range = host_ranges_.erase(range);
    if (cut.begin < begin) add_host_range(cut.kind, cut.begin, begin - cut.begin);
    if (cut.end() > end) add_host_range(cut.kind, end, cut.end() - end);
  }
  is_cutting_ = false;
}

memory_block& memory::register_host(address begin, std::size_t bytes) {
  const address end = begin + bytes;
  const auto exact = host_ranges_.find(begin);
  memory_block* pinned =
      exact != host_ranges_.end() && block(exact->second).bytes == bytes ? &block(exact->second) : nullptr;
  if (pinned == nullptr) {
    cut_host_ranges(begin, end, [](const memory_block&) { return true; });
    pinned = &add_host_range(trace::memory_kind::pinned, begin, bytes);
  }
  pinned->kind = trace::memory_kind::pinned;
  pinned->is_registered = pinned->was_registered = true;
  registered_begin_ = std::min(registered_begin_, begin);
  registered_end_ = std::max(registered_end_, end);
  return *pinned;
}

void memory::unregister_host(trace::allocation_id id) {
  memory_block& block = blocks_.at(id - 1);
  block.kind = trace::memory_kind::pageable;
  block.is_registered = block.was_freed_while_registered = false;
}

const memory_block& memory::use_pageable(address begin, std::size_t bytes) {
  address end = begin + bytes;
  auto range = at_or_before(host_ranges_, begin);
  if (range != host_ranges_.end()) {
    const memory_block& known = block(range->second);
    if (known.end() >= end) return known;
  } else {
    range = host_ranges_.begin();
  }
  // A larger block replaces the pageable ones that it touches; accesses recorded for those keep their ids.
  while (range != host_ranges_.end() && range->first < end) {
    const memory_block& known = block(range->second);
    if (known.kind == trace::memory_kind::pageable && known.end() > begin) {
      begin = std::min(begin, known.begin);
      end = std::max(end, known.end());
      blocks_[known.id - 1].is_freed = true;
      range = host_ranges_.erase(range);
    } else {
      ++range;
    }
  }
  return add_host_range(trace::memory_kind::pageable, begin, end - begin);
}

void memory::forget_pageable(address begin, std::size_t bytes) {
  cut_host_ranges(begin, begin + bytes,
                  [](const memory_block& block) { return block.kind == trace::memory_kind::pageable; });
}

const memory_block* memory::find_in_arena(address where) const {
  const auto found = at_or_before(arena_, where);
  if (found == arena_.end()) return nullptr;
  const memory_block& candidate = block(found->second);
  return where < candidate.end() || (candidate.bytes == 0 && where == candidate.begin) ? &candidate : nullptr;
}

const memory_block* memory::last_before(address where) const {
  const auto found = at_or_before(arena_, where);
  return found == arena_.end() ? nullptr : &block(found->second);
}

const memory_block* memory::first_behind(address where) const {
  const auto found = arena_.upper_bound(where);
  return found == arena_.end() ? nullptr : &block(found->second);
}

const memory_block* memory::find(address where) const {
  if (!is_in_arena(where)) return find_host(where);
  const memory_block* const found = find_in_arena(where);
  return found != nullptr && !found->is_freed && !found->is_pending ? found : nullptr;
}

const memory_block* memory::find_given_out(address where) const {
  if (!is_in_arena(where)) return find_host(where);
  const memory_block* const found = find_in_arena(where);
  return found != nullptr && !found->is_freed && !found->is_given_back ? found : nullptr;
}

const memory_block* memory::find_host(address where) const {
  const auto found = at_or_before(host_ranges_, where);
  if (found == host_ranges_.end()) return nullptr;
  const memory_block& candidate = block(found->second);
  return where < candidate.end() ? &candidate : nullptr;
}

const memory_block* memory::find_not_pageable(address begin, std::size_t bytes) const {
  if (is_in_arena(begin)) return find_in_arena(begin);
  for (const auto& [first, id] : host_ranges_) {
    const memory_block& known = block(id);
    if (first < begin + bytes && known.end() > begin && known.kind != trace::memory_kind::pageable)
      return &known;
  }
  return nullptr;
}

const memory_block* memory::note_freed_while_registered(address begin, std::size_t bytes) {
  const address end = begin + bytes;
  if (end <= registered_begin_ || begin >= registered_end_) return nullptr;
  auto range = at_or_before(host_ranges_, begin);
  if (range == host_ranges_.end()) range = host_ranges_.begin();
  for (; range != host_ranges_.end() && range->first < end; ++range) {
    memory_block& known = block(range->second);
    if (!known.is_registered || known.was_freed_while_registered || known.end() <= begin) continue;
    known.was_freed_while_registered = true;
    return &known;
  }
  return nullptr;
}

std::size_t memory::device_bytes_in_use(std::uint32_t device) const {
  const auto found = device_bytes_.find(device);
  return found == device_bytes_.end() ? 0 : found->second;
}

}  // namespace kernels
