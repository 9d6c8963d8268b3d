#include "kernels/access_log.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace kernels {
namespace {

constexpr std::size_t read_index = static_cast<std::size_t>(trace::access_mode::read);
constexpr std::size_t write_index = static_cast<std::size_t>(trace::access_mode::write);
constexpr std::size_t atomic_index = static_cast<std::size_t>(trace::access_mode::atomic);

/// Copies the bytes of a page whose bits are set.
void copy_masked(address page_begin, const unsigned char* source, std::span<const std::uint64_t> mask) {
  auto* const page = reinterpret_cast<unsigned char*>(page_begin);
  for (std::size_t word = 0; word < mask.size(); ++word) {
    std::uint64_t left = mask[word];
    if (left == ~0ULL) {
      std::memcpy(page + word * 64, source + word * 64, 64);
      continue;
    }
    while (left != 0) {
      const std::size_t byte = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      page[byte] = source[byte];
      left &= left - 1;
    }
  }
}

std::uint64_t count_bits(const touched_page& page, std::size_t mode) {
  return std::accumulate(page.bits[mode].begin(), page.bits[mode].begin() + page.words(), std::uint64_t{0},
                         [](std::uint64_t sum, std::uint64_t word) {
                           constexpr auto all = ~std::uint64_t{0};
                           if (word == 0) return sum;  // this and `all` most often; counting is a call
                           return sum + static_cast<unsigned>(word == all ? 64 : std::popcount(word));
                         });
}

/// Bytes of the sectors that were touched: what moves over a link.
std::uint64_t count_sector_bytes(const touched_page& page, std::size_t mode) {
  constexpr std::uint64_t sector = 0xFFFF'FFFF;
  constexpr std::uint64_t sector_bytes = 32;
  return std::accumulate(page.bits[mode].begin(), page.bits[mode].begin() + page.words(), std::uint64_t{0},
                         [](std::uint64_t sum, std::uint64_t word) {
                           return sum + ((word & sector) != 0 ? sector_bytes : 0) + (word > sector ? sector_bytes : 0);
                         });
}

memory_place place_of(const memory_block& block, std::uint32_t device) {
  if (block.kind == trace::memory_kind::pinned) return memory_place::host;
  const bool is_elsewhere = block.kind == trace::memory_kind::device && block.device != device;
  return is_elsewhere ? memory_place::peer : memory_place::own;
}

}  // namespace

void pending_writes::publish() const {
  for (const page& page : pages) copy_masked(page.begin, page.bytes.data(), page.mask);
}

touched_page* kernel_log::select(address where) {
  const memory_block* const block = memory_.find(where);
  if (block == nullptr || block->kind == trace::memory_kind::pageable) return nullptr;
  const memory_block& own = block->device == 0 ? memory_.on_device(*block, own_) : *block;
  if (!may_touch(own)) return nullptr;
  const address begin = block->begin + ((where - block->begin) & ~address{memory::page_bytes - 1});
  std::unique_ptr<touched_page>& slot = pages_[begin];
  if (!slot) {
    slot = std::make_unique_for_overwrite<touched_page>();
    slot->begin = begin;
    slot->home = own.begin + (begin - block->begin);
    slot->valid_end = std::min(begin + memory::page_bytes, block->end());
    slot->allocation = own.id;
    slot->place = place_of(own, own_);
    // Variables of several devices are shared mappings, and so may be what the program registered.
    slot->is_constant = block->is_constant;
    slot->is_private = memory::is_in_arena(begin) && block->variable == 0;
    for (auto& mode : slot->bits) std::fill_n(mode.begin(), slot->words(), 0);
  }
  const address number = where / memory::page_bytes;
  recent_[index_of(number)] = {number, slot.get()};
  return slot.get();
}

/// An access that ends behind the page: in the next one of its block, or nowhere.
bool kernel_log::note_across(const touched_page& first, address where, std::size_t bytes,
                             trace::access_mode mode) {
  const std::size_t here = first.valid_end - where;
  if (memory_.find(first.valid_end) != memory_.find(first.begin)) return false;
  return note(where, here, mode) && note(where + here, bytes - here, mode);
}

