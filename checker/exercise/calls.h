// calls.h: which calls of drive() a process makes, and what their parts are called.
//
// In the plain run the work of a check is asked for three times in one process: cold, again with other data, and with another plan
// (other sizes, other numbers of streams or chunks). So what a function keeps from call to call, leaves behind, or does for one plan
// only, shows.
// Points, times and pictures come from the repeated call. Runs that can only fail a criterion leave out the first call: the
// repeated one is cold there.
//
//     part_name("learner", call::repeated) == "learner"
//     part_name("learner", call::first) == "learner (first call)"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace exercise {

/// The calls of one process, in their order. Third: with the other plan, the last also where there are two.
enum class call { first, repeated, third };

inline constexpr call all_calls[] = {call::first, call::repeated, call::third};

/// The calls of a process that is sent that many requests; none for a number that no process is sent.
inline std::vector<call> calls_for(std::size_t requests) {
  switch (requests) {
    case 1:
      return {call::repeated};
    case 2:
      return {call::repeated, call::third};
    case 3:
      return {call::first, call::repeated, call::third};
    default:
      return {};
  }
}

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
