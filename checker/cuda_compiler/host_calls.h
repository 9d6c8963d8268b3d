// host_calls.h: where functions of the device call functions that are for the host alone.
//
// Only what is certain without knowing types: plain functions that the text defines, by a name that it uses for nothing
// else. Members, templates, local names and functions of system headers are left out.
//
//     for (const host_call& call : find_host_calls(list, {body})) refuse(call);
#pragma once

#include <cstddef>
#include <vector>

#include "parsing/token.h"

namespace cuda_compiler {

/// A call, as token indices.
struct host_call {
  std::size_t name;      ///< the name in the call
  std::size_t function;  ///< the name in the definition
};

/// The calls in the bodies that begin at these '{'. Bodies of members and lambdas have none.
std::vector<host_call> find_host_calls(const parsing::token_list& source,
                                       const std::vector<std::size_t>& bodies);

}  // namespace cuda_compiler
