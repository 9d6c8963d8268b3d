// figures.h: the numbers of a run that a result record keeps, by name.
//
// A name ends in its unit. Not here: what a criterion measures (report/result.h).
//
//     report::figures_of(part).at("took_ms");
#pragma once

#include <map>
#include <string>

#include "analysis/part.h"

namespace report {

/// Numbers of a run by name.
using figures = std::map<std::string, double>;

/// What can be told of the part:
/// - "took_ms": from its begin to the end of the last thing it did;
/// - "streams": those with a kernel, copy or memset in them;
/// - "pinned_buffers": allocated or registered by a call of the part;
/// - "serial_percent": the time of its kernels, copies and memsets, in percent of the sum of their lengths;
/// - "kernels_at_once": on average, while any runs;
/// - "kernels_busy_percent": of the time from the first kernel's start to the last one's end;
/// - "kernel_lengths": that time, in average lengths of a kernel.
/// Names of kernels and operations are left out where there are none.
figures figures_of(const analysis::part& part);

}  // namespace report
