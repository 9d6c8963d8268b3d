// errors.h: the two ways in which a verb of the program ends without a verdict.
#pragma once

#include "processes/cannot_do.h"
#include "processes/child_process.h"

namespace runner {

using processes::cannot_do;
using processes::interrupted;

}  // namespace runner
