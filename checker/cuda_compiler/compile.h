// compile.h: makes a program for the virtual GPU from .cu files, and from host code in files of any other
// name.
//
// Each file is preprocessed, translated and compiled with the instrumentation that lets the virtual GPU see
// memory accesses and count work; then all are linked with the runtime library. Not here: the command line
// (compile_main.cpp).
//
//     compile_result result = compile({.sources = {"a.cu"}, .output = "a", ...}, temporary);
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "processes/compile_status.h"

namespace cuda_compiler {

using processes::compile_status;

/// Where main() comes from.
enum class main_function {
  of_lesson,   ///< main() comes from the exercise module
  of_program,  ///< the files bring their own main()
};

/// What the stream handle 0 means in the files. @see CUDA Programming Guide, "Default Stream"
enum class default_stream { legacy, per_thread };

/// What a file is written in.
enum class source_language {
  by_name,  ///< CUDA C++ when the name ends in .cu, C in .c, else C++
  cuda,
  cpp,
  c,
};

/// A list of the files that a source includes, in the language of make.
struct dependency_list {
  std::filesystem::path file{};  ///< empty: none
  std::string name{};            ///< of what depends on them; empty: the output
};

/// What each step may take; 0: no limit. A step beyond it is an error of the files: a template or a constant expression
/// without end, or a file that cannot be read to its end.
struct compile_limits {
  std::chrono::seconds cpu_time{0};
  std::chrono::seconds real_time{0};
  std::size_t memory_bytes = 0;
};

/// What is compiled, how, and with what.
struct compile_options {
  std::string compiler{};                          ///< g++ or clang++, by name or path
  main_function main = main_function::of_program;  ///< who defines main()
  std::vector<std::string> include_directories{};  ///< searched in this order
  std::vector<std::string> definitions{};          ///< NAME or NAME=VALUE
  /// Of a lesson: the files and folders that .cu files may include, beside `virtual_include` and the compiler's own;
  /// empty: any.
  std::vector<std::string> readable{};
  std::string standard = "c++17";                       ///< of C++
  std::string c_standard{};                             ///< of C; empty: the compiler's own
  default_stream null_stream = default_stream::legacy;  ///< what the stream handle 0 means
  std::filesystem::path cache{};                        ///< empty: none
  std::filesystem::path virtual_include{};              ///< where cuda_runtime.h is
  /// The folder with the outputs of earlier compilations that `makes_header`, of cuda_runtime.h and lesson_prelude.h by the same names,
  /// taken where g++ and the options are the same; empty: none.
  std::filesystem::path compiled_headers{};
  std::filesystem::path library_directory{};            ///< where libvirtual_gpu.so is
  std::vector<std::string> libraries{};                 ///< linked behind libvirtual_gpu, by name
  source_language language = source_language::by_name;  ///< of all sources
  std::vector<std::string> host_words{};                ///< for the host compiler, at each step
  std::vector<std::string> preprocessor_words{};        ///< the same, where headers are included
  std::vector<std::string> linked{};  ///< objects, archives, and options of the linker, in their order
  bool makes_objects =
      false;  ///< nothing is linked; each source becomes an object; without sources one with nothing in it
  /// Of the one source, a header: the output is a header that includes it, with g++ the compiled form beside it.
  bool makes_header = false;
  dependency_list dependencies{};
  std::filesystem::path main_object{};  ///< linked in addition: exercise_main or program_hook; empty: none
  bool has_colours = false;             ///< diagnostics are for a terminal
  std::filesystem::path output{};  ///< the program or the object to make; empty: the source's name with .o
  compile_limits limits{};
  std::vector<std::string> sources{};
};

/// What came of it.
struct compile_result {
  compile_status status = compile_status::failed;  ///< done: the program is there
  std::string messages;                            ///< errors and warnings, ready to print
};

/// Compiles and links. Several files are compiled at the same time. Intermediate files go to `temporary`.
compile_result compile(const compile_options& options, const std::filesystem::path& temporary);

}  // namespace cuda_compiler
