#include "cuda_compiler/navigator.h"

namespace cuda_compiler {

std::size_t navigator::group_length(std::size_t i) const {
  return is(i + 1, "(") && partner(i + 1) != none ? partner(i + 1) - i + 1 : 1;
}

bool navigator::is_end(std::size_t i) const { return is(i, ";") || is(i, "}") || is(i, ")") || is(i, "]"); }

std::size_t navigator::behind_angle(std::size_t i) const {
  int depth = 0;
  for (std::size_t k = i; k < tokens_.size() && !is_end(k); ++k) {
    if (is(k, "<")) ++depth;
    if (is(k, ">") && --depth == 0) return k + 1;
    k = group_end(k);
  }
  return none;
}

}  // namespace cuda_compiler
