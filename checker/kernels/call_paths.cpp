#include "kernels/call_paths.h"

#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "kernels/kernel_run.h"

namespace kernels {

bool is_unwinding = false;

namespace {

/// Where a return address lies on the stack.
struct return_slot {
  const address* where;
  address value;
};

/// What was found by an earlier walk from a frame at the same place. As long as all its return addresses are on the stack, they lead
/// through the same calls: the size of a frame is that of its code.
struct earlier_walk {
  std::vector<return_slot> slots;
  std::vector<address> calls;

  bool is_unchanged() const {
    return std::all_of(slots.begin(), slots.end(),
                       [](const return_slot& slot) { return *slot.where == slot.value; });
  }
};

struct walk {
  static constexpr std::size_t max_calls =
      24;  // chosen: a learner's function is not deeper below what it calls

  earlier_walk found{};
  bool can_be_kept = true;
  bool is_first = true;

  _Unwind_Reason_Code visit(_Unwind_Context* frame) {
    int is_at_instruction = 0;
    const address code = _Unwind_GetIPInfo(frame, &is_at_instruction);
    // Of the first frame, that of the walk itself, the address is where it stands.
    if (!std::exchange(is_first, false)) {
      const return_slot slot{reinterpret_cast<const address*>(_Unwind_GetCFA(frame)) - 1, code};
      can_be_kept = can_be_kept && is_at_instruction == 0 && (code == 0 || *slot.where == code);
      if (code != 0) found.slots.push_back(slot);
    }
    if (code != 0 && code <= UINT32_MAX) found.calls.push_back(code + (is_at_instruction != 0 ? 1 : 0));
    return found.calls.size() == max_calls ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
};

}  // namespace

__attribute__((noinline)) std::vector<address> calls_underway() {
  constexpr std::size_t max_kept = 1000;
  thread_local std::unordered_map<const void*, std::vector<earlier_walk>> kept;
  thread_local std::size_t kept_count = 0;
  // A fiber's stack may be gone.
  const bool may_keep = kernel_run::current() == nullptr;
  const void* const frame = __builtin_frame_address(0);
  if (may_keep) {
    if (const auto known = kept.find(frame); known != kept.end()) {
      for (const earlier_walk& earlier : known->second)
        if (earlier.is_unchanged()) return earlier.calls;
    }
  }
  walk now;
  is_unwinding = true;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* walking) { return static_cast<walk*>(walking)->visit(context); },
      &now);
  is_unwinding = false;
  if (may_keep && now.can_be_kept) {
    if (++kept_count > max_kept) {
      kept.clear();
      kept_count = 1;
    }
    kept[frame].push_back(now.found);
  }
  return std::move(now.found.calls);
}

trace::location call_paths::here(address code) {
  std::vector<address> callers = calls_underway();
  callers.erase(callers.begin(), std::find(callers.begin(), callers.end(), code));
  if (!callers.empty()) callers.erase(callers.begin());
  const auto [found, is_new] =
      known_.try_emplace(std::move(callers), static_cast<std::uint32_t>(files_.size() + 1));
  if (is_new) {
    std::string file = files_.front();
    for (const address caller : found->first) file += ' ' + std::to_string(caller);
    files_.push_back(std::move(file));
  }
  return {found->second, static_cast<std::uint32_t>(code)};
}

}  // namespace kernels
