// calls.h: which calls of drive() a process makes, and what their parts are called.
//
// The work of a check is asked for three times in one process: cold, again, and with another plan (other sizes, other numbers of
// streams or chunks). So what a function keeps from call to call, leaves behind, or does for one plan only, shows. Points, times
// and pictures come from the repeated call.
//
//     part_name("learner", call::repeated) == "learner"
//     part_name("learner", call::first) == "learner (first call)"
#pragma once

#include <string>
#include <string_view>

namespace exercise {

/// The calls of one process, in their order.
enum class call { first, repeated, third };

inline constexpr call all_calls[] = {call::first, call::repeated, call::third};

/// What the recording calls a part of that call.
inline std::string part_name(std::string_view name, call during) {
  switch (during) {
    case call::first:
      return std::string(name) + " (first call)";
    case call::repeated:
      break;
    case call::third:
      return std::string(name) + " (third call)";
  }
  return std::string(name);
}

}  // namespace exercise
