// barrier_objects.h: barriers that are objects of a kernel; what cuda/barrier, cuda/pipeline and
// cuda_awbarrier_primitives.h are made of. Programs include those.
//
// A barrier is eight bytes of shared or device memory, at a multiple of eight. A phase ends with the last arrival that it
// expects. Threads that wait in vain end the kernel with cudaErrorLaunchFailure; the recording names the line.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "async_copies.h"

namespace virtual_gpu {

/// Expects 1 to 1048575 arrivals a phase.
void make_barrier(void* barrier, unsigned long long expected);
/// Counts arrivals; gives the phase in which they count.
unsigned long long arrive(void* barrier, unsigned long long count);
void arrive_and_wait(void* barrier);
/// Arrives once; later phases expect one arrival less.
void arrive_and_drop(void* barrier);
bool has_phase_ended(const void* barrier, unsigned long long phase);
void wait_for_phase(const void* barrier, unsigned long long phase);
unsigned long long phase_of(const void* barrier);
/// The same for the current phase or the one before, whichever has that parity.
bool has_parity_ended(const void* barrier, bool parity);
void wait_for_parity(const void* barrier, bool parity);
/// The copies of the thread's open batch are made when the barrier's current phase ends.
void copy_until_phase_ends(void* barrier);

}  // namespace virtual_gpu
