// audit.h: whether a recording of the virtual GPU says what that GPU would have done.
//
// A program can write into the memory of its recorder. So whoever started it does the recorded work again, on the profile that
// it asked for: operations at the times of their calls, calls at the times of their threads. Taken from the recording, because only
// the program knows them: the order of the calls, pauses between them, the work of kernels, what was accessed, how long host
// functions and host_work() took, pages of managed memory that moved. Not here: verdicts.
//
//     if (auto problem = audit::first_contradiction(recording, h200, settings)) refuse(*problem);
#pragma once

#include <optional>
#include <string>

#include "device/profile.h"
#include "trace/recording.h"
#include "trace/run_control.h"

namespace audit {

/// Of a run that came to its end: the first thing that cannot have been so, in a sentence; nothing when there is none. `gpu` is the
/// profile that the settings name. References within the recording are sound (trace/references.h).
std::optional<std::string> first_contradiction(const trace::recording& recording, const device::profile& gpu,
                                               const trace::backend_settings& settings);

}  // namespace audit
