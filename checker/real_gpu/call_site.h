// call_site.h: the place in the program from which a call was made.
//
// Cheap for calls through interposed.cpp, which notes it; else by walking the stack (about 3 us on an H200's
// host).
//
//     const std::uint64_t where = real_gpu::call_site();
#pragma once

#include <cstdint>

namespace real_gpu {

/// Sets the return address of the next call of this thread.
void note_call_site(const void* return_address);

/// The noted address, which stays noted; nullptr without one.
const void* last_noted_site();

/// The return address of the current call of this thread: takes the noted address, else finds the innermost
/// function of the program itself, not of a library. 0: unknown.
std::uint64_t call_site();

}  // namespace real_gpu
