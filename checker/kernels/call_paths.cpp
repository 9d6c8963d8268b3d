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

/// The walks of a thread, by the frame that they began in.
class kept_walks {
 public:
  /// When a thread's objects are gone, more of its code may run: then there are none.
  ~kept_walks() { are_gone_ = true; }
  static kept_walks* of_this_thread() {
    thread_local kept_walks walks;
    return are_gone_ ? nullptr : &walks;
  }

  const earlier_walk* find(const void* frame) const {
    const auto known = by_frame_.find(frame);
    if (known == by_frame_.end()) return nullptr;
    for (const earlier_walk& earlier : known->second)
      if (earlier.is_unchanged()) return &earlier;
    return nullptr;
  }
  void keep(const void* frame, const earlier_walk& found) {
    constexpr std::size_t max_count = 1000;
    if (++count_ > max_count) {
      by_frame_.clear();
      count_ = 1;
    }
    by_frame_[frame].push_back(found);
  }

 private:
  static inline thread_local bool are_gone_ = false;
  std::unordered_map<const void*, std::vector<earlier_walk>> by_frame_;
  std::size_t count_ = 0;
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
  // A fiber's stack may be gone.
  kept_walks* const kept = kernel_run::current() == nullptr ? kept_walks::of_this_thread() : nullptr;
  const void* const frame = __builtin_frame_address(0);
  if (kept != nullptr) {
    if (const earlier_walk* const known = kept->find(frame)) return known->calls;
  }
  walk now;
  is_unwinding = true;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* walking) { return static_cast<walk*>(walking)->visit(context); },
      &now);
  is_unwinding = false;
  if (kept != nullptr && now.can_be_kept) kept->keep(frame, now.found);
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
