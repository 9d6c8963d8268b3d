#include "kernels/conflict_log.h"

#include <algorithm>
#include <bit>

namespace kernels {
namespace {

bool is_write(touch_kind kind) { return kind == touch_kind::write || kind == touch_kind::atomic_write; }
bool is_atomic(touch_kind kind) {
  return kind == touch_kind::atomic_read || kind == touch_kind::atomic_write;
}

bool are_in_conflict(touch_kind one, touch_kind two) {
  return (is_write(one) || is_write(two)) && !(is_atomic(one) && is_atomic(two));
}

/// Whether everything that conflicts with the older kind conflicts with the newer one too.
bool covers(touch_kind newer, touch_kind older) {
  return (is_write(newer) || !is_write(older)) && (!is_atomic(newer) || is_atomic(older));
}

std::uint64_t key_of(const conflict_log::touch& noted) {
  return std::uint64_t{noted.code} << 2 | static_cast<std::uint64_t>(noted.kind);
}

}  // namespace

void conflict_log::move_to(const host_position& position) {
  is_busy_ = true;
  positions_.push_back(position);
  recent_touches_ = {};
  current_touches_.clear();
  is_busy_ = false;
}

std::uint64_t conflict_log::index_of(const touch& noted) {
  std::uint64_t& recent = recent_touches_[key_of(noted) * 0x9E3779B97F4A7C15ULL >> 58];
  const touch& likely = touches_[recent];
  if (recent != 0 && likely.code == noted.code && likely.kind == noted.kind) return recent;
  const auto [found, is_new] = current_touches_.try_emplace(key_of(noted), touches_.size());
  if (is_new) touches_.push_back(noted);
  return recent = found->second;
}

conflict_log::page& conflict_log::page_of(address where) {
  const address number = where / page_bytes;
  recent_page& recent = recent_pages_[number * 0x9E3779B97F4A7C15ULL >> 58];
  if (recent.number == number) return *recent.found;
  std::unique_ptr<page>& slot = pages_[number];
  if (!slot) slot = std::make_unique<page>();
  recent = {number, slot.get()};
  return *slot;
}

/// Divides the page if it is not.
conflict_log::page_cells& conflict_log::cells_of(page& divided) {
  if (divided.cells) return *divided.cells;
  divided.cells = std::make_unique<page_cells>();
  divided.cells->fill(divided.whole);
  if (divided.whole.has_list()) {
    for (std::size_t i = 1; i < divided.cells->size(); ++i) {
      const std::uint64_t own = new_list();
      lists_[own] = lists_[divided.whole.first.index];
      (*divided.cells)[i].first.index = own;
    }
  }
  divided.whole = {};
  return *divided.cells;
}

std::uint64_t conflict_log::new_list() {
  if (free_lists_.empty()) {
    lists_.emplace_back();
    return lists_.size() - 1;
  }
  const std::uint64_t list = free_lists_.back();
  free_lists_.pop_back();
  return list;
}

void conflict_log::release_list(const cell& released) {
  if (released.has_list()) free_lists_.push_back(released.first.index);
}

void conflict_log::note(address code, address where, std::size_t bytes, touch_kind kind) {
  is_busy_ = true;
  entry newer;
  newer.index =
      index_of({static_cast<std::uint32_t>(positions_.size() - 1), static_cast<std::uint32_t>(code), kind});
  for (const address end = where + bytes; where < end;) {
    page& touched = page_of(where);
    const address behind = std::min(end, (where / page_bytes + 1) * page_bytes);
    behind - where == page_bytes ? note_page(touched, newer, where)
                                 : note_part(touched, newer, where, behind);
    where = behind;
  }
  is_busy_ = false;
}

void conflict_log::note_page(page& touched, entry newer, address begin) {
  newer.mask = 0xFF;
  if (!touched.cells) {
    if (!touched.whole.first.holds(newer) && !touched.whole.second.holds(newer))
      add(touched.whole, newer, begin, page_bytes);
    return;
  }
  note_part(touched, newer, begin, begin + page_bytes);
  const auto is_newer_alone = [&](const cell& one) { return one.first.holds(newer) && one.second.mask == 0; };
  if (!std::all_of(touched.cells->begin(), touched.cells->end(), is_newer_alone)) return;
  touched.whole = {newer, {}};
  touched.cells = nullptr;
}

void conflict_log::note_part(page& touched, entry newer, address begin, address end) {
  page_cells& cells = cells_of(touched);
  while (begin < end) {
    const address cell_begin = begin & ~address{7};
    const address behind = std::min(end, cell_begin + 8);
    newer.mask = static_cast<std::uint8_t>((1U << (behind - cell_begin)) - (1U << (begin - cell_begin)));
    cell& into = cells[cell_begin % page_bytes / 8];
    if (!into.first.holds(newer) && !into.second.holds(newer)) add(into, newer, cell_begin, 8);
    begin = behind;
  }
}

/// Compares the new touch with those that are kept, and keeps it instead of those that it covers.
void conflict_log::add(cell& into, entry newer, address begin, std::size_t cell_bytes) {
  const touch& two = touches_[newer.index];
  kept_.clear();
  const auto look_at = [&](entry older) {
    if (older.mask == 0) return;
    const touch& one = touches_[older.index];
    const host_position& before = positions_[one.position];
    const unsigned common = older.mask & newer.mask;
    const bool is_known = before.party == positions_[two.position].party || is_over_(before);
    if (!is_known && common != 0 && are_in_conflict(one.kind, two.kind)) {
      const auto skipped = static_cast<std::size_t>(std::countr_zero(common));
      const auto bytes = static_cast<std::size_t>(std::countr_one(common >> skipped));
      // Of a page only all bytes.
      cell_bytes == page_bytes ? compare(one, two, begin, page_bytes)
                               : compare(one, two, begin + skipped, bytes);
    }
    if (older.index == newer.index) {
      newer.mask |= older.mask;
      return;
    }
    if (is_known && covers(two.kind, one.kind)) older.mask &= ~newer.mask;
    if (older.mask != 0) kept_.push_back(older);
  };
  const bool had_list = into.has_list();
  if (had_list) {
    const std::vector<entry>& list = lists_[into.first.index];
    if (std::any_of(list.begin(), list.end(), [&](const entry& known) { return known.holds(newer); })) return;
    for (const entry older : list) look_at(older);
  } else {
    look_at(into.first);
    look_at(into.second);
  }
  kept_.push_back(newer);
  if (kept_.size() > 2) {
    if (!had_list) {
      into = {};
      into.first.index = new_list();
    }
    lists_[into.first.index] = kept_;
    return;
  }
  release_list(into);
  into = {kept_.front(), kept_.size() > 1 ? kept_.back() : entry()};
}

/// The two touch these bytes, and nothing is known to put them in order.
void conflict_log::compare(const touch& older, const touch& newer, address begin, std::size_t bytes) {
  const auto [known, is_new] =
      known_.try_emplace({older.position, older.code, newer.position, newer.code}, conflicts_.size());
  if (!is_new) {
    if (known->second == ~std::size_t{0}) return;
    conflict& found = conflicts_[known->second];
    if (found.begin + found.bytes == begin) found.bytes += bytes;
    return;
  }
  const bool has_host_function =
      positions_[older.position].host_function != 0 || positions_[newer.position].host_function != 0;
  if (!has_host_function && of_two_places_[{older.code, newer.code}]++ >= max_conflicts_of_two_places) {
    known->second = ~std::size_t{0};
    return;
  }
  conflicts_.push_back({older, newer, begin, bytes});
}

void conflict_log::forget(address begin, std::size_t bytes) {
  if (is_busy_ || bytes == 0) return;
  is_busy_ = true;
  const address end = begin + bytes;
  for (auto found = pages_.lower_bound(begin / page_bytes); found != pages_.end(); ++found) {
    const address first = found->first * page_bytes;
    if (first >= end) break;
    page& known = *found->second;
    if (!known.cells && known.whole.first.index == 0) continue;
    const bool is_whole = begin <= first && first + page_bytes <= end;
    if (is_whole && !known.cells) {
      release_list(known.whole);
      known.whole = {};
      continue;
    }
    page_cells& cells = cells_of(known);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const address granule = first + 8 * i;
      if (granule < begin || granule >= end) continue;
      release_list(cells[i]);
      cells[i] = {};
    }
    if (is_whole) known.cells = nullptr;
  }
  is_busy_ = false;
}

}  // namespace kernels
