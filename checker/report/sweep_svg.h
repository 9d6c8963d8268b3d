// sweep_svg.h: a sweep as a drawing: time against the second parameter, a line for each value of the first.
//
//     write(report::sweep_svg(measured));
#pragma once

#include <string>

#include "report/sweep.h"

namespace report {

/// A self-contained SVG file for light and dark backgrounds. Each point has its setting and time as tooltip; the
/// description names the optimum.
std::string sweep_svg(const sweep& sweep);

}  // namespace report
