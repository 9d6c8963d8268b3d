// device_order.h: which operations of a program come after which by streams and events alone, whatever the host does.
//
//     const explain::device_order order(program);
//     if (!order.is_before(copy, kernel)) ...  // only the host can keep them in order
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "explain/detail/program.h"

namespace explain {

/// The order of the units of a program: operations outside graphs, and launches of graphs.
class device_order {
 public:
  explicit device_order(const program& program);

  /// Both are numbers of units; `earlier` is the smaller one.
  bool is_before(operation_number earlier, operation_number later) const;

 private:
  /// Of other streams: the last operation that comes before.
  using past = std::unordered_map<trace::stream_id, operation_number>;

  /// By number. An operation that waits for no other stream shares the past of the one before it in its own.
  std::vector<std::shared_ptr<const past>> past_of_;
  std::vector<trace::stream_id> stream_of_;
};

}  // namespace explain
