// compiler_program.h: what the programs streamlings-compile and streamlings-nvcc share: where they find the virtual GPU, and
// how they run.
//
// A build folder and an installation have the same folders, so all is found from the program's own:
//
//     bin/streamlings-nvcc
//     lib/libvirtual_gpu.so
//     lib/streamlings/program_hook.o
//     share/streamlings/include/cuda_runtime.h
#pragma once

#include "cuda_compiler/compile.h"

namespace cuda_compiler {

/// Options with the paths of the virtual GPU, and of the compiler with which it was built.
compile_options options_of_installation();

/// The object of that name, linked in addition: "program_hook" or "exercise_main".
std::filesystem::path entry_object(const char* name);

/// Compiles and prints the messages. Returns the exit status.
int run_compiler(const compile_options& options);

}  // namespace cuda_compiler
