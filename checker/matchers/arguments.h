// arguments.h: matchers of the arguments of kernels, as far as they are integers.
//
// Times only tell that a kernel was given far too few cycles, and results do not tell it at all. Where the recording does not
// know arguments, as that of a real GPU, all of these pass.
//
//     EXPECT_THAT(run(), WorksFor("cycles", kernels()));
#pragma once

#include <cstddef>
#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// The last integer argument of every kernel of the set is the number that is answered as "calibrated.NUMBER". Fails with
/// requirement_missed, naming the first that has another.
matcher WorksFor(std::string number, operation_set launched);

/// Batch by batch of the answer `results`, which is cut as in returns.h: the last integer argument of the kernel that made its first
/// element is the number of that batch in the list that is answered as `numbers`. Fails as WorksFor().
matcher EachBatchWorksFor(std::string numbers, std::string results, std::size_t batch_elements);

/// The integer arguments of every kernel of the set are one of the rows that are answered as `rows`, of `width` numbers each, and it
/// has at least as many blocks as that row says in its column `blocks`. Fails as WorksFor().
matcher GetsARowOf(std::string rows, std::size_t width, std::size_t blocks, operation_set launched);

/// The kernels that have the integer arguments of row i of `rows` are in the stream of that name and number i % `streams`, which is
/// answered: "streams[2]". Fails with requirement_missed; streams without such names pass, and kernels of which some belong to no row.
matcher RowsTakeTurns(std::string rows, std::size_t width, std::string streams, operation_set launched);

}  // namespace matchers
