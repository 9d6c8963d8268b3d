// golden.h: for tests: compares text with a file that was looked at and committed.
//
// The files lie in golden/ beside the test; STREAMLINGS_UPDATE_GOLDEN=1 in the environment rewrites them,
// nothing else does.
//
//     report::expect_golden("verdict_no_overlap.txt", verdict_text(what, {}));
#pragma once

#include <string>
#include <string_view>

namespace report {

/// Fails the current test when the file is missing or its content is not exactly `text`.
void expect_golden(const std::string& file_name, std::string_view text);

}  // namespace report
