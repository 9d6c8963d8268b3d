// measured_profile.h: from what streamlings-measure-gpu printed to a profile of the virtual GPU.
//
// Here: which measured line becomes which number. Numbers that nothing measures (queues, the width of the
// issue stage) are taken over from another profile, and their source says so. Not here: how is measured
// (device/profiles/measure.cu).
//
//     nlohmann::ordered_json mine = runner::measured_profile(lines, profile_of_h200, "2026-11-21");
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace runner {

/// `printed` is the output of the measurement, "KEY VALUE UNIT n=SAMPLES" a line, after "# NAME OF THE GPU".
/// `pattern` is the profile whose numbers fill the gaps, and whose units hold. Throws cannot_do when a line
/// is missing.
nlohmann::ordered_json measured_profile(const std::string& printed, const nlohmann::ordered_json& pattern,
                                        const std::string& date);

}  // namespace runner
