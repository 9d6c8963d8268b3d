// unused_results.h: which failed calls of a recording returned their error to nobody, from the program's source.
//
// No backend can see what becomes of a returned value. Not here: whether the error is asked for later (analysis/misuse.h).
//
//     exercise::mark_unused_results(recording);   // behind resolve_source_lines()
#pragma once

#include "trace/recording.h"

namespace exercise {

/// Sets host_call::is_result_unused of each failed call that is a statement of its own on its line, as `cudaFree(data);` is,
/// and of launches with <<<>>>. Where the line has several calls of the function, all of them have to be. A value that is
/// cast to void is used. The files are read where the recording says; what cannot be read is left as it is.
void mark_unused_results(trace::recording& recording);

}  // namespace exercise
