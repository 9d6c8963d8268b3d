// origin.h: the matcher of who made a result.
//
//     EXPECT_THAT(run(), ComesFromTheDevice("output"));
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// What the memory of that name holds at the end was made by kernels: what copies bring was last written by a kernel, and host
/// code writes nothing behind them, unless the same statement reads what a copy has brought into other memory. Memory that is a
/// member of numbered structures goes by the member's name: "output" is "slots[0].output" as well. Fails with
/// requirement_missed. Passes where the recording has no accesses, and says so in its note; and where it does not know the memory:
/// ordinary memory that no operation used and nobody pinned.
matcher ComesFromTheDevice(std::string name);

}  // namespace matchers
