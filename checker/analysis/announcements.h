// announcements.h: host functions that let a thread go on although they do not come behind the work that it needs.
//
// Not here: waits by a call (race_causes.h).
//
//     find_useless_announcement(recording, order, copy, reader);   // why and which host function
#pragma once

#include <optional>

#include "analysis/race_causes.h"

namespace analysis {

/// The host function by which the thread of the access was let go on before that operation was complete: the next that the
/// operation's thread queued, if it is in another stream that has no work of its own to announce, or else the last one ahead of the
/// operation in its stream. Nothing when there is none, or one is queued right behind the operation in its stream.
std::optional<useless_wait> find_useless_announcement(const trace::recording& recording,
                                                      const ordering& order, const trace::operation& awaited,
                                                      const trace::host_access& access);

}  // namespace analysis
