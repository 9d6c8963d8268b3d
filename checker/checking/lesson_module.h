// lesson_module.h: the check.cpp of a lesson, a shared object that this program loads by the lesson's folder.
//
// One that does not compile still becomes a module: it holds what the compiler said (lessons/compile_check.sh),
// so that it breaks its own lesson and nothing else. Not here: what a check.cpp says (criterion.h).
//
//     const rubric& rubric = checking::load_rubric(checking::module_of("03_async_copy"));
#pragma once

#include <filesystem>
#include <string>

#include "checking/criterion.h"

namespace checking {

/// Where the build leaves the module of the lesson in that folder: lib/checks, beside the folder of this program.
std::filesystem::path module_of(const std::string& lesson_folder);

/// The rubric of a module. It stays loaded. Waits for a module that the start script is building. Throws std::runtime_error, with the messages of the compiler when
/// its check.cpp did not compile.
const rubric& load_rubric(const std::filesystem::path& module);

}  // namespace checking
