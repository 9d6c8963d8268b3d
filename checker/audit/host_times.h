// host_times.h: whether calls took as long as the profile says, and waited as long as their operations.
#pragma once

#include "audit/audit.h"
#include "audit/device_replay.h"

namespace audit {

/// Throws contradiction where a call began before the one before it on its thread was over, returned too early, or, if
/// nothing that the recording lacks can have kept it, too late. `devices` has run.
void require_times_of_calls(const trace::recording& recording, const device::profile& gpu,
                            const trace::backend_settings& settings, const device_replay& devices);

}  // namespace audit
