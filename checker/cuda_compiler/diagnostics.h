// diagnostics.h: what compiler and linker say, made readable for someone who never saw the translated code.
//
// Not here: which of it decides the exit status (compile.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_compiler/columns.h"

namespace cuda_compiler {

/// Removes the closures that kernels became from function names, and the lines about our own templates.
std::string without_internals(std::string_view diagnostics);

/// Adds the original source line and a caret below each `file:line:column: error:` (or warning, note). The
/// compiler itself would show the translated line.
std::string with_source_lines(std::string_view diagnostics, const source_reader& read);

/// Cause and cure, a line each, of a failure of the toolchain: a missing or killed assembler or linker, no
/// memory, a full disk. Nothing for errors in the files.
std::optional<std::string> toolchain_failure(std::string_view messages);

/// A name that a file uses and nothing declares.
struct undeclared_name {
  std::string file;  ///< as the compiler names it
  int line = 0;      ///< from 1
  std::string name;
  std::string nearest;  ///< what the compiler suggests; "": nothing
};

/// The names of CUDA's APIs among those that are not declared, each once: cudaGraphAddNode, cuInit, CUdevice. Not one that is
/// misspelt: the compiler then knows nearly the same.
std::vector<undeclared_name> undeclared_api_names(std::string_view diagnostics);

/// The functions and variables a linker did not find, each once, in the order of their first mention.
std::vector<std::string> undefined_names(std::string_view linker_output);

/// The functions and variables a linker found twice.
std::vector<std::string> repeated_names(std::string_view linker_output);

}  // namespace cuda_compiler
