// check_main.h: the command line of the check program, streamlings-check FOLDER VERB ..., where FOLDER is that of a
// lesson. Its verbs are what ctest and `streamlings` call.
#pragma once

namespace checking {

/// The whole main(). `checkout` is the root of the course. Exit status of `run`: 0 the file compiled and the record
/// is written, 1 it did not compile (the record says why), 2 could not be done, 77 there is no GPU to run it on. Of
/// `criterion`: 0 pass, 1 fail, 77 not observable. Of the other verbs: 0 as expected, 1 not, 2 could not be done.
int check_main(int argument_count, char** arguments, const char* checkout);

}  // namespace checking