bool kernel_log::keep_content(touched_page& page) {
  if (page.is_constant) return false;
  if (!page.is_private)
    process_copy::end_if_copy("a block writes a variable or registered memory of the program");
  const auto* const bytes = reinterpret_cast<const unsigned char*>(page.home);
  page.before.assign(bytes, bytes + (page.valid_end - page.begin));
  return true;
}

bool kernel_log::note_range(address where, std::size_t bytes, trace::access_mode mode) {
  while (bytes > 0) {
    const std::size_t here = std::min<std::size_t>(bytes, 64);
    if (!note(where, here, mode)) return false;
    where += here;
    bytes -= here;
  }
  return true;
}

pending_writes kernel_log::withdraw_writes() {
  pending_writes result;
  for (auto& [begin, page] : pages_) {
    if (page->before.empty()) continue;
    pending_writes::page pending;
    pending.begin = page->home;
    pending.mask.resize(page->words());
    for (std::size_t word = 0; word < pending.mask.size(); ++word) {
      pending.mask[word] = page->bits[write_index][word] & ~page->bits[atomic_index][word];
    }
    const auto* const now = reinterpret_cast<const unsigned char*>(page->home);
    pending.bytes.assign(now, now + page->before.size());
    copy_masked(page->home, page->before.data(), pending.mask);
    result.pages.push_back(std::move(pending));
  }
  return result;
}

/// What store_part() writes for each page: this, the words of its bitmaps, and its bytes if they were written.
struct kernel_log::stored_page {
  address begin, home, valid_end;
  trace::allocation_id allocation;
  memory_place place;
  bool is_private, is_written;
};

void kernel_log::forget_pages() {
  recent_ = {};
  known_ = {};
}

void kernel_log::begin_part() {
  earlier_pages_ = std::exchange(pages_, {});
  forget_pages();
}

void kernel_log::join_parts() {
  for (auto& [begin, page] : pages_) {
    std::unique_ptr<touched_page>& earlier = earlier_pages_[begin];
    if (!earlier) {
      earlier = std::move(page);
      continue;
    }
    for (std::size_t mode = 0; mode < 3; ++mode) {
      for (std::size_t word = 0; word < page->words(); ++word)
        earlier->bits[mode][word] |= page->bits[mode][word];
    }
    if (earlier->before.empty()) earlier->before = std::move(page->before);
  }
  pages_ = std::exchange(earlier_pages_, {});
  forget_pages();
}

void kernel_log::store_part(process_copy::output& out) const {
  for (const auto& [begin, page] : pages_) {
    out.put(stored_page{page->begin, page->home, page->valid_end, page->allocation, page->place, page->is_private,
                        !page->before.empty()});
    for (const auto& mode : page->bits) out.put_bytes(mode.data(), page->words() * sizeof mode[0]);
    if (!page->before.empty()) out.put_bytes(reinterpret_cast<const void*>(page->home), page->before.size());
  }
}

bool kernel_log::append_part(process_copy::input stored) {
  // Calls visit(header, words of one bitmap, the bitmaps, bytes) for each page.
  const auto each_stored_page = [&stored](auto visit) {
    for (process_copy::input rest = stored; rest.size() > 0;) {
      const auto header = rest.get<stored_page>();
      const std::size_t words = (header.valid_end - header.begin + 63) / 64;
      std::array<std::span<const std::uint64_t>, 3> bits;
      for (auto& mode : bits)
        mode = {reinterpret_cast<const std::uint64_t*>(rest.bytes(words * sizeof(std::uint64_t))), words};
      visit(header, bits, header.is_written ? rest.bytes(header.valid_end - header.begin) : nullptr);
    }
  };
  bool reads_what_was_written = false;
  each_stored_page([&](const stored_page& header, const auto& bits, const unsigned char*) {
    const auto found = pages_.find(header.begin);
    if (found == pages_.end()) return;
    const touched_page& page = *found->second;
    for (std::size_t word = 0; word < page.words(); ++word) {
      const std::uint64_t written = page.bits[write_index][word] | page.bits[atomic_index][word];
      if ((written & (bits[read_index][word] | bits[atomic_index][word])) != 0) reads_what_was_written = true;
    }
  });
  if (reads_what_was_written) return false;
  each_stored_page([&](const stored_page& header, const auto& bits, const unsigned char* bytes) {
    std::unique_ptr<touched_page>& page = pages_[header.begin];
    if (!page) {
      page = std::make_unique_for_overwrite<touched_page>();
      page->begin = header.begin;
      page->home = header.home;
      page->valid_end = header.valid_end;
      page->allocation = header.allocation;
      page->place = header.place;
      page->is_private = header.is_private;
      for (auto& mode : page->bits) std::fill_n(mode.begin(), page->words(), 0);
    }
    if (bytes != nullptr) {
      if (page->before.empty()) keep_content(*page);
      std::vector<std::uint64_t> written(bits[write_index].begin(), bits[write_index].end());
      for (std::size_t word = 0; word < written.size(); ++word) written[word] |= bits[atomic_index][word];
      copy_masked(page->home, bytes, written);
    }
    for (std::size_t mode = 0; mode < 3; ++mode) {
      for (std::size_t word = 0; word < page->words(); ++word) page->bits[mode][word] |= bits[mode][word];
    }
  });
  return true;
}

