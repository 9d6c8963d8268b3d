// source_lines.h: from code addresses in a recording to lines of the program's source.
//
// An exercise program cannot know its own lines cheaply, so it records return addresses: locations in the
// pseudo file "@code" whose line is the address (programs are linked at a fixed address below 4 GiB). "@code 4198837 4199100" is
// the same, with the return addresses of the calls around it.
//
//     exercise::resolve_source_lines(recording, "build/lesson03", {"lessons/03_async_copy/async_copy.cu"});
#pragma once

#include <filesystem>
#include <vector>

#include "trace/recording.h"

namespace exercise {

/// The pseudo file of locations that are code addresses.
inline constexpr const char* code_file = "@code";

/// Replaces each location in code_file by the innermost source line of `own` that called it, or where there is none by the
/// innermost that is neither a header of CUDA (the virtual GPU's or the toolkit's) nor a system header, or by "not known". The
/// lines of `own` around it, as far as no code of others lies between them, become its callers. Asks addr2line, once; when that
/// cannot be run, adds a diagnostic "no_source_lines". Source files that are not among `own`, and in no
/// folder of them, are marked as given; without any of them none is.
void resolve_source_lines(trace::recording& recording, const std::filesystem::path& program,
                          const std::vector<std::filesystem::path>& own);

}  // namespace exercise
