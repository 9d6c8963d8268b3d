#include "kernels/call_paths.h"

#include <unwind.h>

#include <algorithm>
#include <cstdint>

namespace kernels {

bool is_unwinding = false;

std::vector<address> calls_underway() {
  constexpr std::size_t max_calls = 24;  // chosen: a learner's function is not deeper below what it calls
  std::vector<address> found;
  found.reserve(max_calls);
  is_unwinding = true;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* calls) {
        auto& addresses = *static_cast<std::vector<address>*>(calls);
        int is_at_instruction = 0;
        const address code = _Unwind_GetIPInfo(frame, &is_at_instruction);
        if (code != 0 && code <= UINT32_MAX) addresses.push_back(code + (is_at_instruction != 0 ? 1 : 0));
        return addresses.size() == max_calls ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &found);
  is_unwinding = false;
  return found;
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
