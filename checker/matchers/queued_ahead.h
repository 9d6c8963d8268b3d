// queued_ahead.h: matcher of how far the host queues ahead of what it has waited for.
//
//     EXPECT_THAT(run(), QueuesAhead(kernels()).by(2));
#pragma once

#include <cstddef>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// When the host issues an operation of the set, it has waited for none of the `count` before that one, by whatever
/// call and in whichever thread: so many may still be in work. None at all fails. Fails with requirement_missed, naming the
/// call that waited.
struct QueuesAhead {
  explicit QueuesAhead(operation_set operations);
  /// `count` is at least 1.
  matcher by(std::size_t count) const;

 private:
  operation_set operations_;
};

}  // namespace matchers
