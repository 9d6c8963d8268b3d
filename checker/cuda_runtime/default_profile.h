// default_profile.h: the profile of a program that is started by itself.
#pragma once

#include <string_view>

namespace cuda_runtime {

/// The text of device/profiles/teaching.json.
extern const std::string_view default_profile_text;

}  // namespace cuda_runtime
