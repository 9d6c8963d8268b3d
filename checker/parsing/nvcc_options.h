// nvcc_options.h: the options of nvcc's command line, told apart.
//
// What each means for the virtual GPU is one table. Not here: what is done because of them (cuda_compiler/nvcc_command.h).
//
//     for (const nvcc_option& option : read_nvcc_words({"-O3", "-arch=sm_90", "-lm", "a.cu"})) ...
//
// Source: NVIDIA CUDA Compiler Driver documentation, "Command Option Description".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parsing {

/// What an option means for the virtual GPU.
enum class nvcc_meaning {
  no_effect,        ///< about code for real GPUs, speed or warnings: work is counted in code of one kind
  compile_only,     ///< -c
  device_link,      ///< -dlink: an object, of the code for kernels that objects have
  output,           ///< -o FILE
  language,         ///< -x cu, c++ or c
  standard,         ///< -std=c++17
  default_stream,   ///< legacy or per-thread
  host_compiler,    ///< -ccbin
  definition,       ///< -D
  undefinition,     ///< -U
  include_folder,   ///< -I
  system_folder,    ///< -isystem
  included_file,    ///< -include
  library,          ///< -l
  library_folder,   ///< -L
  option_file,      ///< more words, in a file
  host_words,       ///< -Xcompiler: with commas between
  linker_words,     ///< -Xlinker: with commas between
  host_word,        ///< the option itself is the host compiler's: -fopenmp
  dependency_list,  ///< -MD, -MMD
  dependency_file,  ///< -MF
  dependency_name,  ///< -MT, -MQ
  help,
  version,
  refused,
  other,  ///< a file, or a word that nvcc does not know
};

/// An option that was given, or another word.
struct nvcc_option {
  nvcc_meaning meaning = nvcc_meaning::other;
  std::string value{};               ///< "" for an option without one
  std::vector<std::string> words{};  ///< as they were given
  std::string_view why{};            ///< of one that is refused
};

/// A command line, in its order. Options whose names are in `not_these` are taken for other words.
std::vector<nvcc_option> read_nvcc_words(const std::vector<std::string>& words,
                                         const std::vector<std::string_view>& not_these = {});

}  // namespace parsing