bool kernel_log::is_private() const {
  return std::all_of(pages_.begin(), pages_.end(),
                     [](const auto& known) { return known.second->is_private; });
}

std::uint64_t kernel_log::digest_of_writes() const {
  const auto mixed = [](std::uint64_t sum, std::uint64_t value) {
    return (sum ^ value) * 0x9E3779B97F4A7C15ULL + (sum >> 29);
  };
  std::uint64_t digest = 0;
  for (const auto& [begin, page] : pages_) {
    if (page->before.empty()) continue;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(page->home);
    std::uint64_t of_page = mixed(1, begin);
    for (std::size_t word = 0; word < page->words(); ++word) {
      const std::uint64_t written = page->bits[write_index][word] | page->bits[atomic_index][word];
      for (std::uint64_t left = written; left != 0; left &= left - 1) {
        const std::size_t byte = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
        of_page = mixed(of_page, byte << 8 | bytes[byte]);
      }
    }
    digest += of_page;  // the pages have no order
  }
  return digest;
}

device::memory_traffic kernel_log::traffic() const {
  device::memory_traffic result;
  for (const auto& [begin, page] : pages_) {
    const bool is_own = page->place == memory_place::own;
    const auto count = is_own ? count_bits : count_sector_bytes;
    device::traffic& sum = is_own                                  ? result.own
                           : page->place == memory_place::host ? result.host
                                                                   : result.peers;
    const std::uint64_t updated = count(*page, atomic_index);
    sum.read += count(*page, read_index) + updated;
    sum.written += count(*page, write_index) + updated;
  }
  return result;
}

void kernel_log::forget_reads_of_flag(address where, std::size_t bytes) {
  constexpr std::size_t max_flags = 64;
  const auto is_known = [&](const auto& flag) { return flag.first == where; };
  if (std::any_of(flags_.begin(), flags_.end(), is_known) || flags_.size() == max_flags) return;
  const memory_block* const block = memory_.find(where);
  if (block != nullptr && block->kind != trace::memory_kind::device) flags_.emplace_back(where, bytes);
}

