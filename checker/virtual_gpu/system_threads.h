// system_threads.h: the C library's own thread functions, behind those that interposed.cpp defines.
#pragma once

#include <pthread.h>

namespace virtual_gpu {

/// Starts a thread of the system that runs `function(argument)`; the host-thread machinery is not told.
void start_system_thread(void* (*function)(void*), void* argument);

}  // namespace virtual_gpu
