#include "cuda_compiler/nvcc_command.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "cuda_compiler/toolkit_headers.h"
#include "parsing/nvcc_options.h"

namespace cuda_compiler {
namespace {

namespace fs = std::filesystem;
using parsing::nvcc_meaning;

constexpr int max_option_files = 1000;  ///< a file that names itself ends

std::vector<std::string> words_between_commas(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// The words of an option file: white space is between them, unless it is quoted.
std::vector<std::string> words_of_file(const std::string& text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped = text[i] == '\\' && quote != '\'' && i + 1 < text.size();
    const char c = is_escaped ? text[++i] : text[i];
    if (!is_escaped && quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (!is_escaped && (quote != 0 ? c == quote : c == '"' || c == '\''))
      quote = quote != 0 ? '\0' : c;
    else
      words.back() += c;
  }
  return words;
}

/// Parts of CUDA that libvirtual_gpu stands in for.
bool is_of_runtime(std::string_view library) {
  constexpr std::array names{"cudart", "cudart_static", "cudadevrt", "nvToolsExt"};
  return std::find(names.begin(), names.end(), library) != names.end();
}

/// Why a library of the toolkit is not here; nothing for libraries of others.
std::optional<std::string> why_no_library(const std::string& name) {
  if (name == "cuda") return why_not_here("cudaTypedefs.h");
  if (name == "nvidia-ml") return why_not_here("nvml.h");
  if (const auto why = why_not_here(name)) return why;
  return why_not_here(name + ".h");
}

/// An object, an archive or a shared library.
bool is_linked(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".o" || extension == ".obj" || extension == ".a" || extension == ".so" ||
         file.filename().string().find(".so.") != std::string::npos;
}

bool is_source(const fs::path& file) {
  constexpr std::array extensions{".cu", ".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
  return std::find(extensions.begin(), extensions.end(), file.extension().string()) != extensions.end();
}

class command_reader {
 public:
  explicit command_reader(const compile_options& defaults) { command_.options = defaults; }

  nvcc_command read(const std::vector<std::string>& words) {
    take_words(words);
    if (command_.wants_help || command_.wants_version) return command_;
    if (links_device_code_) return device_link();
    if (options().sources.empty() && options().linked.empty())
      problem("no file is given. Example: streamlings-nvcc -o saxpy saxpy.cu");
    if (options().makes_objects && options().sources.size() > 1 && !options().output.empty())
      problem("-o names one file, and -c makes " + std::to_string(options().sources.size()));
    if (!options().makes_objects && options().output.empty()) options().output = "a.out";
    dependency_list& dependencies = options().dependencies;
    if (!wants_dependencies_)
      dependencies.file.clear();
    else if (dependencies.file.empty() && !options().sources.empty())
      dependencies.file =
          fs::path(options().output.empty() ? options().sources.front() : options().output.string())
              .replace_extension(".d");
    return command_;
  }

 private:
  compile_options& options() { return command_.options; }
  void problem(const std::string& sentence) { command_.problems.push_back(sentence); }

  void take_words(const std::vector<std::string>& words) {
    for (const parsing::nvcc_option& option : parsing::read_nvcc_words(words)) take(option);
  }

  void take(const parsing::nvcc_option& option) {
    switch (option.meaning) {
      case nvcc_meaning::no_effect:
        return;
      case nvcc_meaning::compile_only:
        options().makes_objects = true;
        return;
      case nvcc_meaning::device_link:
        links_device_code_ = true;
        return;
      case nvcc_meaning::output:
        options().output = option.value;
        return;
      case nvcc_meaning::language:
        return take_language(option.value);
      case nvcc_meaning::standard:
        return take_standard(option.value);
      case nvcc_meaning::default_stream:
        if (option.value == "per-thread")
          options().null_stream = default_stream::per_thread;
        else if (option.value != "legacy" && option.value != "null")
          problem("-default-stream is legacy or per-thread, not " + option.value);
        return;
      case nvcc_meaning::host_compiler:
        options().compiler = option.value;
        return;
      case nvcc_meaning::definition:
        options().definitions.push_back(option.value);
        return;
      case nvcc_meaning::undefinition:
        options().preprocessor_words.push_back("-U" + option.value);
        return;
      case nvcc_meaning::include_folder:
        options().include_directories.push_back(option.value);
        return;
      case nvcc_meaning::system_folder:
        options().preprocessor_words.insert(options().preprocessor_words.end(), {"-isystem", option.value});
        return;
      case nvcc_meaning::included_file:
        options().preprocessor_words.insert(options().preprocessor_words.end(), {"-include", option.value});
        return;
      case nvcc_meaning::library:
        return take_library(option.value);
      case nvcc_meaning::library_folder:
        options().linked.push_back("-L" + option.value);
        return;
      case nvcc_meaning::option_file:
        for (const std::string& file : words_between_commas(option.value)) take_option_file(file);
        return;
      case nvcc_meaning::host_words:
        for (const std::string& word : words_between_commas(option.value)) take_host_word(word);
        return;
      case nvcc_meaning::host_word:
        return take_host_word(option.value.empty() ? option.words.front() : option.value);
      case nvcc_meaning::linker_words:
        for (const std::string& word : words_between_commas(option.value))
          options().linked.push_back("-Wl," + word);
        return;
      case nvcc_meaning::dependency_list:
        wants_dependencies_ = true;
        return;
      case nvcc_meaning::dependency_file:
        options().dependencies.file = option.value;
        return;
      case nvcc_meaning::dependency_name:
        options().dependencies.name = option.value;
        return;
      case nvcc_meaning::help:
        command_.wants_help = true;
        return;
      case nvcc_meaning::version:
        command_.wants_version = true;
        return;
      case nvcc_meaning::refused:
        problem(option.words.front() + " is not supported: " + std::string(option.why));
        return;
      case nvcc_meaning::other:
        return take_file(option.value);
    }
  }

  void take_language(const std::string& name) {
    if (name == "cu")
      options().language = source_language::cuda;
    else if (name == "c++")
      options().language = source_language::cpp;
    else if (name == "c")
      options().language = source_language::c;
    else
      problem("-x is cu, c++ or c, not " + name);
  }

  void take_standard(const std::string& name) {
    // The headers of the virtual GPU need C++14; what is valid C++11 is valid there, with few exceptions.
    if (name == "c++03" || name == "c++11" || name == "gnu++11")
      options().standard = "c++14";
    else if (name.rfind("c++", 0) == 0 || name.rfind("gnu++", 0) == 0)
      options().standard = name;
    else if (name.rfind("c", 0) == 0 || name.rfind("gnu", 0) == 0)
      options().c_standard = name;
    else
      problem("-std is c++11 to c++23, not " + name);
  }

  void take_library(const std::string& name) {
    if (is_of_runtime(name)) return;
    if (const auto why = why_no_library(name))
      problem("-l" + name + " is not supported: " + *why);
    else
      options().linked.push_back("-l" + name);
  }

  void take_option_file(const std::string& file) {
    std::ifstream text(file, std::ios::binary);
    if (++option_files_ > max_option_files)
      problem("more than " + std::to_string(max_option_files) + " files of options are read: " + file);
    else if (text)
      take_words(words_of_file({std::istreambuf_iterator<char>(text), {}}));
    else
      problem("the file of options " + file + " cannot be read");
  }

  /// Code for kernels is in the objects already, ready for the linker: what is left is an object without anything.
  nvcc_command device_link() {
    if (options().output.empty()) options().output = "a_dlink.o";
    options().makes_objects = true;
    options().sources.clear();
    options().linked.clear();
    options().dependencies.file.clear();
    return command_;
  }

  void take_host_word(const std::string& word) {
    if (word.rfind("-Wl,", 0) == 0)
      options().linked.push_back(word);
    else if (word.rfind("-W", 0) != 0)
      options().host_words.push_back(word);
  }

  void take_file(const std::string& word) {
    if (word.size() > 1 && word.front() == '@')
      take_option_file(word.substr(1));  // for the host compiler's link, CMake writes it so
    else if (word.empty() || word.front() == '-')
      problem(word + " is no option of nvcc that the stand-in knows; --help lists them");
    else if (is_linked(word))
      options().linked.push_back(word);
    else if (is_source(word) || options().language != source_language::by_name)
      options().sources.push_back(word);
    else
      problem(word + " is neither a source file (.cu, .cpp, .cc, .cxx, .c) nor an object or a library");
  }

  nvcc_command command_;
  bool wants_dependencies_ = false;
  bool links_device_code_ = false;
  int option_files_ = 0;
};

}  // namespace

nvcc_command read_nvcc_command(const std::vector<std::string>& words, const compile_options& defaults) {
  return command_reader(defaults).read(words);
}

}  // namespace cuda_compiler