std::vector<trace::access> kernel_log::harvest() {
  for (const auto& [where, length] : flags_) {
    touched_page* const page = select(where);
    if (page == nullptr) continue;
    for (std::size_t offset = where - page->begin; offset < where - page->begin + length; ++offset)
      page->bits[static_cast<std::size_t>(trace::access_mode::read)][offset / 64] &= ~(1ULL << offset % 64);
  }
  std::vector<const touched_page*> ordered;
  for (const auto& [begin, page] : pages_) ordered.push_back(page.get());
  // By allocation: the addresses of registered memory are another run's own.
  std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
    return std::tie(a->allocation, a->home) < std::tie(b->allocation, b->home);
  });

  std::vector<trace::access> result;
  std::vector<std::uint64_t> words;
  for (std::size_t first = 0; first < ordered.size();) {
    // Neighbouring pages of one allocation become one bitmap.
    std::size_t last = first + 1;
    while (last < ordered.size() && ordered[last]->allocation == ordered[first]->allocation &&
           ordered[last]->home == ordered[last - 1]->home + memory::page_bytes) {
      ++last;
    }
    const trace::allocation_id allocation = ordered[first]->allocation;
    const std::uint64_t first_byte = ordered[first]->home - memory_.block(allocation).begin;
    for (std::size_t mode = 0; mode < 3; ++mode) {
      words.clear();
      words.reserve((last - first) * words_per_page);
      for (std::size_t i = first; i < last; ++i) {
        const auto begin = ordered[i]->bits[mode].begin();
        words.insert(words.end(), begin, begin + ordered[i]->words());
      }
      trace::byte_set bytes = trace::byte_set::from_bitmap(first_byte, words);
      if (bytes.is_empty()) continue;
      const auto same = std::find_if(result.begin(), result.end(), [&](const trace::access& access) {
        return access.allocation == allocation && access.mode == static_cast<trace::access_mode>(mode);
      });
      if (same != result.end()) {
        same->bytes.merge(bytes);
      } else {
        result.push_back({allocation, static_cast<trace::access_mode>(mode), std::move(bytes)});
      }
    }
    first = last;
  }
  pages_.clear();
  forget_pages();
  return result;
}

bool host_log::note(address code, address where, std::size_t bytes, trace::access_mode mode) {
  const std::uint64_t place = hash(code, mode);
  std::size_t& recent = recent_[place >> 60];
  if (recent < sites_.size() && sites_[recent].is_of(code, where, mode)) {
    extend(sites_[recent], where - sites_[recent].block->begin, bytes);
    return true;
  }
  const memory_block* const block = memory_.find(where);
  if (block == nullptr) return false;
  const auto [found, is_new] = index_.try_emplace(place + block->id, sites_.size());
  if (is_new) {
    site added;
    added.code = code;
    added.first = paths_.here(code);
    added.mode = mode;
    added.block = block;
    if (mode == trace::access_mode::read && bytes <= sizeof(added.first_value))
      std::memcpy(&added.first_value, reinterpret_cast<const void*>(where), bytes);
    sites_.push_back(std::move(added));
  }
  recent = found->second;
  extend(sites_[recent], where - block->begin, bytes);
  return true;
}

void host_log::join_update(address where, std::size_t bytes, const void* expected) {
  for (site& place : sites_) {
    const bool is_first_part = place.is_single && place.mode == trace::access_mode::read &&
                               where == place.block->begin + place.run.offset && place.run.length == bytes &&
                               bytes <= sizeof(place.first_value) &&
                               std::memcmp(&place.first_value, expected, bytes) == 0;
    if (!is_first_part) continue;
    index_.erase(hash(place.code, place.mode) + place.block->id);
    place.mode = trace::access_mode::atomic;
    return;
  }
}

/// The access is beside the run that is growing: it is the second one of a run with a stride, or begins another run.
void host_log::begin_run(site& place, std::uint64_t offset, std::uint64_t bytes) {
  trace::byte_run& run = place.run;
  if (run.count == 1 && offset > run.offset + run.length && bytes == run.length) {
    run.stride = offset - run.offset;
    run.count = 2;
    return;
  }
  if (run.count > 0) place.closed.push_back(run);
  run = {offset, bytes, bytes, 1};
  // So seldom that each access has its share of the cost of a union.
  constexpr std::size_t min_gathered = 1 << 14;
  if (place.closed.size() >= std::max(min_gathered, place.gathered.bitmap().size())) gather(place);
}

/// Takes the closed runs into the set, so that accesses without order do not fill the memory.
void host_log::gather(site& place) {
  place.gathered.merge(trace::byte_set::from_runs(std::move(place.closed)));
  place.closed.clear();
}

void host_log::flush(trace::thread_id thread, trace::call_id after, std::vector<trace::host_access>& out) {
  for (site& place : sites_) {
    place.closed.push_back(place.run);
    gather(place);
    trace::host_access noted;
    noted.thread = thread;
    noted.after = after;
    noted.where = place.first;
    noted.access = {place.block->id, place.mode, std::move(place.gathered)};
    out.push_back(std::move(noted));
  }
  sites_.clear();
  index_.clear();
}

}  // namespace kernels
