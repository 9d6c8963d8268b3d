// The program streamlings-compile: a compiler driver for .cu files on the virtual GPU.
#include <string>
#include <utility>
#include <vector>

#include "cuda_compiler/compiler_program.h"
#include "parsing/command_line.h"

namespace {

/// Of each step; 0: no limit.
struct limit_numbers {
  int cpu_seconds = 0;
  int real_seconds = 0;
  int memory_megabytes = 0;
};

/// Puts the options on the command line; paths of this build are the defaults of the hidden ones.
void declare(parsing::command& program, cuda_compiler::compile_options& options, std::string& level,
             limit_numbers& limits) {
  using cuda_compiler::default_stream;
  using cuda_compiler::main_function;
  program.option("--compiler", options.compiler, "g++ or clang++").shows_default();
  program.choice("--main", options.main,
                 {{"lesson", main_function::of_lesson}, {"program", main_function::of_program}},
                 "who brings main(): 'lesson' (the exercise) or 'program' (the files)");
  program.option("--std", options.standard, "language of the files; -std= works too")
      .one_of({"c++14", "c++17", "c++20"})
      .shows_default();
  program.choice("--default-stream", options.null_stream,
                 {{"legacy", default_stream::legacy}, {"per-thread", default_stream::per_thread}},
                 "what the stream 0 means: 'legacy' or 'per-thread'");
  program.option("-O", level, "1 is the only level").called("LEVEL").checked([](const std::string& value) {
    return value == "1" ? "" : "work is counted in code compiled with -O1";
  });
  program.option("-I", options.include_directories, "directory of headers");
  program.option("--readable", options.readable,
                 "the only files and folders that .cu files may include, beside CUDA's and "
                 "C++'s own; for lessons");
  program.option("-D", options.definitions, "macro: NAME or NAME=VALUE");
  program.option("--cache", options.cache, "directory where objects are kept for the next time");
  program.option("-o", options.output, "the program to write").required();
  program.option("files", options.sources, "FILE.cu...").required();
  program.flag("--precompile", options.makes_header, "").hidden();
  program.option("--cpu-limit", limits.cpu_seconds, "").between(0, 100'000).hidden();
  program.option("--time-limit", limits.real_seconds, "").between(0, 100'000).hidden();
  program.option("--memory-limit", limits.memory_megabytes, "").between(0, 1'000'000).hidden();
  program.option("--virtual-include", options.virtual_include, "").hidden();
  program.option("--library-directory", options.library_directory, "").hidden();
  program.option("--main-object", options.main_object, "").hidden();
}

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace cuda_compiler;
  compile_options options = options_of_installation();
  parsing::command program(
      "Compiles CUDA programs for the virtual GPU.\n\nExample: streamlings-compile -o saxpy saxpy.cu\n",
      "streamlings-compile");
  program.footer(
      "Exit status: 0 done, 1 the compiler refused a file, 2 anything else, 3 a construct is not supported,\n"
      "4 main() is defined although the lesson brings it, 5 a file is missing, 6 a file includes what it may not,\n"
      "7 the time was up while the compiler waited.");
  std::string level;
  limit_numbers limits;
  declare(program, options, level, limits);
  std::vector<std::string> value = parsing::words_behind_name(argument_count, arguments);
  for (std::string& word : value) {
    if (word.rfind("-std=", 0) == 0) word.insert(0, "-");  // as compilers spell it
  }
  if (const auto status = program.run(std::move(value), static_cast<int>(compile_status::failed)))
    return *status;
  options.limits = {std::chrono::seconds(limits.cpu_seconds), std::chrono::seconds(limits.real_seconds),
                    static_cast<std::size_t>(limits.memory_megabytes) << 20};
  if (options.main_object.empty())
    options.main_object =
        entry_object(options.main == main_function::of_lesson ? "exercise_main" : "program_hook");
  return run_compiler(options);
}
