// sweep_declaration.h: what `streamlings sweep` can vary in a lesson.
//
// check.cpp declares it; drive.cpp finds "sweep.NAME" (a buffer of 64-bit integers, one value a setting) for
// both parameters in its request, calls the learner's function with the first setting in a part "sweep 0",
// with the second in "sweep 1", and so on, and answers "sweep.digests" (exercise::digest() of each result).
// Without `bounds` it makes the parts of attainable_time.h before. When the function's file chooses a setting itself, the
// answer holds it in "sweep.chosen.NAME".
//
//     SWEEP({.function = "add_in_chunks()",
//            .parameters = {{{"streams", 1, 16, {1, 2, 4, 8}}, {"chunks", 1, 256, {1, 2, 4, 8, 16}}}},
//            .expected = [](const exercise::message& request) { return digest_of(sum_of(request)); }});
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "course/sweep_parameter.h"
#include "exercise/message.h"
#include "trace/recording.h"

namespace checking {

/// What the times of a sweep are seen beside.
struct sweep_bounds {
  trace::nanoseconds serial{0};      ///< the whole work, one step after another
  trace::nanoseconds attainable{0};  ///< a time below which no setting comes
};

/// What a lesson lets a sweep vary, and the result that stays the same.
struct sweep_declaration {
  std::string function;  ///< "add_in_chunks()"
  /// The first gives a line of the drawing for each value, the second is its horizontal axis.
  std::array<course::sweep_parameter, 2> parameters;
  /// The digest of the right result, which no setting changes.
  std::function<std::int64_t(const exercise::message& request)> expected;
  /// Without it: attainable_time() of the recording.
  std::function<sweep_bounds(const trace::recording& recording, const exercise::message& request,
                             const exercise::message& answer)>
      bounds{};
};

}  // namespace checking
