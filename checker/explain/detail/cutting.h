// cutting.h: more, smaller chunks. Only for division.cpp.
//
//     const explain::program fine = explain::cut_chunks(program, chunks, 8, false);
#pragma once

#include <cstdint>

#include "explain/detail/chunks.h"
#include "explain/detail/replay.h"

namespace explain {

/// The program in which every chunk is `pieces` chunks that go through the GPU one behind the other.
/// `may_wait_at_its_end`: a wait of the host in a chunk's last call need not keep the next piece back.
program cut_chunks(const program& whole, const chunks& of, std::uint32_t pieces, bool may_wait_at_its_end);

}  // namespace explain
