#include "parsing/nvcc_options.h"

#include <algorithm>
#include <array>
#include <optional>

namespace parsing {
namespace {

enum class value_form {
  none,
  apart,   ///< -name VALUE or -name=VALUE
  joined,  ///< the same, or -nameVALUE
  prefix,  ///< only -nameVALUE: the whole word is the option
};

struct known_option {
  std::string_view name;
  value_form form;
  nvcc_meaning meaning;
  std::string_view why = {};
};

constexpr std::string_view no_device_code =
    "the virtual GPU executes the program's own code; there is no code for a real GPU to write";

constexpr auto known_options = [] {
  using enum value_form;
  using enum nvcc_meaning;
  return std::array{
      // What is made.
      known_option{"-c", none, compile_only},
      known_option{"-compile", none, compile_only},
      known_option{"-dc", none, compile_only},
      known_option{"-device-c", none, compile_only},
      known_option{"-o", apart, output},
      known_option{"-output-file", apart, output},
      known_option{"-x", apart, language},
      known_option{"-dlink", none, device_link},
      known_option{"-device-link", none, device_link},
      known_option{"-ptx", none, refused, no_device_code},
      known_option{"-cubin", none, refused, no_device_code},
      known_option{"-fatbin", none, refused, no_device_code},
      known_option{"-lib", none, refused, "compile with -c and make the archive with ar"},
      known_option{"-shared", none, refused,
                   "a program for the virtual GPU is one executable; link the objects into it"},
      known_option{"-run", none, refused, "./streamlings run compiles and runs"},
      known_option{"-E", none, refused, "the preprocessor alone is the host compiler's: g++ -E"},
      known_option{"-preprocess", none, refused, "the preprocessor alone is the host compiler's: g++ -E"},
      known_option{"-MD", none, dependency_list},
      known_option{"-MMD", none, dependency_list},
      known_option{"-MP", none, no_effect},
      known_option{"-MF", apart, dependency_file},
      known_option{"-MT", apart, dependency_name},
      known_option{"-MQ", apart, dependency_name},
      known_option{"-M", none, refused, "-MD writes the dependencies while the file is compiled"},
      known_option{"-MM", none, refused, "-MMD writes the dependencies while the file is compiled"},
      // What is read.
      known_option{"-D", joined, definition},
      known_option{"-define-macro", apart, definition},
      known_option{"-U", joined, undefinition},
      known_option{"-undefine-macro", apart, undefinition},
      known_option{"-I", joined, include_folder},
      known_option{"-include-path", apart, include_folder},
      known_option{"-isystem", apart, system_folder},
      known_option{"-system-include", apart, system_folder},
      known_option{"-include", apart, included_file},
      known_option{"-pre-include", apart, included_file},
      known_option{"-L", joined, library_folder},
      known_option{"-library-path", apart, library_folder},
      known_option{"-library", apart, library},
      known_option{"-std", apart, standard},
      known_option{"-default-stream", apart, default_stream},
      known_option{"-options-file", apart, option_file},
      known_option{"-optf", apart, option_file},
      // The host compiler and the linker.
      known_option{"-ccbin", apart, host_compiler},
      known_option{"-compiler-bindir", apart, host_compiler},
      known_option{"-Xcompiler", apart, host_words},
      known_option{"-compiler-options", apart, host_words},
      known_option{"-Xlinker", apart, linker_words},
      known_option{"-linker-options", apart, linker_words},
      known_option{"-Wl,", prefix, host_word},
      known_option{"-fsanitize", prefix, refused,
                   "memory accesses are watched already, and one sanitizer excludes another"},
      known_option{"-flto", prefix, no_effect},
      known_option{"-fmad", apart, no_effect},
      known_option{"-ftz", apart, no_effect},
      known_option{"-ftemplate-depth", apart, no_effect},
      known_option{"-f", prefix, host_word},
      known_option{"-pthread", none, host_word},
      known_option{"-rdynamic", none, host_word},
      known_option{"-pie", none, no_effect},
      known_option{"-no-pie", none, no_effect},
      known_option{"-pipe", none, no_effect},
      // Code for real GPUs, optimization, warnings, and how nvcc goes about it.
      known_option{"-O", joined, no_effect},
      known_option{"-optimize", apart, no_effect},
      known_option{"-g", none, no_effect},
      known_option{"-debug", none, no_effect},
      known_option{"-G", none, no_effect},
      known_option{"-device-debug", none, no_effect},
      known_option{"-lineinfo", none, no_effect},
      known_option{"-generate-line-info", none, no_effect},
      known_option{"-arch", apart, no_effect},
      known_option{"-gpu-architecture", apart, no_effect},
      known_option{"-code", apart, no_effect},
      known_option{"-gpu-code", apart, no_effect},
      known_option{"-gencode", apart, no_effect},
      known_option{"-generate-code", apart, no_effect},
      known_option{"-rdc", apart, no_effect},
      known_option{"-relocatable-device-code", apart, no_effect},
      known_option{"-maxrregcount", apart, no_effect},
      known_option{"-use_fast_math", none, no_effect},
      known_option{"-prec-div", apart, no_effect},
      known_option{"-prec-sqrt", apart, no_effect},
      known_option{"-restrict", none, no_effect},
      known_option{"-expt-relaxed-constexpr", none, no_effect},
      known_option{"-expt-extended-lambda", none, no_effect},
      known_option{"-extended-lambda", none, no_effect},
      known_option{"-Xptxas", apart, no_effect},
      known_option{"-ptxas-options", apart, no_effect},
      known_option{"-Xnvlink", apart, no_effect},
      known_option{"-nvlink-options", apart, no_effect},
      known_option{"-Xfatbin", apart, no_effect},
      known_option{"-fatbin-options", apart, no_effect},
      known_option{"-Xcudafe", apart, no_effect},
      known_option{"-Werror", apart, no_effect},
      known_option{"-diag-suppress", apart, no_effect},
      known_option{"-diag-warn", apart, no_effect},
      known_option{"-diag-error", apart, no_effect},
      known_option{"-w", none, no_effect},
      known_option{"-disable-warnings", none, no_effect},
      known_option{"-W", prefix, no_effect},
      known_option{"-m64", none, no_effect},
      known_option{"-m", prefix, host_word},
      known_option{"-machine", apart, no_effect},
      known_option{"-cudart", apart, no_effect},
      known_option{"-t", apart, no_effect},
      known_option{"-threads", apart, no_effect},
      known_option{"-split-compile", apart, no_effect},
      known_option{"-keep", none, no_effect},
      known_option{"-keep-dir", apart, no_effect},
      known_option{"-res-usage", none, no_effect},
      known_option{"-resource-usage", none, no_effect},
      known_option{"-src-in-ptx", none, no_effect},
      known_option{"-source-in-ptx", none, no_effect},
      known_option{"-forward-unknown-to-host-compiler", none, no_effect},
      known_option{"-allow-unsupported-compiler", none, no_effect},
      known_option{"-extra-device-vectorization", none, no_effect},
      known_option{"-l", joined, library},
      // About the stand-in itself.
      known_option{"-h", none, help},
      known_option{"-help", none, help},
      known_option{"-V", none, version},
      known_option{"-version", none, version},
      known_option{"-v", none, no_effect},
      known_option{"-verbose", none, no_effect},
  };
}();

/// The option that a word begins, with its value where the word has it: "-arch=sm_90", "-lm".
struct begun_option {
  const known_option* known = nullptr;
  std::optional<std::string> value{};
};

begun_option option_of(const std::string& word) {
  // nvcc takes one dash or two before a long name.
  const bool has_two_dashes = word.compare(0, 2, "--") == 0 && word.size() > 3;
  const std::string spelled = has_two_dashes ? word.substr(1) : word;
  // A whole name counts before the beginning of one: -lineinfo is no library.
  const std::string name = spelled.substr(0, spelled.find('='));
  for (const known_option& known : known_options) {
    if (known.form == value_form::prefix || known.name != name) continue;
    if (name == spelled) return {&known};
    if (known.form != value_form::none) return {&known, spelled.substr(name.size() + 1)};
  }
  if (has_two_dashes) return {};
  for (const known_option& known : known_options) {
    const bool may_be_longer = known.form == value_form::joined || known.form == value_form::prefix;
    if (!may_be_longer || word.compare(0, known.name.size(), known.name) != 0) continue;
    return {&known, known.form == value_form::prefix ? word : word.substr(known.name.size())};
  }
  return {};
}

}  // namespace

std::vector<nvcc_option> read_nvcc_words(const std::vector<std::string>& words,
                                         const std::vector<std::string_view>& not_these) {
  std::vector<nvcc_option> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const begun_option begun = word.size() > 1 && word.front() == '-' ? option_of(word) : begun_option{};
    if (begun.known == nullptr || std::count(not_these.begin(), not_these.end(), begun.known->name) > 0) {
      options.push_back({.value = word, .words = {word}});
      continue;
    }
    nvcc_option option{.meaning = begun.known->meaning,
                       .value = begun.value.value_or(""),
                       .words = {word},
                       .why = begun.known->why};
    const bool optimizes = begun.known->name == "-O";  // alone it is complete, as for g++
    if (!begun.value && begun.known->form != value_form::none && !optimizes && i + 1 < words.size()) {
      option.value = words[++i];
      option.words.push_back(option.value);
    }
    options.push_back(std::move(option));
  }
  return options;
}

}  // namespace parsing
