// dependencies.h: which work really needs which: by the bytes that operations and host statements touch.
//
// Two accesses depend on each other when they share bytes and one of them writes; what was issued first goes
// first. A host function needs the work before it in its stream: that it runs says that this is over. That is what
// every correct order of the program has to keep; all other order only costs time. Not here: what the program does to
// keep it (ordering.h), and whether it does (races.h).
//
//     const analysis::dependencies needed = analysis::dependencies_of(part);
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace analysis {

/// Bytes make an operation need an earlier one.
struct dependency {
  trace::operation_id earlier = 0;  ///< the earlier operation
  bool is_flow = false;  ///< the later one reads what the earlier one wrote; else it writes what is in use
};

/// A host statement, a free or a reading of event times that needs an operation to be complete.
struct host_need {
  trace::call_id after = 0;  ///< the last call before it, of its thread or of one that it has waited for
  trace::operation_id operation = 0;  ///< what has to be complete
  trace::location where;              ///< the statement
};

/// What needs what in a part, from the bytes that operations and host statements touch.
struct dependencies {
  /// False when the backend could not see which bytes operations touch: then everything in one stream counts
  /// as needed, and nothing else is known.
  bool are_known = false;
  /// By number in part::operations: direct ones, ascending. Where more than 64 readers share bytes, only the
  /// latest of each stream are kept.
  std::vector<std::vector<dependency>> of_operation;
  std::vector<host_need> of_host;  ///< in order of `after`
  /// By number in part::operations: a later operation or a host statement reads what it wrote.
  std::vector<bool> is_read;
};

/// Whether one of the two writes bytes that the other uses; false where these are not known.
bool share_data(const trace::operation& one, const trace::operation& other);

/// Finds them, from the accesses that the recording holds.
dependencies dependencies_of(const part& part);

}  // namespace analysis
