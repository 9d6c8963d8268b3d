// call_site.h: where in the program a call was made.
//
// Cheap where interposed.cpp noted it on the way, else found by walking up the stack (some 3 us on an H200's
// host).
//
//     const std::uint64_t where = real_gpu::call_site();
#pragma once

#include <cstdint>

namespace real_gpu {

/// Notes that the calling thread is about to make a call from there.
void note_call_site(const void* return_address);

/// What was noted last, without forgetting it; nullptr when it was taken.
const void* last_noted_site();

/// Where the program goes on after the call that the calling thread is in: what was noted, which is then
/// forgotten, or the innermost function of the program itself, not of a library; 0: not known.
std::uint64_t call_site();

}  // namespace real_gpu
