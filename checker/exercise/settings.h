// settings.h: the backend's settings, and its progress, as messages of the channel.
#pragma once

#include "exercise/message.h"
#include "trace/run_control.h"

namespace exercise {

/// All settings, as the fields that settings_of() reads.
message message_of(const trace::backend_settings& settings);

/// Throws std::runtime_error for a message that message_of() did not make.
trace::backend_settings settings_of(const message& settings);

/// The fields that progress_of() reads.
message message_of(const trace::progress& progress);

/// Throws std::runtime_error as settings_of() does.
trace::progress progress_of(const message& progress);

}  // namespace exercise
