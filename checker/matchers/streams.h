// streams.h: matchers of streams and events: their life, and the order and priority of streams.
//
//     EXPECT_THAT(run(), DestroysItsStreams());
#pragma once

#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// The part creates streams and destroys every one of them. Fails with requirement_missed, naming the call
/// that created the first one left over.
matcher DestroysItsStreams();

/// The part, which messages call by that name, makes events and destroys every one of them. Fails with requirement_missed, naming the call that made the
/// first one left over.
matcher DestroysItsEvents(std::string function = "your function");

/// The kernels, copies and memsets of the part are in as many streams as are answered under that name, the default streams
/// counted too. Fails with requirement_missed. `chooser`: the learner's function of which the answer of that name is another good number,
/// and not the one to use.
matcher UsesStreams(std::string number, std::string chooser = "");

/// Every stream that the part creates and uses is non-blocking. Work in the default stream itself says nothing. Fails
/// with requirement_missed, naming the call that created the first that blocks.
matcher WaitsForNoDefaultStream();

/// No copy, memset or kernel of the part is in a stream that the function made, now or in an earlier call. Fails with
/// requirement_missed, naming the first that is.
matcher UsesTheStreamsItIsGiven();

/// No copy, memset or kernel of the part is in the legacy default stream. Fails with requirement_missed, naming the first that is.
matcher KeepsOutOfTheLegacyStream();

/// Every operation of the set, at least one, is in a stream of the priority that is answered under that name. Fails with
/// requirement_missed, naming the first that is not and the line that queued it.
matcher RunsAtPriority(operation_set operations, std::string level);

}  // namespace matchers
