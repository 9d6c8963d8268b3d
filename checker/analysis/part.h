// part.h: a slice of a recording: the learner's part, or the serial one, or all of it.
#pragma once

#include <string_view>
#include <vector>

#include "trace/recording.h"

namespace analysis {

/// What lies between two marks. Ids are ascending.
struct part {
  const trace::recording* seen = nullptr;       ///< the recording that it is a part of
  std::vector<trace::operation_id> operations;  ///< issued inside the part
  std::vector<trace::call_id> calls;            ///< begun inside the part
  trace::nanoseconds begin{0};                  ///< time of the mark "begin:..."
  trace::nanoseconds end{0};                    ///< time of the mark "end:..."

  /// From the start of the part to the end of the last thing it did (its operations may outlast the mark).
  trace::nanoseconds duration() const;
};

/// The part between the marks "begin:NAME" and "end:NAME"; "" gives the whole run. Throws std::out_of_range
/// when the recording has no such marks.
part part_of(const trace::recording& seen, std::string_view name);

}  // namespace analysis
