// peer_access.h: matcher of access from one device to the memory of another.
//
//     EXPECT_THAT(part("connect"), EnablesPeerAccess("peer_directions"));
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// At the end of the part access is enabled (cudaDeviceEnablePeerAccess) on as many devices as are answered under that name: those
/// that can have it. Where the answer is 0 it passes. Fails with requirement_missed, naming the last call that is about access.
matcher EnablesPeerAccess(std::string directions);

}  // namespace matchers
