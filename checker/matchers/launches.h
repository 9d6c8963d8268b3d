// launches.h: matchers of the sizes of launches.
//
//     EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels()));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// Every kernel of the set has so many threads a block and, if given, so many blocks: kernels whose threads stride give
/// the right result with blocks and threads exchanged, too. None at all passes. Fails with requirement_missed, naming the first launch that has others.
matcher LaunchesBlocksOf(std::int64_t threads, operation_set launched,
                         std::optional<std::int64_t> blocks = std::nullopt);

/// The launches of the set together have at least as many blocks as there are pieces of work, whose number is answered under that
/// name: no block takes two. Fails with requirement_missed, naming the first launch.
matcher LaunchesABlockForEach(std::string pieces, operation_set launched);

/// The largest launch of the set has at least as many blocks as the answer of that name says. None at all passes. Fails with
/// requirement_missed, naming that launch.
matcher LaunchesUpToBlocks(std::string blocks, operation_set launched);

/// The number that is answered under that name is from `least` to `most`: what the function of that name, up to a point in it,
/// returned, `asked` for what ("for 40 jobs of one tile each"). Fails with requirement_missed, naming the function.
matcher Answers(std::string number, std::int64_t least, std::int64_t most, std::string asked = "");

/// So many kernels of the set, no more and no fewer: work that is left to the host, done twice, or only for show. Fails with
/// requirement_missed, naming the first launch that is too many, or the last one.
matcher Launches(std::size_t times, operation_set launched);

}  // namespace matchers
