// system_call_filter.h: which system calls a program in a sandbox may not make.
#pragma once

#include <string>

namespace processes {

/// Whether this was built with libseccomp.
bool has_system_call_filter();

/// The filter as the kernel and bubblewrap read it (an array of sock_filter). Forbidden calls fail with EPERM; calls of other
/// architectures end the program. Throws std::system_error when libseccomp cannot make it.
const std::string& system_call_filter();

}  // namespace processes
