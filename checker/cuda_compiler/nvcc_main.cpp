// The program streamlings-nvcc: a stand-in for nvcc that makes programs for the virtual GPU.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cuda_compiler/nvcc_command.h"
#include "processes/guarded_work.h"

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

Exit status: 0 done, 1 the compiler or the linker refused a file, 2 anything else, 3 something is not supported, 5 a file is
missing.
)";

/// The release whose API the virtual GPU has, in nvcc's words, which build systems read.
constexpr auto version = "streamlings-nvcc, a stand-in for nvcc\nCuda compilation tools, release 13.0, V13.0.0\n";

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace cuda_compiler;
  nvcc_command command = read_nvcc_command({arguments + 1, arguments + argument_count});
  if (command.wants_help || command.wants_version) {
    std::cout << (command.wants_help ? help : version);
    return 0;
  }
  for (const std::string& problem : command.problems) std::cerr << "streamlings-nvcc: " << problem << '\n';
  if (!command.problems.empty()) return static_cast<int>(compile_status::unsupported);

  compile_options& options = command.options;
  if (options.compiler.empty()) options.compiler = STREAMLINGS_DEVICE_CXX;
  options.virtual_include = STREAMLINGS_VIRTUAL_INCLUDE;
  options.library_directory = STREAMLINGS_LIBRARY_DIRECTORY;
  options.main_object = STREAMLINGS_PROGRAM_HOOK;
  std::istringstream libraries(STREAMLINGS_PROGRAM_LIBRARIES);
  options.libraries = {std::istream_iterator<std::string>(libraries), {}};
  options.has_colours = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  setenv("LC_ALL", "C", 1);  // the linker's words are read
  return processes::run_guarded([&](const std::filesystem::path& temporary) {
    const compile_result result = compile(options, temporary);
    std::cerr << result.messages << std::flush;
    return static_cast<int>(result.status);
  });
}
