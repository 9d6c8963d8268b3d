// host_model.h: host time of calls beside their own cost, for the runtime and for replays.
//
// Not here: the host time of a call by its name (profile::host_call), what the device does (schedule.h).
//
//     clock += device::stage_source(gpu, copy);   // before the copy is enqueued
#pragma once

#include "device/schedule.h"

namespace device {

/// From the end of the call that issues an operation to the time at which an idle device can begin with it.
nanoseconds issue_latency(const profile& gpu, trace::operation_kind kind);

/// From the end of device work to the return of the call that waited for it.
nanoseconds wait_return_latency(const profile& gpu);

/// True when the device accepts one more launch. Without room the launch call waits.
bool has_room_for_launch(const profile& gpu, const schedule& devices, std::uint32_t device);

/// GB/s at which the host stages pageable memory for a copy of that route; 0: not staged.
double staging_bandwidth(const profile& gpu, copy_route route);

/// A copy of pageable memory to the device fills the staging buffer in its call. Sets the bytes that are
/// staged after the start of the copy; returns the host time of the call.
nanoseconds stage_source(const profile& gpu, request& copy);

}  // namespace device
