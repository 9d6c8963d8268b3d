// toolkit_headers.h: which headers and names come with CUDA that the virtual GPU does not have.
//
// A program that uses one of them is legal, so it is told what is missing here, not that something does not
// exist. Not here: the headers that the virtual GPU has (include/).
//
//     why_not_here("thrust/device_vector.h")    // "Thrust, CUB and libcu++ are not modelled ..."
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuda_compiler {

/// An `#include` that found no file.
struct missing_header {
  std::string file;    ///< that asks for it, as the compiler names it
  int line = 0;        ///< from 1
  std::string header;  ///< between the brackets or quotes
};

/// The first one that g++ or clang++ says, in colours or without; none when the trouble is another.
std::optional<missing_header> find_missing_header(std::string_view diagnostics);

/// One sentence about a header of the CUDA toolkit or of the CUDA samples; none for any other header.
std::optional<std::string> why_not_here(std::string_view header);

/// One sentence about a name of one of CUDA's APIs that is not declared. `nearest`: what the compiler suggests; "": nothing.
std::string why_not_known(std::string_view name, std::string_view nearest);

}  // namespace cuda_compiler
