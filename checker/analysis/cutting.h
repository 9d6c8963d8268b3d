// cutting.h: more, smaller chunks. Only for division.cpp.
//
//     const analysis::program fine = analysis::cut_chunks(program, chunks, 8, false);
#pragma once

#include <cstdint>

#include "analysis/chunks.h"
#include "analysis/replay.h"

namespace analysis {

/// The program in which every chunk is `pieces` chunks that go through the GPU one behind the other.
/// `may_wait_at_its_end`: a wait of the host in a chunk's last call need not keep the next piece back.
program cut_chunks(const program& whole, const chunks& of, std::uint32_t pieces, bool may_wait_at_its_end);

}  // namespace analysis
