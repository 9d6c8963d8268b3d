// The program streamlings-nvcc: a stand-in for nvcc that makes programs for the virtual GPU.
#include <cstdlib>
#include <iostream>
#include <string>

#include "cuda_compiler/compiler_program.h"
#include "cuda_compiler/nvcc_command.h"

namespace {

constexpr auto help = R"(streamlings-nvcc makes programs for the virtual GPU from what is written for nvcc.

  make NVCC=streamlings-nvcc
  cmake -D CMAKE_TOOLCHAIN_FILE=.../share/streamlings/virtual_gpu.cmake ...
  streamlings-nvcc -O3 -arch=sm_90 -o saxpy saxpy.cu -lm
  streamlings run ./saxpy --timeline text

It takes nvcc's options: -c, -o, -x, -std, -I, -isystem, -include, -D, -U, -L, -l, -Xcompiler, -Xlinker, -ccbin,
-default-stream, -MD, -MMD, -MF, -MT, -fopenmp and others of the host compiler. Options about code for real GPUs, speed and
warnings have no effect, because work is counted in code compiled with -O1: -O3, -g, -G, -lineinfo, -arch, -gencode, -rdc,
-maxrregcount, -use_fast_math, -Xptxas, --expt-*. c++11 is compiled as c++14. What makes code for a real GPU is refused by name.

STREAMLINGS_CACHE names a folder in which the last objects are kept: what did not change is not compiled again.

Exit status: 0 done, 1 the compiler or the linker refused a file, 2 anything else, 3 something is not supported, 5 a file is
missing.
)";

/// The release whose API the virtual GPU has, in nvcc's words, which build systems read.
constexpr auto version =
    "streamlings-nvcc, a stand-in for nvcc\nCuda compilation tools, release 13.0, V13.0.0\n";

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace cuda_compiler;
  nvcc_command command =
      read_nvcc_command({arguments + 1, arguments + argument_count}, options_of_installation());
  if (command.wants_help || command.wants_version) {
    std::cout << (command.wants_help ? help : version);
    return 0;
  }
  for (const std::string& problem : command.problems) std::cerr << "streamlings-nvcc: " << problem << '\n';
  if (!command.problems.empty()) return static_cast<int>(compile_status::unsupported);

  command.options.main_object = entry_object("program_hook");
  if (const char* const cache = std::getenv("STREAMLINGS_CACHE")) command.options.cache = cache;
  return run_compiler(command.options);
}
