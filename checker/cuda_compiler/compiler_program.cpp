#include "cuda_compiler/compiler_program.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

#include "processes/files.h"
#include "processes/guarded_work.h"

namespace cuda_compiler {
namespace {

std::filesystem::path in_installation(const char* path) {
  return std::filesystem::weakly_canonical(processes::sibling_program("..") / path);
}

}  // namespace

compile_options options_of_installation() {
  compile_options options;
  options.compiler = STREAMLINGS_DEVICE_CXX;
  options.virtual_include = in_installation("share/streamlings/include");
  options.compiled_headers = in_installation("share/streamlings/compiled_headers");
  options.library_directory = in_installation("lib");
  std::istringstream libraries(STREAMLINGS_PROGRAM_LIBRARIES);
  options.libraries = {std::istream_iterator<std::string>(libraries), {}};
  options.has_colours = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return options;
}

std::filesystem::path entry_object(const char* name) {
  return in_installation("lib/streamlings") / (std::string(name) + ".o");
}

int run_compiler(const compile_options& options) {
  setenv("LC_ALL", "C", 1);  // the linker's words are read
  return processes::run_guarded([&](const std::filesystem::path& temporary) {
    const compile_result result = compile(options, temporary);
    std::cerr << result.messages << std::flush;
    return static_cast<int>(result.status);
  });
}

}  // namespace cuda_compiler
