// joining.h: fewer, larger chunks. Only for division.cpp.
//
//     const auto groups = explain::alike_chunks_of(program, recording, chunks);
//     const explain::program coarse = explain::join_chunks(program, chunks, groups, 4);
#pragma once

#include <cstddef>
#include <vector>

#include "explain/detail/chunks.h"
#include "explain/detail/replay.h"

namespace explain {

/// Chunks that do the same to other bytes, by their places among the chains.
using alike_chunks = std::vector<std::size_t>;

/// All that there are.
std::vector<alike_chunks> alike_chunks_of(const program& what, const trace::recording& seen,
                                          const chunks& among);

/// The program in which every `size` chunks of a group are one: their bytes and blocks add up, and what each
/// cost the host is paid once.
program join_chunks(const program& whole, const chunks& of, const std::vector<alike_chunks>& groups,
                    std::size_t size);

}  // namespace explain
