// nvcc_command.h: what a command line of nvcc means for the virtual GPU.
//
// Not here: the table of nvcc's options (parsing/nvcc_options.h), and what is compiled because of them (compile.h).
//
//     nvcc_command command = read_nvcc_command({"-O3", "-arch=sm_90", "-o", "saxpy", "saxpy.cu", "-lm"}, options_of_installation());
//     if (command.problems.empty()) compile(command.options, temporary);
#pragma once

#include <string>
#include <vector>

#include "cuda_compiler/compile.h"

namespace cuda_compiler {

/// A command line, read.
struct nvcc_command {
  compile_options options{};
  bool wants_help = false;
  bool wants_version = false;
  std::vector<std::string> problems{};  ///< sentences about what cannot be done
};

/// Reads the words behind the name of the program. `defaults` is what they change.
nvcc_command read_nvcc_command(const std::vector<std::string>& words, const compile_options& defaults = {});

}  // namespace cuda_compiler
