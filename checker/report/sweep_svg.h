// sweep_svg.h: a sweep as a drawing: time against the second parameter, a line for each value of the first.
//
//     write(report::sweep_svg(measured));
#pragma once

#include <string>

#include "report/sweep.h"

namespace report {

/// A whole SVG file that needs nothing from outside and follows the reader's choice of light or dark. Every
/// point carries its setting and time as a tooltip; the description tells the optimum in words.
std::string sweep_svg(const sweep& sweep);

}  // namespace report
