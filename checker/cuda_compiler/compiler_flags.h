// compiler_flags.h: with which flags a program for the virtual GPU is compiled and linked.
//
// Everything the virtual GPU's view of memory and work depends on is here; the hooks that these flags ask for are in
// interposition/instrumentation.cpp. Not here: the steps of a compilation (compile.h).
#pragma once

#include <string>
#include <vector>

namespace cuda_compiler {

/// Whose options are understood.
enum class compiler_family { gcc, clang };

/// The macros that nvcc defines for .cu files, in code of the host and of the device.
std::vector<std::string> cuda_flags();

/// For the translated text, whatever its language. `version`: what the compiler prints with --version.
std::vector<std::string> code_flags(compiler_family family, const std::string& version);

/// The runtime library takes over the functions listed in interposed_functions.h.
std::vector<std::string> link_flags();

}  // namespace cuda_compiler
