// measured_profile.h: turns the output of streamlings-measure-gpu into a profile of the virtual GPU.
//
// Numbers that are not measured (queues, the width of the issue stage) come from another profile, and their
// source says so. Not here: the measurement (device/profiles/measure.cu).
//
//     nlohmann::ordered_json mine = runner::measured_profile(lines, profile_of_h200, "2026-11-21");
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace runner {

/// `printed` has a line "# NAME OF THE GPU", then lines "KEY VALUE UNIT n=SAMPLES". `pattern` is the profile
/// whose numbers fill the gaps and whose units hold. Throws cannot_do when a line is missing.
nlohmann::ordered_json measured_profile(const std::string& printed, const nlohmann::ordered_json& pattern,
                                        const std::string& date);

}  // namespace runner
