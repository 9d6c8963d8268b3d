// constructs.h: where the CUDA constructs of a translation unit are, as token indices.
//
// Kernels, launches, shared variables, variables of the device, qualifier words, and what is not supported.
// Not here: what they become (translator.h). Indices are into token_list::tokens; ranges are [begin, end].
//
//     constructs found = find_constructs(read_tokens(preprocessed));
//     found.launches[0].open    // the first '<' of <<<
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_compiler/clock_loops.h"
#include "cuda_compiler/shared_declaration.h"
#include "parsing/token.h"

namespace cuda_compiler {

/// A construct that cannot be translated, or that CUDA does not allow.
struct translation_error {
  std::string file;       ///< as the line marker names it
  int line = 0;           ///< from 1
  std::string construct;  ///< "inline PTX (asm)"; empty: CUDA does not allow it
  std::string message;    ///< one sentence for people: why, or what to do instead
};

/// The body of a function or lambda that runs on the device: of a kernel, or of a __device__ function.
struct device_body {
  std::size_t open;           ///< its '{'
  std::size_t close;          ///< its '}'
  std::size_t first;          ///< where the function's parameters begin
  bool runs_on_host = false;  ///< __host__ __device__
  std::string kernel_name;    ///< empty: not a kernel
  bool is_template = false;   ///< a function template, or a specialization of one
  std::vector<std::string>
      references{};  ///< of a kernel: its parameters that are references ("v..." for a pack)
  /// Of a kernel: all its parameters, in their order; absent where one has no name, or no plain declaration.
  std::optional<std::vector<std::string>> parameters{};
};

/// `kernel<<<configuration>>>(arguments)`.
struct launch {
  std::size_t callee;           ///< first token of the kernel expression
  std::size_t open;             ///< first '<' of <<<
  std::size_t close;            ///< first '>' of >>>
  std::size_t arguments_open;   ///< '('
  std::size_t arguments_close;  ///< ')'
  bool needs_parentheses;       ///< it is the last branch of ?:, or repeated by a fold
};

/// A declaration of variables that live on the device.
struct device_variables {
  shared_declaration declaration;  ///< is_dynamic: it begins with `extern` and only makes them known
  std::string_view memory;         ///< "__device__", "__constant__" or "__managed__"
  bool is_local;                   ///< this file's alone: `static` or `inline`
};

/// `count` tokens that another text takes the place of, mostly the empty one.
struct replaced_words {
  std::size_t begin;
  std::size_t count;        ///< at least 1
  std::string replacement;  ///< empty: they go
};

/// All that translate() changes in one file, each list in the order of the source.
struct constructs {
  std::vector<device_body> bodies;          ///< functions that run on the device
  std::vector<launch> launches;             ///< <<<...>>>
  std::vector<shared_declaration> shared;   ///< __shared__ variables
  std::vector<device_variables> variables;  ///< __device__, __constant__ and __managed__ variables
  std::vector<clock_loop> clock_loops;      ///< loops that only wait for the clock
  std::vector<replaced_words> words;        ///< qualifiers, which become other words or none
  std::vector<translation_error> errors;    ///< not empty: the file is refused
};

/// Finds them all; does not fail. The result points into the text of `source`.
constructs find_constructs(const parsing::token_list& source);

}  // namespace cuda_compiler
