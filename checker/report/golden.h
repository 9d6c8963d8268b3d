// golden.h: for tests: compares text with a committed file, and looks into it.
//
// The files lie in golden/ beside the test. Only STREAMLINGS_UPDATE_GOLDEN=1 in the environment rewrites them.
//
//     report::expect_golden("verdict_no_overlap.txt", verdict_text(result, {}));
#pragma once

#include <string>
#include <string_view>

namespace report {

/// Fails the current test unless the content of the file is exactly `text`.
void expect_golden(const std::string& file_name, std::string_view text);

/// How often `part` stands in `text`.
int times_in(std::string_view text, std::string_view part);

}  // namespace report
