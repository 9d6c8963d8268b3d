// columns.h: gives tokens the line and column they have in the learner's own file.
//
// A preprocessor keeps neither: it squeezes blanks, expands macros and joins the lines of a macro's
// arguments. Each line is therefore compared with the line of the original file. Tokens that are found there
// take its place; tokens that only a macro's definition holds get column 0. System headers stay as they are.
//
//     restore_columns(tokens, [](const std::string& name) { return read_file(name); });
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "parsing/token.h"

namespace cuda_compiler {

/// The text of a file, or nothing when it cannot be read.
using source_reader = std::function<std::optional<std::string>(const std::string& name)>;

/// Sets token::line and token::column. Files that `read` does not know keep the preprocessor's places.
void restore_columns(parsing::token_list& list, const source_reader& read);

}  // namespace cuda_compiler
