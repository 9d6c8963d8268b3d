// wrong_copy_kind.h: whether the kind that a program gives a copy is the direction in which the copy goes.
//
//     trace::wrong_copy_kind(memory_kind::pinned, memory_kind::device, copy_direction::device_to_host)
#pragma once

#include <string>

#include "trace/recording.h"

namespace trace {

/// The message of diagnostic_kind::wrong_copy_kind; "" where the declared direction is that of the memory. Managed memory
/// is on both sides.
std::string wrong_copy_kind(memory_kind source, memory_kind destination, copy_direction declared);

}  // namespace trace
