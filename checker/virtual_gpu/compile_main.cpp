// The program streamlings-compile: a compiler driver for .cu files on the virtual GPU.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "virtual_gpu/compile.h"
#include "virtual_gpu/process.h"

namespace {

/// Puts the options on the command line; paths of this build are the defaults of the hidden ones.
void declare(CLI::App& app, virtual_gpu::compile_options& options) {
  using virtual_gpu::default_stream;
  using virtual_gpu::main_function;
  static const std::map<std::string, main_function> mains = {{"lesson", main_function::of_lesson},
                                                             {"program", main_function::of_program}};
  app.add_option("--compiler", options.compiler, "g++ or clang++")->capture_default_str();
  app.add_option("--main", options.main,
                 "who brings main(): 'lesson' (the exercise) or 'program' (the files)")
      ->transform(CLI::CheckedTransformer(mains).description(""))
      ->type_name("NAME");
  app.add_option("--std", options.standard, "language of the files; -std= works too")
      ->check(CLI::IsMember({"c++14", "c++17", "c++20"}))
      ->capture_default_str();
  static const std::map<std::string, default_stream> streams = {{"legacy", default_stream::legacy},
                                                                {"per-thread", default_stream::per_thread}};
  app.add_option("--default-stream", options.null_stream, "what the stream 0 means: 'legacy' or 'per-thread'")
      ->transform(CLI::CheckedTransformer(streams).description(""))
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "-O",
         [](const std::string& level) {
           if (level != "1")
             throw CLI::ValidationError("-O" + level, "work is counted in code compiled with -O1");
         },
         "1 is the only level")
      ->type_name("LEVEL");
  app.add_option("-I", options.include_directories, "directory of headers")->allow_extra_args(false);
  app.add_option("-D", options.definitions, "macro: NAME or NAME=VALUE")->allow_extra_args(false);
  app.add_option("--cache", options.cache, "directory where objects are kept for the next time");
  app.add_option("-o", options.output, "the program to write")->required();
  app.add_option("files", options.sources, "FILE.cu...")->required();
  app.add_option("--virtual-include", options.virtual_include)->group("");
  app.add_option("--library-directory", options.library_directory)->group("");
  app.add_option("--main-object", options.main_object)->group("");
}

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace virtual_gpu;
  compile_options options;
  options.compiler = STREAMLINGS_DEVICE_CXX;
  options.virtual_include = STREAMLINGS_VIRTUAL_INCLUDE;
  options.library_directory = STREAMLINGS_LIBRARY_DIRECTORY;
  std::istringstream libraries(STREAMLINGS_PROGRAM_LIBRARIES);
  options.libraries = {std::istream_iterator<std::string>(libraries), {}};
  options.has_colours = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;

  CLI::App app{
      "Compiles CUDA programs for the virtual GPU.\n\nExample: streamlings-compile -o saxpy saxpy.cu\n"};
  app.footer(
      "Exit status: 0 done, 1 the compiler refused a file, 2 anything else, 3 a construct is not supported,\n"
      "4 main() is defined although the lesson brings it, 5 a file is missing.");
  declare(app, options);
  try {
    std::vector<std::string> given(arguments + 1, arguments + argument_count);
    for (std::string& each : given) {
      if (each.rfind("-std=", 0) == 0) each.insert(0, "-");  // as compilers spell it
    }
    std::reverse(given.begin(), given.end());  // as CLI11 takes them
    app.parse(std::move(given));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(compile_status::failed);
  }
  if (options.main_object.empty()) {
    options.main_object =
        options.main == main_function::of_lesson ? STREAMLINGS_EXERCISE_MAIN : STREAMLINGS_PROGRAM_HOOK;
  }
  setenv("LC_ALL", "C", 1);  // the linker's words are read
  return run_guarded([&](const std::filesystem::path& temporary) {
    const compile_result result = compile(options, temporary);
    std::cerr << result.messages << std::flush;
    return static_cast<int>(result.status);
  });
}
