#include "cuda_runtime/recording_log.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/program_image.h"

namespace cuda_runtime {
namespace {

trace::access_mode mode_of(kernels::touch_kind kind) {
  switch (kind) {
    case kernels::touch_kind::read:
      return trace::access_mode::read;
    case kernels::touch_kind::write:
      return trace::access_mode::write;
    case kernels::touch_kind::atomic_read:
    case kernels::touch_kind::atomic_write:
      break;
  }
  return trace::access_mode::atomic;
}

/// Objects of the C and C++ libraries guard themselves. std::cout lies among the program's own variables.
bool is_of_library(kernels::address where) {
  if (const kernels::program_variable* const variable = kernels::find_variable(where))
    return variable->is_library;
  Dl_info found;
  return !kernels::program_image.holds(where) && dladdr(reinterpret_cast<void*>(where), &found) != 0;
}

/// A variable, or other memory in which conflicts overlap or lie side by side.
struct shared_range {
  kernels::address end = 0;
  std::string name;
  trace::allocation_id allocation = 0;
};

std::map<kernels::address, shared_range> ranges_of(
    const std::vector<kernels::conflict_log::conflict>& conflicts) {
  std::map<kernels::address, shared_range> ranges;
  for (const auto& conflict : conflicts) {
    kernels::address begin = conflict.begin;
    if (const kernels::program_variable* const variable = kernels::find_variable(begin)) {
      ranges[variable->where.begin] = {variable->where.begin + variable->where.bytes, variable->name};
      continue;
    }
    kernels::address end = conflict.begin + conflict.bytes;
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second.name.empty() &&
        std::prev(next)->second.end >= begin)
      --next;
    while (next != ranges.end() && next->second.name.empty() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second.end);
      next = ranges.erase(next);
    }
    ranges[begin].end = end;
  }
  return ranges;
}

/// More a picture cannot show, and a part of them would say something false: then there are none.
constexpr std::size_t max_residencies = 100'000;

/// Room that is not used takes address space only. Lists that grow are copied again and again.
constexpr std::size_t reserved_entries = std::size_t{1} << 20;

}  // namespace

recording_log::recording_log(const kernels::memory& memory) : memory_(memory), host_log_(memory, paths_) {
  recording_.calls.reserve(reserved_entries);
  recording_.operations.reserve(reserved_entries);
}

void recording_log::note(const trace::residency& blocks) {
  std::vector<trace::residency>& noted = recording_.residencies;
  if (has_too_many_residencies_) return;
  noted.push_back(blocks);
  has_too_many_residencies_ = noted.size() > max_residencies;
  if (has_too_many_residencies_) noted = {};
}

void recording_log::flush_host_accesses(host_thread& thread) {
  thread.has_moved = true;
  write_out();
}

trace::location recording_log::current_location() {
  const std::vector<kernels::address> calls = kernels::calls_underway();
  return calls.empty() ? trace::location{} : call_location(calls.front());
}

trace::location recording_log::allocated_at(trace::allocation_id id) const {
  const auto known = allocation_calls_.find(id);
  return known == allocation_calls_.end() || known->second.first == 0
             ? trace::location{}
             : recording_.call_at(known->second.first).where;
}

trace::location recording_log::end_of_life(trace::diagnostic_kind kind, trace::allocation_id id) const {
  if (kind != trace::diagnostic_kind::use_after_free) return allocated_at(id);
  const auto known = allocation_calls_.find(id);
  return known == allocation_calls_.end() || known->second.second == 0
             ? trace::location{}
             : recording_.call_at(known->second.second).where;
}

void recording_log::write_out() {
  if (noting_ == nullptr) return;
  host_thread& thread = *std::exchange(noting_, nullptr);
  if (thread.host_function == 0) {
    const std::size_t before = host_accesses_.size();
    host_log_.flush(thread.id, thread.open_call, host_accesses_);
    if (host_accesses_.size() > before && std::exchange(thread.has_released, false)) ++thread.step;
    for (std::size_t i = before; i < host_accesses_.size(); ++i) host_accesses_[i].step = thread.step;
    return;
  }
  // What a host function touches belongs to its operation.
  std::vector<trace::host_access> touched;
  host_log_.flush(thread.id, thread.open_call, touched);
  if (!touched.empty() && std::exchange(thread.has_released, false)) ++thread.step;
  for (trace::host_access& access : touched) {
    access.access.where = access.where;
    access.access.step = thread.step;
    operation(thread.host_function).accesses->push_back(std::move(access.access));
  }
}

trace::recording recording_log::take(const kernels::conflict_log& conflicts) {
  for (trace::allocation_id id = 1; id <= memory_.blocks(); ++id) {
    const kernels::memory_block& block = memory_.block(id);
    const auto [allocated_by, freed_by] = allocation_calls_[id];
    const trace::memory_kind kind = block.was_registered ? trace::memory_kind::pinned : block.kind;
    recording_.allocations.push_back(
        {id, kind, block.device, block.bytes, allocated_by, freed_by, name_of(block), block.declared});
  }
  add(conflicts);
  recording_.host_accesses = std::move(host_accesses_);
  for (const std::string& file : paths_.files()) recording_.files.push_back({file});
  return std::move(recording_);
}

/// Each range becomes an allocation of its own: where an object on the heap or on a stack begins is not known.
void recording_log::add(const kernels::conflict_log& conflicts) {
  auto ranges = ranges_of(conflicts.conflicts());
  std::vector<std::pair<kernels::host_position, trace::access>> touched;
  std::map<std::tuple<std::uint32_t, std::uint32_t, kernels::touch_kind, trace::allocation_id>, std::size_t>
      known;
  for (const auto& conflict : conflicts.conflicts()) {
    if (is_of_library(conflict.begin)) continue;
    auto& [begin, range] = *std::prev(ranges.upper_bound(conflict.begin));
    if (range.allocation == 0) {
      range.allocation = static_cast<trace::allocation_id>(recording_.allocations.size() + 1);
      recording_.allocations.push_back({.id = range.allocation,
                                        .kind = trace::memory_kind::pageable,
                                        .bytes = range.end - begin,
                                        .name = range.name});
    }
    const trace::byte_set bytes = trace::byte_set::range(
        conflict.begin - begin, std::min<std::size_t>(conflict.bytes, range.end - conflict.begin));
    for (const kernels::conflict_log::touch& side : {conflict.older, conflict.newer}) {
      const auto [found, is_new] =
          known.try_emplace({side.position, side.code, side.kind, range.allocation}, touched.size());
      if (is_new) {
        touched.push_back({conflicts.position(side),
                           {range.allocation, mode_of(side.kind), bytes, code_location(side.code)}});
      } else {
        touched[found->second].second.bytes.merge(bytes);
      }
    }
  }
  for (auto& [position, access] : touched) {
    if (position.host_function != 0) {
      access.step = position.step;
      operation(position.host_function).accesses->push_back(std::move(access));
    } else {
      const trace::location where = std::exchange(access.where, {});
      host_accesses_.push_back({position.thread, position.after, where, std::move(access), position.step});
    }
  }
  if (touched.empty()) return;
  std::stable_sort(host_accesses_.begin(), host_accesses_.end(),
                   [](const auto& one, const auto& two) { return one.after < two.after; });
}

}  // namespace cuda_runtime
