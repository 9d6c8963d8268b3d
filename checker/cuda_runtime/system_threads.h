// system_threads.h: threads that are no host threads of the program.
#pragma once

namespace cuda_runtime {

/// Starts a thread of the system that runs `function(argument)`; host_threads does not know it. False when the system
/// has none left.
bool start_system_thread(void* (*function)(void*), void* argument);

}  // namespace cuda_runtime
