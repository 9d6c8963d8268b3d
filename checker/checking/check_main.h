// check_main.h: the command line of a check program (checkNN). Its verbs are what ctest and `streamlings`
// call.
#pragma once

#include "checking/criterion.h"

namespace checking {

/// Which lesson a check program was built for.
struct check_program {
  const char* checkout;  ///< the root of the course
  const char* lesson;    ///< the lesson's folder, "03_async_copy"
  const checking::rubric& rubric;
};

/// The whole main(). Exit status of `run`: 0 the file compiled and the record is written, 1 it did not
/// compile (the record says why), 2 could not be done, 77 there is no GPU to run it on. Of `criterion`: 0
/// pass, 1 fail, 77 not observable. Of the other verbs: 0 as expected, 1 not, 2 could not be done.
int check_main(int argument_count, char** arguments, const check_program& program);

}  // namespace checking
